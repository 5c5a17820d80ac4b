//! The limits of the interface (section 8) as named constants. Code uses these names, not numbers.
//!
//! "Not in the interface" marks limits that this implementation chose itself.

use std::time::Duration;

/// Request bodies larger than this are refused with 413 before they are parsed.
pub const BODY_BYTES: usize = 1_048_576;
/// `POST /api/scan`: requests per address in [`SCAN_BURST_WINDOW`].
pub const SCAN_BURST: u32 = 5;
pub const SCAN_BURST_WINDOW: Duration = Duration::from_secs(10);
/// `POST /api/scan`: requests per address in [`SCAN_MINUTE_WINDOW`]. Both rates apply.
pub const SCAN_PER_MINUTE: u32 = 6;
pub const SCAN_MINUTE_WINDOW: Duration = Duration::from_secs(60);
/// `POST /api/scan` without a key: scans per address and UTC day.
pub const SCAN_PER_DAY: u32 = 20;
/// Free scans of all callers together per UTC day. Not in the interface.
pub const SCANS_PER_DAY_TOTAL: u32 = 10_000;
/// `POST /api/v1/scan`: requests per licence in [`SCAN_MINUTE_WINDOW`]. Not in the interface.
pub const KEYED_SCANS_PER_MINUTE: u32 = 60;
/// The three rates below are per address in [`RATE_WINDOW`], and not in the interface. Their defaults
/// are for one organisation: all its agents usually have one address, and an agent asks before every
/// page. They protect this service only; what all clients together may read of others' sites has
/// limits of its own (`targets.*`).
///
/// Endpoints that serve stored records: requests. 20 in a second.
pub const READ_PER_MINUTE: u32 = 1_200;
/// Decisions; a batch counts once per item. 10 in a second, for example 50 agents with a page every
/// 5 seconds each.
pub const DECIDE_PER_MINUTE: u32 = 600;
/// Requests that cause a live read of a site: a decision in five may be about a new site.
pub const LIVE_PER_MINUTE: u32 = 120;
/// Visitors that are checked; a batch counts once per item. 100 in a second: a site checks each of its own
/// visitors, and most answers need no look-up.
pub const VISITORS_PER_MINUTE: u32 = 6_000;
/// The same for a public service, where an address is one of many strangers.
pub const PUBLIC_READ_PER_MINUTE: u32 = 120;
pub const PUBLIC_DECIDE_PER_MINUTE: u32 = 60;
pub const PUBLIC_LIVE_PER_MINUTE: u32 = 10;
pub const PUBLIC_VISITORS_PER_MINUTE: u32 = 600;
/// The same per licence.
pub const KEYED_READS_PER_MINUTE: u32 = 6_000;
pub const KEYED_DECISIONS_PER_MINUTE: u32 = 3_000;
pub const KEYED_LIVE_PER_MINUTE: u32 = 300;
/// `/metrics`: requests per address in [`RATE_WINDOW`]. Not in the interface.
pub const METRICS_PER_MINUTE: u32 = 60;
/// Licence keys that are not valid: per address in [`RATE_WINDOW`]. Not in the interface.
pub const WRONG_KEYS_PER_MINUTE: u32 = 10;
/// Files of the log below `/log/`: per address in [`RATE_WINDOW`]. A copy of the whole log must not be slowed:
/// 200 files in a second are 51,200 entries. Not in the interface.
pub const LOG_FILES_PER_MINUTE: u32 = 12_000;
/// `POST /api/v1/outcome`: per address in [`RATE_WINDOW`], besides [`OUTCOMES_PER_DAY`]. Not in the interface.
pub const OUTCOMES_PER_MINUTE: u32 = 60;
/// Streams of the progress of scans that one address may have open. Not in the interface.
pub const STREAMS_AT_ONCE: u32 = 8;
/// `POST /mcp`: messages per address in [`RATE_WINDOW`]. Not in the interface.
pub const MCP_PER_MINUTE: u32 = 1_200;
/// `/readyz`: per address in [`RATE_WINDOW`]: ten probes in a second. Not in the interface.
pub const READINESS_PER_MINUTE: u32 = 600;
/// Scans that one form of our own page may start.
pub const SCANS_PER_PAGE_TOKEN: u32 = 5;
pub const RATE_WINDOW: Duration = Duration::from_secs(60);
/// The log and other feeds: requests per address in [`FEED_WINDOW`].
pub const FEED_PER_MINUTE: u32 = 30;
pub const FEED_WINDOW: Duration = Duration::from_secs(60);
/// `GET /api/v1/log`: batches in one list.
pub const LOG_LIST_MAX: usize = 100;
/// `GET /api/v1/log/sths`: the default and the maximum number of heads.
pub const LOG_HEADS_DEFAULT: usize = 50;
pub const LOG_HEADS_MAX: usize = 200;
/// `POST /api/v1/log/gossip`: heads in one request.
pub const GOSSIP_HEADS_MAX: usize = 50;
/// Scans of one domain that may run at the same time.
pub const SCANS_AT_ONCE_PER_DOMAIN: usize = 1;
/// A domain that was scanned within this time gets the earlier report.
pub const RESCAN_WINDOW: Duration = Duration::from_secs(120);
/// Readings of the names of one registrable domain in any hour, over all callers: live readings, and
/// full scans without a licence. Not in the interface.
pub const TARGET_LIVE_PER_HOUR: u32 = 6;
/// Walks over the lists of the MCP servers of a registrable domain in an hour, over all callers.
pub const TARGET_MCP_WALKS_PER_HOUR: u32 = 6;
pub const TARGET_SCANS_PER_HOUR: u32 = 12;
/// The time in which the readings of one registrable domain are counted.
pub const TARGET_WINDOW: Duration = Duration::from_secs(3_600);
/// Live readings of all domains in any minute, over all callers. Not in the interface.
pub const TOTAL_LIVE_PER_MINUTE: u32 = 600;
/// Reads of the server of one registry in any minute, over all callers. Not in the interface.
pub const REGISTRY_READS_PER_MINUTE: u32 = 20;
/// `GET /api/v1/accuracy`: the maximum of `days`.
pub const ACCURACY_DAYS_MAX: u32 = 400;
/// `GET /api/v1/field-check`: the maximum length of `value` in characters.
pub const FIELD_VALUE_MAX: usize = 500;
/// How long a registration that was read is served without reading it again.
pub const REGISTRY_CACHE_HOURS: u32 = 24;
/// Questions to AI engines in a UTC day, over all engines and domains. Not in the interface.
pub const ENGINE_CALLS_PER_DAY: u32 = 2_000;
/// Tokens that AI engines may count in a UTC day, over all engines. Not in the interface.
pub const ENGINE_TOKENS_PER_DAY: u64 = 2_000_000;
/// The time for one question to an AI engine, with a second request if the first was not understood.
pub const ENGINE_ASK_BUDGET: Duration = Duration::from_secs(60);
/// The time for one read of a registry, with redirects.
pub const REGISTRY_READ_BUDGET: Duration = Duration::from_secs(6);
/// `GET /api/v1/domain`: the default and the maximum number of entries of the timeline, and how many changes of
/// answers are in it.
pub const TIMELINE_DEFAULT: usize = 50;
pub const TIMELINE_MAX: usize = 200;
pub const TIMELINE_ANSWER_CHANGES: usize = 500;
/// `POST /api/v1/outcome`: reports per address and UTC day.
pub const OUTCOMES_PER_DAY: u32 = 500;
/// `GET /api/v1/outcomes`: the default and the maximum window.
pub const OUTCOME_DAYS_DEFAULT: u32 = 30;
pub const OUTCOME_DAYS_MAX: u32 = 90;
/// Outcome reports are deleted after this many days.
pub const OUTCOME_RETENTION_DAYS: u32 = 400;
/// The longest agent name that is stored, in characters.
pub const AGENT_NAME_MAX: usize = 80;
/// `Idempotency-Key`: the longest value, how long the reply is stored, and how long a request may
/// run before its key can be used again.
pub const IDEMPOTENCY_KEY_MAX: usize = 255;
pub const IDEMPOTENCY_REPLY_TTL: Duration = Duration::from_secs(24 * 3600);
pub const IDEMPOTENCY_IN_FLIGHT_TIMEOUT: Duration = Duration::from_secs(180);
/// `POST /api/v1/visitor`: visitors in one request.
pub const VISITOR_BATCH_MIN: usize = 1;
pub const VISITOR_BATCH_MAX: usize = 100;
/// Just-in-time resolve: the time for all reads together.
pub const LIVE_READ_BUDGET: Duration = Duration::from_millis(1000);
/// Queued full scans start at these minutes of each hour, UTC.
pub const UPGRADE_MINUTES: [u8; 4] = [2, 17, 32, 47];
/// Full scans that may wait in the queue. Not in the interface.
pub const SCAN_QUEUE_MAX: u32 = 2_000;
/// `POST /api/v1/resolve`: domains in one request.
pub const RESOLVE_BATCH_MIN: usize = 1;
pub const RESOLVE_BATCH_MAX: usize = 100;
/// `POST /api/v1/resolve`: how many answers are built at the same time, and the time for all of
/// them. Not in the interface.
pub const RESOLVE_BATCH_CONCURRENCY: usize = 10;
pub const RESOLVE_BATCH_BUDGET: Duration = Duration::from_millis(5000);
/// `GET /api/v1/resolve-prefix/{hex}`: hex digits of the prefix, and the maximum number of domains
/// in a response.
pub const PREFIX_DIGITS_MIN: usize = 2;
pub const PREFIX_DIGITS_MAX: usize = 8;
pub const PREFIX_BUCKET_MAX: usize = 100;
/// Stored answers: a section that takes longer is served as stored.
pub const SECTION_TIMEOUT: Duration = Duration::from_millis(180);
/// The shortest time between two live reads of a domain. Also how long a reading that received no
/// page is used. Not in the interface.
pub const LIVE_READ_PAUSE: Duration = Duration::from_secs(600);
/// A live reading is stored and served for this long.
pub const LIVE_READING_MAX_AGE: Duration = Duration::from_secs(6 * 3600);
/// A resolve answer is fresh for this long after `observed_at`.
pub const ANSWER_FRESH_HOURS: u32 = 168;
/// The maximum age of the evidence for each action, in hours.
pub const READ_MAX_AGE_HOURS: u32 = 168;
pub const CITE_MAX_AGE_HOURS: u32 = 168;
pub const CONNECT_MAX_AGE_HOURS: u32 = 72;
pub const TRANSACT_MAX_AGE_HOURS: u32 = 24;
pub const ADMINISTER_MAX_AGE_HOURS: u32 = 0;
/// Resolve answers: capabilities that are listed; further ones are only counted. Not in the
/// interface.
pub const CAPABILITY_ITEMS_MAX: usize = 50;
/// Calls that check declared operations: of one registrable domain in one UTC day, for all callers
/// together. Not in the interface.
pub const CAPABILITY_CALLS_PER_DAY: u32 = 3;
/// `POST /api/v1/preflight`: checks in one request.
pub const PREFLIGHT_CHECKS_MAX: usize = 50;
/// `POST /api/v1/preflight`: the maximum of `live_ms`.
pub const PREFLIGHT_LIVE_MS_MAX: u32 = 1000;
/// The operation in a preflight request: bytes as compact JSON, and levels of nesting.
pub const OPERATION_BYTES_MAX: usize = 8192;
pub const OPERATION_DEPTH_MAX: usize = 16;
/// A caller's policy: entries per list, and the most networks it may require.
pub const POLICY_LIST_MAX: usize = 100;
pub const MINIMUM_NETWORKS_MAX: u32 = 100;
/// The largest `max_age_hours` of a request: ten years. Not in the interface.
pub const MAX_AGE_HOURS_MAX: u32 = 87_600;
/// The largest integer that every JSON parser reads exactly.
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;
/// `GET /api/v1/revocations`: the default and the maximum number of entries on a page.
pub const REVOCATIONS_PAGE_DEFAULT: usize = 100;
pub const REVOCATIONS_PAGE_MAX: usize = 500;
/// How long a receipt is valid, in seconds, by action.
pub const READ_RECEIPT_SECONDS: u32 = 86_400;
pub const CITE_RECEIPT_SECONDS: u32 = 86_400;
pub const CONNECT_RECEIPT_SECONDS: u32 = 3_600;
pub const TRANSACT_RECEIPT_SECONDS: u32 = 300;
pub const ADMINISTER_RECEIPT_SECONDS: u32 = 300;
/// The clock difference that is tolerated when the times of a receipt are compared.
pub const CLOCK_SKEW_S: u32 = 60;
/// Domain-control proofs are checked again after this many days.
pub const CONTROL_RECHECK_DAYS: u32 = 30;
/// How long a missing proof can be brought back. Not in the interface, like the following ones.
pub const CONTROL_GRACE_DAYS: u32 = 14;
/// How long the claimant stays the owner while the proof cannot be read, and after how many days the claim
/// lapses.
pub const CONTROL_UNREADABLE_ACCESS_DAYS: u32 = 7;
pub const CONTROL_UNREADABLE_DAYS: u32 = 30;
/// A proof counts as missing if it is absent in two checks this far apart.
pub const CONTROL_CONFIRM_HOURS: u32 = 24;
/// For how long the token of a claim can be used to prove control.
pub const CLAIM_TOKEN_DAYS: u32 = 30;
/// How often the proof of one claim is looked for, at the claimant's request, in a day.
pub const CLAIM_CHECKS_PER_DAY: u32 = 20;
/// How long an incident lasts unless its owner ends it.
pub const INCIDENT_DAYS: u32 = 30;
/// How many incidents and disputes the owners of one domain can report in a day.
pub const INCIDENTS_PER_DAY: u32 = 10;
pub const DISPUTES_PER_DAY: u32 = 5;
/// How many readings of one domain are stored.
pub const READINGS_KEPT_PER_DOMAIN: usize = 12;
/// Several readings from one network within this time count as one.
pub const SAME_NETWORK_WINDOW: Duration = Duration::from_secs(600);
/// Different values from two networks within this time count as a disagreement. Further apart, the
/// site may have changed in between.
pub const CONTESTED_WINDOW: Duration = Duration::from_secs(24 * 3600);
/// How many networks and readings are needed to confirm a value.
pub const CONFIRMING_NETWORKS: usize = 2;
pub const CONFIRMING_READINGS: usize = 3;
/// A high-risk change (one that an attacker who took over the site would make) counts as confirmed
/// when it is still observed after this time.
pub const HIGH_RISK_CONFIRMED_AFTER: Duration = Duration::from_secs(24 * 3600);
/// The maximum number of change entries that one new answer adds.
pub const CHANGES_PER_ANSWER: usize = 100;
/// `GET /api/v1/changes`: the default and the maximum number of entries.
pub const CHANGES_DEFAULT: usize = 50;
pub const CHANGES_MAX: usize = 200;
/// The conduct record assesses an agent only after this many verified requests.
pub const CONDUCT_MIN_VERIFIED_REQUESTS: u32 = 50;
/// `/api/v1` keeps answering this long after any `/api/v2` is announced.
pub const CORE_NOTICE_DAYS: u32 = 180;
/// `GET /api/v1/content-clock`: hours between two checks, and days that a clock keeps running after
/// it was last requested.
pub const CLOCK_CHECK_INTERVAL_HOURS: u32 = 12;
pub const CLOCK_IDLE_DAYS: u32 = 90;
/// Content clocks: the maximum per domain, the maximum that one address may start per day, and the
/// maximum number of versions in a response.
pub const CLOCKS_PER_DOMAIN: usize = 3;
pub const CLOCKS_PER_ADDRESS_A_DAY: u32 = 20;
pub const CLOCK_VERSIONS_MAX: usize = 100;
/// Free keys by mail: requests per address and UTC day, requests of all callers together per UTC day, and how
/// long a link is valid. Not in the interface.
pub const FREE_KEYS_PER_ADDRESS_A_DAY: u32 = 1;
pub const FREE_KEY_MAILS_PER_DAY: u32 = 1_000;
pub const FREE_KEY_LINK_HOURS: u32 = 24;
/// One check of a content clock: the time for all its reads together.
pub const CLOCK_READ_BUDGET: Duration = Duration::from_secs(10);
/// `GET /api/census/records`: the default and the maximum number of records on a page, and the
/// maximum number of lines when served line by line.
pub const CENSUS_PAGE_DEFAULT: usize = 100;
pub const CENSUS_PAGE_MAX: usize = 1_000;
pub const CENSUS_LINES_MAX: usize = 10_000;
