//! The limits of the interface (section 8), by name. No bare number stands where one of these is
//! meant.

use std::time::Duration;

/// Request bodies larger than this are refused with 413 before they are parsed.
pub const BODY_BYTES: usize = 1_048_576;
/// `POST /api/scan`: requests per address in [`SCAN_BURST_WINDOW`].
pub const SCAN_BURST: u32 = 5;
pub const SCAN_BURST_WINDOW: Duration = Duration::from_secs(10);
/// `POST /api/scan`: requests per address in [`SCAN_MINUTE_WINDOW`]. Both rates hold.
pub const SCAN_PER_MINUTE: u32 = 6;
pub const SCAN_MINUTE_WINDOW: Duration = Duration::from_secs(60);
/// `POST /api/scan` without a key: scans per address and UTC day.
pub const SCAN_PER_DAY: u32 = 20;
/// `POST /api/v1/scan`: requests per licence in [`SCAN_MINUTE_WINDOW`]. Ours: the interface names
/// no figure.
pub const KEYED_SCANS_PER_MINUTE: u32 = 60;
/// Kept records: requests per address in [`RATE_WINDOW`]. Ours, as are the next two: the interface
/// names no figures.
pub const READ_PER_MINUTE: u32 = 120;
/// What is decided for an address in [`RATE_WINDOW`]; a batch counts its items.
pub const DECIDE_PER_MINUTE: u32 = 60;
/// Whatever makes us read a site now: per address in [`RATE_WINDOW`].
pub const LIVE_PER_MINUTE: u32 = 10;
pub const RATE_WINDOW: Duration = Duration::from_secs(60);
/// The log and other feeds: requests per address in [`FEED_WINDOW`].
pub const FEED_PER_MINUTE: u32 = 30;
pub const FEED_WINDOW: Duration = Duration::from_secs(60);
/// `GET /api/v1/log`: batches in one list.
pub const LOG_LIST_MAX: usize = 100;
/// `GET /api/v1/log/sths`: heads when no number is asked for, and the most.
pub const LOG_HEADS_DEFAULT: usize = 50;
pub const LOG_HEADS_MAX: usize = 200;
/// `POST /api/v1/log/gossip`: heads in one request.
pub const GOSSIP_HEADS_MAX: usize = 50;
/// One domain: running scans at a time.
pub const SCANS_AT_ONCE_PER_DOMAIN: usize = 1;
/// A domain scanned within this time is answered with the earlier report.
pub const RESCAN_WINDOW: Duration = Duration::from_secs(120);
/// `POST /api/v1/outcome`: reports per address and UTC day.
pub const OUTCOMES_PER_DAY: u32 = 500;
/// `GET /api/v1/outcomes`: the window when none is asked for, and the longest.
pub const OUTCOME_DAYS_DEFAULT: u32 = 30;
pub const OUTCOME_DAYS_MAX: u32 = 90;
/// Reports are forgotten after so many days.
pub const OUTCOME_KEPT_DAYS: u32 = 400;
/// The longest name of an agent that is kept, in characters.
pub const AGENT_NAME_MAX: usize = 80;
/// `Idempotency-Key`: its longest value, how long its reply is kept, and how long a request may be
/// under way before its key is free again.
pub const IDEMPOTENCY_KEY_MAX: usize = 255;
pub const IDEMPOTENCY_KEPT: Duration = Duration::from_secs(24 * 3600);
pub const IDEMPOTENCY_IN_FLIGHT: Duration = Duration::from_secs(180);
/// `POST /api/v1/visitor`: visitors in one request.
pub const VISITOR_BATCH_MIN: usize = 1;
pub const VISITOR_BATCH_MAX: usize = 100;
/// Just-in-time resolve: all reads together.
pub const LIVE_READ_BUDGET: Duration = Duration::from_millis(1000);
/// Queued full scans begin at these minutes of the hour, UTC.
pub const UPGRADE_MINUTES: [u8; 4] = [2, 17, 32, 47];
/// `POST /api/v1/resolve`: domains in one request.
pub const RESOLVE_BATCH_MIN: usize = 1;
pub const RESOLVE_BATCH_MAX: usize = 100;
/// Of these, how many are made side by side, and the time for all of them. Ours.
pub const RESOLVE_BATCH_LIVE: usize = 10;
pub const RESOLVE_BATCH_BUDGET: Duration = Duration::from_millis(5000);
/// `GET /api/v1/resolve-prefix/{hex}`: digits of the prefix, and the most domains of a bucket.
pub const PREFIX_DIGITS_MIN: usize = 2;
pub const PREFIX_DIGITS_MAX: usize = 8;
pub const PREFIX_BUCKET: usize = 100;
/// Stored answers: a section that takes longer is shown as stored.
pub const SECTION_TIMEOUT: Duration = Duration::from_millis(180);
/// A live reading is kept and served for this long.
pub const KEPT_READING: Duration = Duration::from_secs(6 * 3600);
/// A resolve answer is fresh for this long after `observed_at`.
pub const ANSWER_FRESH_HOURS: u32 = 168;
/// The oldest evidence each action may rest on, in hours.
pub const READ_MAX_AGE_HOURS: u32 = 168;
pub const CITE_MAX_AGE_HOURS: u32 = 168;
pub const CONNECT_MAX_AGE_HOURS: u32 = 72;
pub const TRANSACT_MAX_AGE_HOURS: u32 = 24;
pub const ADMINISTER_MAX_AGE_HOURS: u32 = 0;
/// Resolve answers: capabilities told one by one; more are only counted. Ours: the interface names
/// no figure.
pub const CAPABILITY_ITEMS: usize = 50;
/// `POST /api/v1/preflight`: checks in one request.
pub const PREFLIGHT_CHECKS_MAX: usize = 50;
/// `POST /api/v1/preflight`: the most that may be asked for as `live_ms`.
pub const PREFLIGHT_LIVE_MS_MAX: u32 = 1000;
/// An operation that is given back in a receipt: bytes as compact JSON, and levels.
pub const OPERATION_BYTES: usize = 8192;
pub const OPERATION_DEPTH: usize = 16;
pub const NONCE_CHARS: usize = 256;
/// An agent's name or user agent.
pub const AGENT_BYTES: usize = 512;
/// Entries of a caller's list, and bytes of each: a domain has no more.
pub const POLICY_LIST_MAX: usize = 100;
pub const POLICY_ENTRY_BYTES: usize = 253;
/// The largest integer that every reader of JSON reads alike.
pub const SAFE_INTEGER: u64 = 9_007_199_254_740_991;
/// `GET /api/v1/revocations`: entries on a page, and the most that may be asked for.
pub const REVOCATIONS_PAGE: usize = 100;
pub const REVOCATIONS_PAGE_MAX: usize = 500;
/// How long a receipt can be used, in seconds, by action.
pub const READ_RECEIPT_SECONDS: u32 = 86_400;
pub const CITE_RECEIPT_SECONDS: u32 = 86_400;
pub const CONNECT_RECEIPT_SECONDS: u32 = 3_600;
pub const TRANSACT_RECEIPT_SECONDS: u32 = 300;
pub const ADMINISTER_RECEIPT_SECONDS: u32 = 300;
/// How far clocks may be apart when the times of a receipt are compared.
pub const CLOCK_SKEW_S: u32 = 60;
/// Domain-control proofs are checked again after this many days.
pub const CONTROL_RECHECK_DAYS: u32 = 30;
/// Independent readings kept for one domain.
pub const INDEPENDENT_READINGS: usize = 12;
/// Readings by one network within this time count once.
pub const READING_COUNTS_ONCE: Duration = Duration::from_secs(600);
/// Networks that show different things within this time contradict each other; further apart, the
/// site may have changed in between.
pub const CONTESTED_WITHIN: Duration = Duration::from_secs(24 * 3600);
/// What readings need to confirm each other.
pub const CONFIRMING_NETWORKS: usize = 2;
pub const CONFIRMING_READINGS: usize = 3;
/// A change that a thief would make is confirmed when it is still there after this time.
pub const HIGH_RISK_CONFIRMED_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Entries that one new answer adds to the changes.
pub const CHANGES_PER_ANSWER: usize = 100;
/// `GET /api/v1/changes`: entries when no number is asked for, and the most.
pub const CHANGES_DEFAULT: usize = 50;
pub const CHANGES_MAX: usize = 200;
/// An agent is judged in the conduct record only from this many verified requests on.
pub const CONDUCT_MIN_VERIFIED_REQUESTS: u32 = 50;
/// `/api/v1` keeps answering this long after any `/api/v2` is announced.
pub const CORE_NOTICE_DAYS: u32 = 180;
/// `GET /api/v1/content-clock`: hours between two checks, and days after the last reader that a
/// clock runs.
pub const CLOCK_EVERY_HOURS: u32 = 12;
pub const CLOCK_DAYS: u32 = 90;
/// Clocks of one domain, clocks one address may start in a day, and versions shown at most.
pub const CLOCKS_PER_DOMAIN: usize = 3;
pub const CLOCKS_PER_ADDRESS_A_DAY: u32 = 20;
pub const CLOCK_VERSIONS_MAX: usize = 100;
/// One check of a clock: all its reads together.
pub const CLOCK_READ_BUDGET: Duration = Duration::from_secs(10);
/// `GET /api/census/records`: records on a page when no number is asked for, the most, and the
/// most lines when they are read line by line.
pub const CENSUS_PAGE_DEFAULT: usize = 100;
pub const CENSUS_PAGE_MAX: usize = 1_000;
pub const CENSUS_LINES_MAX: usize = 10_000;
