//! The pages of `/manage`: the form to sign in, the account, and a new key.

use askama::Template;
use contract::{Domain, Timestamp};
use service::{
    Licence, LicenceScan, LicensedDomains, QuotaState, Session, StoredKey, Visibility,
    access::{
        account::{SCANS_PER_PAGE, UsageReport, key_id},
        plans::Plan,
        sessions::{IDLE_HOURS, LONGEST_HOURS, session_id},
    },
};

use super::{dates, status::Status};

/// Everything that the page of an account shows.
#[derive(Debug)]
pub(crate) struct AccountParts {
    pub(crate) licence: Licence,
    pub(crate) plan: Plan,
    pub(crate) quota: QuotaState,
    /// Of the current month.
    pub(crate) usage: UsageReport,
    pub(crate) keys: Vec<StoredKey>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) scans: Vec<LicenceScan>,
    /// The secret of the forms of this session.
    pub(crate) form_secret: String,
    /// What names this session.
    pub(crate) session_id: String,
    pub(crate) now: Timestamp,
    pub(crate) key_header: String,
    pub(crate) base_url: String,
}

#[derive(Template)]
#[template(path = "manage_sign_in.html")]
struct SignInPage<'a> {
    problem: Option<&'a str>,
    idle_hours: i64,
    longest_days: i64,
}

#[derive(Template)]
#[template(path = "manage_new_key.html")]
struct NewKeyPage<'a> {
    key: &'a str,
    others_end: String,
    ended_at_once: bool,
}

#[derive(Template)]
#[template(path = "manage.html")]
struct AccountPage<'a> {
    account: &'a AccountParts,
    problem: Option<&'a str>,
    domains: String,
    ends: Option<String>,
    remaining: u64,
    resets: String,
    /// What the meter shows: never more than the quota.
    meter: u64,
    bars: Vec<Bar>,
    chart_width: i64,
    /// The most calls of a day.
    most: u64,
    operations: Vec<OperationBar>,
    usage_command: String,
    scans: Vec<ScanLine>,
    max_scans: usize,
    keys: Vec<KeyLine>,
    sessions: Vec<SessionLine>,
}

/// One day of the chart.
struct Bar {
    x: i64,
    y: u64,
    height: u64,
    day: String,
    calls: u64,
}

/// The calls of one operation.
struct OperationBar {
    name: String,
    calls: u64,
    /// Of 100; the most used one has all of it.
    width: u64,
}

struct ScanLine {
    id: String,
    domain: Domain,
    scanned_at: String,
    grade: String,
    visibility: &'static str,
}

struct KeyLine {
    id: String,
    prefix: String,
    created_at: String,
    state: Status,
    is_revocable: bool,
}

struct SessionLine {
    id: String,
    client: String,
    since: String,
    last_used: String,
    is_this: bool,
}

/// The form to sign in, with the error of the last attempt.
pub(crate) fn render_sign_in(problem: Option<&str>) -> String {
    let longest_days = LONGEST_HOURS / 24;
    super::render(&SignInPage { problem, idle_hours: IDLE_HOURS, longest_days })
}

/// A key that is shown once.
pub(crate) fn render_new_key(key: &str, others_end_at: Timestamp, ended_at_once: bool) -> String {
    let others_end = dates::minute(others_end_at);
    super::render(&NewKeyPage { key, others_end, ended_at_once })
}

/// The account, with the error of the last attempt to change it.
pub(crate) fn render_account(account: &AccountParts, problem: Option<&str>) -> String {
    let (bars, chart_width, most) = bars(&account.usage);
    super::render(&AccountPage {
        problem,
        domains: describe_domains(&account.licence.domains),
        ends: account.licence.expires_at.map(dates::minute),
        remaining: account.quota.remaining().unwrap_or(0),
        resets: dates::minute(account.quota.resets_at),
        meter: account.quota.used.min(account.quota.limit.unwrap_or(0)),
        bars,
        chart_width,
        most,
        operations: operation_bars(&account.usage),
        usage_command: format!(
            "curl {}/api/v1/usage -H '{}: YOUR-KEY'",
            account.base_url, account.key_header
        ),
        scans: account.scans.iter().map(scan_line).collect(),
        max_scans: SCANS_PER_PAGE,
        keys: account.keys.iter().rev().map(|key| key_line(key, account)).collect(),
        sessions: account
            .sessions
            .iter()
            .map(|session| SessionLine {
                id: session_id(session),
                client: session.client.clone(),
                since: dates::minute(session.created_at),
                last_used: dates::minute(session.last_seen_at),
                is_this: session_id(session) == account.session_id,
            })
            .collect(),
        account,
    })
}

/// The height of the chart, in its own units.
const CHART_HEIGHT: u64 = 100;
/// The place of one day in the chart.
const DAY_WIDTH: i64 = 20;

/// A bar for each day with calls, the width of the chart, and the most calls of a day.
fn bars(usage: &UsageReport) -> (Vec<Bar>, i64, u64) {
    let mut days = std::collections::BTreeMap::new();
    for row in &usage.rows {
        let calls: &mut u64 = days.entry(row.day).or_default();
        *calls = calls.saturating_add(row.calls);
    }
    let most = days.values().copied().max().unwrap_or(0);
    let first = usage.first.number();
    let bar = |(day, calls): (contract::Day, u64)| {
        // A day with calls is never invisible.
        let height = (calls.saturating_mul(CHART_HEIGHT) / most.max(1)).clamp(2, CHART_HEIGHT);
        let x = (day.number() - first) * DAY_WIDTH + 3;
        Bar { x, y: CHART_HEIGHT - height, height, day: day.to_string(), calls }
    };
    let width = (usage.last.number() - first + 1).max(28) * DAY_WIDTH;
    (days.into_iter().map(bar).collect(), width, most)
}

fn operation_bars(usage: &UsageReport) -> Vec<OperationBar> {
    let operations = usage.by_operation();
    let most = operations.first().map_or(1, |(_, calls)| (*calls).max(1));
    let bar = |(name, calls): (String, u64)| {
        // An operation with calls is never invisible.
        let width = (calls.saturating_mul(100) / most).clamp(1, 100);
        OperationBar { name, calls, width }
    };
    operations.into_iter().map(bar).collect()
}

fn scan_line(scan: &LicenceScan) -> ScanLine {
    ScanLine {
        id: scan.scan.id.clone(),
        domain: scan.scan.domain.clone(),
        scanned_at: dates::minute(scan.scan.scanned_at),
        grade: scan.scan.grade.clone().unwrap_or_else(|| "none".to_owned()),
        visibility: match scan.scan.visibility {
            Visibility::Public => "Everybody",
            Visibility::Unlisted => "Whoever has the link",
            Visibility::Private => "Only this licence",
        },
    }
}

fn key_line(key: &StoredKey, account: &AccountParts) -> KeyLine {
    let is_valid = key.is_valid(account.now);
    let others = account.keys.iter().filter(|other| other.key_sha256 != key.key_sha256);
    let has_others = others.into_iter().any(|other| other.is_valid(account.now));
    let state = match (is_valid, key.revoked_at, key.expires_at) {
        (false, Some(at), _) => Status::off(format!("Revoked on {}", dates::minute(at))),
        (false, None, Some(at)) => Status::off(format!("Ended on {}", dates::minute(at))),
        (true, _, Some(at)) => Status::warn(format!("Ends on {}", dates::minute(at))),
        _ => Status::ok("In use"),
    };
    KeyLine {
        id: key_id(key),
        prefix: if key.prefix.is_empty() { "an older key".to_owned() } else { key.prefix.clone() },
        created_at: dates::minute(key.created_at),
        state,
        is_revocable: is_valid && has_others,
    }
}

fn describe_domains(domains: &LicensedDomains) -> String {
    const SHOWN: usize = 5;
    match domains {
        LicensedDomains::All => "every domain".to_owned(),
        LicensedDomains::Only(domains) if domains.is_empty() => "no domain".to_owned(),
        LicensedDomains::Only(domains) => {
            let names: Vec<&str> = domains.iter().take(SHOWN).map(Domain::as_str).collect();
            match domains.len().saturating_sub(SHOWN) {
                0 => names.join(", "),
                more => format!("{} and {more} more", names.join(", ")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::{Brand, Day};
    use service::access::plans::Plans;

    use super::*;

    fn row(day: i64, calls: u64) -> store::UsageRow {
        let day = Day::from_number(day);
        store::UsageRow { licence_id: "l".into(), day, operation: "GET /<b>".into(), calls }
    }

    fn account() -> AccountParts {
        let at = Timestamp::from_rfc3339("2026-11-17T10:00:00Z").unwrap();
        let licence = Licence {
            id: "abc".into(),
            plan: "standard".into(),
            domains: LicensedDomains::All,
            label: Some("<i>secret label</i>".into()),
            mailbox: None,
            created_at: at,
            expires_at: None,
            revoked_at: None,
            last_used: None,
        };
        let key = |name: &str, expires_at| StoredKey {
            key_sha256: proof::sha256(name.as_bytes()),
            licence_id: "abc".into(),
            prefix: name.into(),
            created_at: at,
            expires_at,
            revoked_at: None,
        };
        let session = Session {
            token_sha256: proof::sha256(b"token"),
            licence_id: "abc".into(),
            key_sha256: proof::sha256(b"wl_one"),
            created_at: at,
            last_seen_at: at,
            idle_until: at.plus_millis(1),
            expires_at: at.plus_millis(1),
            client: "<script>x</script>".into(),
        };
        AccountParts {
            plan: Plans::default().of_licence(&licence),
            licence,
            quota: QuotaState { limit: Some(10), used: 12, resets_at: at, resets_in_s: 1 },
            usage: UsageReport {
                first: Day::from_number(20_000),
                last: Day::from_number(20_009),
                rows: vec![row(20_000, 1), row(20_009, 1_000), row(20_009, 1_000)],
            },
            keys: vec![key("wl_one", Some(at.plus_millis(5))), key("wl_two", None)],
            session_id: session_id(&session),
            sessions: vec![session],
            scans: Vec::new(),
            form_secret: "f0rm".into(),
            now: at,
            key_header: Brand::default().key_header(),
            base_url: "https://svc.example".into(),
        }
    }

    #[test]
    fn what_others_wrote_comes_back_as_text_and_every_form_has_the_secret() {
        let page = render_account(&account(), Some("<i>No.</i>"));
        for bad in ["<script>x", "<i>", "GET /<b>", "style="] {
            assert!(!page.contains(bad), "{bad}");
        }
        let (forms, secrets) =
            (page.matches("method=\"post\"").count(), page.matches("f0rm").count());
        assert_eq!(forms, secrets);
        assert!(page.contains("(this one)") && page.contains("Revoke wl_one"));
        assert!(!page.contains("secret label"), "the label is the operator's own note");
    }

    #[test]
    fn every_day_with_calls_has_a_bar_within_the_chart() {
        let (bars, width, most) = bars(&account().usage);
        assert_eq!((most, width), (2_000, 28 * DAY_WIDTH));
        let places: Vec<_> = bars.iter().map(|bar| (bar.x, bar.y, bar.height)).collect();
        assert_eq!(places, [(3, 98, 2), (183, 0, 100)]);
        let operations = operation_bars(&account().usage);
        assert_eq!(
            operations.iter().map(|bar| (bar.calls, bar.width)).collect::<Vec<_>>(),
            [(2_001, 100)]
        );
    }
}
