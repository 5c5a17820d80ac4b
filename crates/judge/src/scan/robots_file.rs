//! robots.txt as it was served, parsed, with its state.

use contract::evidence::{Evidence, ExchangeOutcome, FailureKind, ReadTarget, Reading};
use contract::records::RobotsState;
use declared::robots::Robots;

use crate::bodies::Bodies;

pub(super) struct RobotsFile<'a> {
    pub(super) state: RobotsState,
    /// The reason for the state.
    pub(super) why: String,
    pub(super) reading: Option<&'a Reading>,
    /// The parsed rules, if the file is a valid policy.
    pub(super) rules: Option<Robots>,
}

impl<'a> RobotsFile<'a> {
    pub(super) fn from_evidence(evidence: &'a Evidence, bodies: &dyn Bodies) -> Self {
        let reading = evidence.reads.iter().rfind(|reading| reading.target == ReadTarget::Robots);
        let without = |state, why: &str| Self { state, why: why.to_owned(), reading, rules: None };
        let Some(read) = reading else {
            return without(RobotsState::NotRead, "robots.txt was not requested.");
        };
        let response = match &read.exchange.outcome {
            ExchangeOutcome::Response(response) => response,
            ExchangeOutcome::Failed(failure) if failure.kind == FailureKind::RefusedByPolicy => {
                return without(RobotsState::NotRead, &failure.detail);
            }
            ExchangeOutcome::Failed(failure)
                if matches!(failure.reason.as_str(), "redirect_loop" | "too_many_redirects") =>
            {
                return without(
                    RobotsState::NotAPolicy,
                    "robots.txt redirects in a circle or more than five times. Crawlers may then treat it as missing \
                     (RFC 9309, 2.3.1.2), so it sets no rules.",
                );
            }
            ExchangeOutcome::Failed(failure) => {
                return without(RobotsState::Unreachable, &failure.detail);
            }
        };
        match response.status {
            200..=299 => {
                let Some(body) = bodies.body(&response.body.sha256) else {
                    return without(
                        RobotsState::NotRead,
                        "The body of robots.txt is no longer stored.",
                    );
                };
                if declared::sniff::looks_like_html(body) {
                    return without(
                        RobotsState::NotAPolicy,
                        "robots.txt is an HTML page, so it sets no rules.",
                    );
                }
                if is_utf16(body) {
                    return without(
                        RobotsState::NotAPolicy,
                        "robots.txt is encoded in UTF-16. Crawlers cannot read it; it must be UTF-8.",
                    );
                }
                Self {
                    state: RobotsState::Declared,
                    why: "robots.txt was served and read.".to_owned(),
                    reading,
                    rules: Some(Robots::parse_received(body, response.body.cut.is_some())),
                }
            }
            404 | 410 => without(
                RobotsState::Absent,
                "There is no robots.txt, so crawlers may read everything (RFC 9309, 2.3.1.3).",
            ),
            429 => without(
                RobotsState::Unreachable,
                "robots.txt was answered with 429 (too many requests), so its rules are unknown for now.",
            ),
            400..=499 => without(
                RobotsState::Refused,
                &format!(
                    "robots.txt was answered with {}. By RFC 9309 (2.3.1.3) this forbids nothing, but in practice the \
                     server blocks access to the file.",
                    response.status
                ),
            ),
            500..=599 => without(
                RobotsState::Unreachable,
                &format!(
                    "robots.txt was answered with {}. Crawlers must then treat the whole site as disallowed (RFC \
                     9309, 2.3.1.4).",
                    response.status
                ),
            ),
            other => without(
                RobotsState::NotAPolicy,
                &format!(
                    "robots.txt was answered with {other}, which means neither that the file exists nor that it is missing."
                ),
            ),
        }
    }

    /// Whether the access rules are known: the file was read, or there is none.
    pub(super) fn is_definite(&self) -> bool {
        matches!(self.state, RobotsState::Declared | RobotsState::Absent)
    }
}

fn is_utf16(body: &[u8]) -> bool {
    body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff")
}
