//! How long data is stored. The log and the daily seals have no entry: they are never removed.

/// Days for each kind of data, as the operator chooses them. `docs/storage.md` explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionSettings {
    /// Readings and answers of names where no page was ever received.
    pub unreached_days: u32,
    /// Answers that a later one replaced. At least as long as decisions are valid.
    pub answer_days: u32,
    /// The newest answer about a domain, and its readings.
    pub domain_days: u32,
    /// Changes between answers, between registrations and between verdicts on AI engines.
    pub change_days: u32,
    /// Entries of the chain of revocations that are no longer in force.
    pub revocation_days: u32,
    /// Receipts, after they expired.
    pub receipt_days: u32,
    /// Scan records with their evidence; 0 for ever.
    pub scan_days: u32,
    /// Scans of MCP servers and the surfaces that they had; 0 for ever.
    pub mcp_days: u32,
    /// Counts of agents on our own site; 0 for ever.
    pub conduct_days: u32,
    /// What AI engines said about businesses; 0 for ever.
    pub accuracy_days: u32,
}

impl RetentionSettings {
    /// The validity of decisions is up to 168 hours, so nothing they depend on may go earlier.
    pub const MIN_ANSWER_DAYS: u32 = 7;
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            unreached_days: 1,
            answer_days: 8,
            domain_days: 90,
            change_days: 400,
            revocation_days: 400,
            receipt_days: 30,
            scan_days: 400,
            mcp_days: 400,
            conduct_days: 400,
            accuracy_days: 400,
        }
    }
}
