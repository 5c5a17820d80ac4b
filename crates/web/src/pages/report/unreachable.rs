//! The page for a site that did not answer: what went wrong, in words, and what to check.

use askama::Template;
use contract::{evidence::FailureKind, records::ScanRecord, text::record_words::spaced};

#[derive(Template)]
#[template(path = "unreachable.html")]
struct UnreachablePage<'a> {
    record: &'a ScanRecord,
    /// For the button that scans again.
    token: &'a str,
    problem: Problem,
    /// A command to copy.
    command: String,
}

/// What went wrong, and what the reader can check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) title: &'static str,
    pub(super) what: String,
    pub(super) check: &'static str,
}

pub(crate) fn render_unreachable(record: &ScanRecord, base_url: &str, token: &str) -> String {
    let problem = describe(record);
    let command = format!(
        "curl {base_url}/api/scan -H 'content-type: application/json' -d '{{\"domain\":\"{}\"}}'",
        record.domain
    );
    super::super::render(&UnreachablePage { record, token, problem, command })
}

/// The first failure decides: all reads of a scan fail for the same reason if nothing answers.
pub(super) fn describe(record: &ScanRecord) -> Problem {
    let row_failure = record.agentview.rows.iter().find_map(|row| row.error.as_ref());
    if let Some(failure) = row_failure {
        return describe_failure(&failure.reason, &failure.kind, &failure.detail);
    }
    // If robots.txt could not be read, nothing else was tried: `dns: nxdomain` is its reason.
    let why = record.non_observations.first().map_or("", |missed| missed.why.as_str());
    let (kind, reason) = why.split_once(": ").unwrap_or((why, ""));
    let kind = FailureKind::from_word(kind).unwrap_or(FailureKind::Protocol);
    let detail = record.checks.iter().find_map(|check| check.why.as_deref()).unwrap_or_default();
    describe_failure(reason, &kind, detail)
}

fn describe_failure(reason: &str, kind: &FailureKind, detail: &str) -> Problem {
    let unknown = match reason {
        "" => "Our requests got no answer, and no reason was recorded.".to_owned(),
        reason => {
            format!("Our requests got no answer. The recorded reason is: {}.", spaced(reason))
        }
    };
    let detail = if detail.is_empty() { unknown.as_str() } else { detail };
    let problem = |title, what: &str, check| Problem { title, what: what.to_owned(), check };
    match (kind, reason) {
        (_, "nxdomain") => problem(
            "This name does not exist",
            "The DNS says that there is no such name (NXDOMAIN).",
            "Check the spelling. If the domain is new, its DNS records may not be visible everywhere yet.",
        ),
        (_, "no_address") => problem(
            "This name has no address",
            "The name exists, but it has no A or AAAA record, so there is no server to ask.",
            "Check the DNS records of the domain, and whether the site is at another name, such as www.",
        ),
        (_, "connection_refused") => problem(
            "The server refused the connection",
            "There is a machine at this address, but nothing accepts connections on the port of the site.",
            "Check that the web server is running and that no firewall rejects our network.",
        ),
        (_, "dns_timeout") => problem(
            "The name could not be looked up",
            detail,
            "Check the name servers of the domain, and try again in a few minutes.",
        ),
        (FailureKind::Timeout, _) => problem(
            "The server did not answer in time",
            detail,
            "Check whether the site is slow or down, and whether a firewall drops requests from our network without an answer.",
        ),
        (FailureKind::Dns, _) => problem(
            "The name could not be looked up",
            detail,
            "Check the name servers of the domain, and try again in a few minutes.",
        ),
        (FailureKind::Tls, _) => problem(
            "No secure connection was possible",
            detail,
            "Check the certificate and the TLS settings of the server.",
        ),
        (FailureKind::RefusedByPolicy, _) => problem(
            "We do not connect to this address",
            detail,
            "This service reads only public addresses.",
        ),
        _ => problem("The site did not answer", detail, "Try again in a few minutes."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_name_a_refusal_and_a_timeout_are_told_apart() {
        let title = |reason, kind| describe_failure(reason, &kind, "x").title;
        assert_eq!(title("nxdomain", FailureKind::Dns), "This name does not exist");
        assert_eq!(title("no_address", FailureKind::Dns), "This name has no address");
        assert_eq!(title("servfail", FailureKind::Dns), "The name could not be looked up");
        assert_eq!(title("dns_timeout", FailureKind::Timeout), "The name could not be looked up");
        assert_eq!(
            title("connection_refused", FailureKind::Connect),
            "The server refused the connection"
        );
        assert_eq!(
            title("connect_timeout", FailureKind::Timeout),
            "The server did not answer in time"
        );
        assert_eq!(title("handshake", FailureKind::Tls), "No secure connection was possible");
    }

    #[test]
    fn the_same_site_can_be_scanned_again() {
        let record = crate::pages::report::tests::record();
        let page = render_unreachable(&record, "https://svc.example", "1.a");
        assert!(page.contains("name=\"token\" value=\"1.a\""), "{page}");
        assert!(page.contains("name=\"domain\" value=\"shop.lab\""), "{page}");
    }

    /// The page never has an empty box.
    #[test]
    fn an_unknown_reason_has_words() {
        let what = |reason, kind, detail| describe_failure(reason, &kind, detail).what;
        assert_eq!(
            what("", FailureKind::Protocol, ""),
            "Our requests got no answer, and no reason was recorded."
        );
        assert_eq!(
            what("too_slow", FailureKind::Timeout, ""),
            "Our requests got no answer. The recorded reason is: too slow."
        );
        assert_eq!(what("handshake", FailureKind::Tls, "The name differs."), "The name differs.");
        let mut record = crate::pages::report::tests::record();
        record.agentview.rows.clear();
        record.non_observations.clear();
        record.checks.clear();
        assert_eq!(describe(&record).title, "The site did not answer");
        assert!(describe(&record).what.contains("no reason was recorded"));
    }
}
