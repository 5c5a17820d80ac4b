//! Collects the results of all section rules: rulings, caps and findings.

use contract::records::{Finding, FindingsSummary, Severity};

use super::convert::saturating_u32;
use crate::rulepack::Rulepack;

/// The outcome of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RuleOutcome {
    /// `got` of `of`: all, some or none of the points.
    Share {
        got: u32,
        of: u32,
    },
    NotApplicable,
    NotAssessed,
}

#[derive(Debug, Clone)]
pub(super) struct Ruling {
    pub(super) rule: &'static str,
    pub(super) outcome: RuleOutcome,
    pub(super) why: String,
    /// Ids of readings.
    pub(super) evidence: Vec<String>,
}

/// A cap that applies, and the reason as a full sentence.
#[derive(Debug, Clone)]
pub(super) struct AppliedCap {
    pub(super) cap: &'static str,
    /// The score it allows, if it depends on how many crawlers are affected; otherwise that of the
    /// rulepack.
    pub(super) at_most: Option<u32>,
    pub(super) reason: String,
}

#[derive(Debug, Default)]
pub(super) struct Verdicts {
    pub(super) rulings: Vec<Ruling>,
    pub(super) caps: Vec<AppliedCap>,
    pub(super) findings: Vec<Finding>,
}

impl Verdicts {
    pub(super) fn add_ruling(
        &mut self,
        rule: &'static str,
        outcome: RuleOutcome,
        why: impl Into<String>,
        evidence: Vec<String>,
    ) {
        self.rulings.push(Ruling { rule, outcome, why: why.into(), evidence });
    }

    pub(super) fn add_passed(
        &mut self,
        rule: &'static str,
        why: impl Into<String>,
        evidence: Vec<String>,
    ) {
        self.add_ruling(rule, RuleOutcome::Share { got: 1, of: 1 }, why, evidence);
    }

    pub(super) fn add_failed(
        &mut self,
        rule: &'static str,
        why: impl Into<String>,
        evidence: Vec<String>,
    ) {
        self.add_ruling(rule, RuleOutcome::Share { got: 0, of: 1 }, why, evidence);
    }

    pub(super) fn add_not_applicable(&mut self, rule: &'static str, why: impl Into<String>) {
        self.add_ruling(rule, RuleOutcome::NotApplicable, why, Vec::new());
    }

    pub(super) fn add_not_assessed(&mut self, rule: &'static str, why: impl Into<String>) {
        self.add_ruling(rule, RuleOutcome::NotAssessed, why, Vec::new());
    }

    pub(super) fn add_cap(&mut self, cap: &'static str, because: impl Into<String>) {
        self.caps.push(AppliedCap { cap, at_most: None, reason: because.into() });
    }

    /// Adds a cap whose score depends on how many crawlers are affected, and how much.
    pub(super) fn add_cap_at(
        &mut self,
        cap: &'static str,
        at_most: u32,
        because: impl Into<String>,
    ) {
        self.caps.push(AppliedCap { cap, at_most: Some(at_most), reason: because.into() });
    }

    pub(super) fn add_finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// A finding that explains why a rule lost points. Title, reason and standard default to those of the
/// rule.
pub(super) fn finding_for_rule(
    rules: &Rulepack,
    rule: &'static str,
    id: &str,
    severity: Severity,
) -> Finding {
    let known = rules.rule(rule);
    Finding {
        id: id.to_owned(),
        severity,
        section: known.map(|rule| rule.section).unwrap_or_default().to_owned(),
        title: known.map(|rule| rule.title).unwrap_or_default().to_owned(),
        seen: String::new(),
        why: known.map(|rule| rule.why).unwrap_or_default().to_owned(),
        matters_to: vec!["agents".to_owned(), "site_owner".to_owned()],
        fix: None,
        paste: None,
        rule: Some(rule.to_owned()),
        standard: known.and_then(|rule| rule.standard).map(str::to_owned),
        side_by_side: None,
        evidence: Vec::new(),
    }
}

/// A finding that costs no points.
pub(super) fn unscored_finding(section: &str, id: &str, severity: Severity) -> Finding {
    Finding {
        id: id.to_owned(),
        severity,
        section: section.to_owned(),
        title: String::new(),
        seen: String::new(),
        why: String::new(),
        matters_to: vec!["agents".to_owned(), "site_owner".to_owned()],
        fix: None,
        paste: None,
        rule: None,
        standard: None,
        side_by_side: None,
        evidence: Vec::new(),
    }
}

/// The sort order of findings: the most severe first.
pub(super) fn severity_rank(severity: &Severity) -> u8 {
    match severity {
        Severity::High => 0,
        Severity::Medium => 1,
        Severity::Low => 2,
        _ => 3,
    }
}

pub(super) fn summarise_findings(findings: &[Finding]) -> FindingsSummary {
    let of = |severity: Severity| {
        saturating_u32(findings.iter().filter(|f| f.severity == severity).count())
    };
    FindingsSummary {
        high: of(Severity::High),
        medium: of(Severity::Medium),
        low: of(Severity::Low),
        info: of(Severity::Info),
    }
}
