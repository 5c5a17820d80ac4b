//! robots.txt as it was served, and what that comes to.

use contract::evidence::{Evidence, FailureKind, Outcome, Reading, Target};
use contract::records::RobotsState;
use declared::robots::Robots;

use crate::Bodies;

pub(super) struct RobotsFile<'a> {
    pub(super) state: RobotsState,
    /// What the state rests on.
    pub(super) why: String,
    pub(super) reading: Option<&'a Reading>,
    /// The rules, when it is a policy.
    pub(super) robots: Option<Robots>,
}

impl<'a> RobotsFile<'a> {
    pub(super) fn of(evidence: &'a Evidence, bodies: &dyn Bodies) -> Self {
        let reading = evidence.reads.iter().rfind(|reading| reading.target == Target::Robots);
        let without = |state, why: &str| Self { state, why: why.to_owned(), reading, robots: None };
        let Some(read) = reading else {
            return without(RobotsState::NotRead, "robots.txt was not asked for.");
        };
        let response = match &read.exchange.outcome {
            Outcome::Response(response) => response,
            Outcome::Failed(failure) if failure.kind == FailureKind::RefusedByPolicy => {
                return without(RobotsState::NotRead, &failure.detail);
            }
            Outcome::Failed(failure) => {
                return without(RobotsState::Unreachable, &failure.detail);
            }
        };
        match response.status {
            200..=299 => {
                let Some(body) = bodies.body(&response.body.sha256) else {
                    return without(RobotsState::NotRead, "The body is no longer kept.");
                };
                if declared::shape::looks_like_html(body) {
                    return without(
                        RobotsState::NotAPolicy,
                        "What is at robots.txt is an HTML page, which sets no rules.",
                    );
                }
                if is_utf16(body) {
                    return without(
                        RobotsState::NotAPolicy,
                        "robots.txt is written in UTF-16, which crawlers cannot read: it must be UTF-8.",
                    );
                }
                Self {
                    state: RobotsState::Declared,
                    why: "It was served and read.".to_owned(),
                    reading,
                    robots: Some(Robots::parse(body)),
                }
            }
            404 | 410 => without(
                RobotsState::Absent,
                "There is no robots.txt; a crawler may then read everything (RFC 9309, 2.3.1.3).",
            ),
            429 => without(
                RobotsState::Unreachable,
                "robots.txt was answered with 429: unread for now, neither an allow nor an absence.",
            ),
            400..=499 => without(
                RobotsState::Refused,
                &format!(
                    "robots.txt was answered with {}. Formally that forbids nothing (RFC 9309, 2.3.1.3); in \
                     practice a wall stands before it.",
                    response.status
                ),
            ),
            500..=599 => without(
                RobotsState::Unreachable,
                &format!(
                    "robots.txt was answered with {}: a crawler must take the whole site as forbidden (RFC \
                     9309, 2.3.1.4).",
                    response.status
                ),
            ),
            other => without(
                RobotsState::NotAPolicy,
                &format!(
                    "robots.txt was answered with {other}, which is neither the file nor its absence."
                ),
            ),
        }
    }

    /// Whether robots.txt is definite about who may read: it was read, or there is none.
    pub(super) fn is_definite(&self) -> bool {
        matches!(self.state, RobotsState::Declared | RobotsState::Absent)
    }
}

fn is_utf16(body: &[u8]) -> bool {
    body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff")
}
