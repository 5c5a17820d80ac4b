//! One judged reading of a domain: what the sections of an answer are built from.

use contract::evidence::{
    Evidence, Exchange, ExchangeOutcome, Failure, FailureKind, ReadTarget, Reading, SkipReason,
    SkippedRead,
};
use contract::records::{Check, ScanRecord};
use contract::{Issuer, Timestamp};

use crate::Bodies;

/// A reading with its evidence and the record that judging it gave.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "holds a view of bodies")]
pub struct JudgedReading<'a> {
    pub evidence: &'a Evidence,
    pub bodies: &'a dyn Bodies,
    pub record: &'a ScanRecord,
    pub kind: ReadingKind,
}

/// What kind of reading it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingKind {
    /// A live reading for one request, with one time budget for all reads.
    Live { budget_ms: u32 },
    /// A full scan that is stored.
    Scan,
    /// A full scan that is part of a census of a ranked list.
    Census { run: u64, rank: u64 },
}

/// Where the directory of our observers is served.
pub(super) fn observer_directory_url(issuer: &Issuer) -> String {
    issuer.url("/.well-known/crawlcheck-observers.json")
}

impl<'a> JudgedReading<'a> {
    /// When the reading started: the time that its sections carry.
    pub(super) fn observed_at(&self) -> Timestamp {
        self.evidence.started_at.whole_seconds()
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.kind, ReadingKind::Live { .. })
    }

    pub(super) fn reads(&self, target: ReadTarget) -> impl Iterator<Item = &'a Reading> + use<'a> {
        self.evidence.reads.iter().filter(move |reading| reading.target == target)
    }

    pub(super) fn reading(&self, id: &str) -> Option<&'a Reading> {
        self.evidence.reads.iter().find(|reading| reading.id == id)
    }

    /// The response for the home page to the browser identity, else to any identity.
    pub(super) fn home(&self) -> Option<&'a Reading> {
        let answered = |reading: &&Reading| reading.exchange.response().is_some();
        let browser = self.record.agentview.rows.iter().find_map(|row| row.reading.as_deref());
        browser
            .and_then(|id| self.reading(id))
            .filter(answered)
            .or_else(|| self.reads(ReadTarget::Home).find(answered))
    }

    pub(super) fn check(&self, path: &str) -> Option<&'a Check> {
        self.record.checks.iter().find(|check| check.path == path)
    }

    pub(super) fn time_of(&self, reading: Option<&Reading>) -> Timestamp {
        let then = reading.map(|reading| reading.exchange.started_at);
        then.unwrap_or(self.evidence.started_at).whole_seconds()
    }

    /// Why these reads gave no result, in one sentence.
    pub(super) fn why_not(&self, target: ReadTarget) -> String {
        let failure = self.reads(target.clone()).find_map(|r| failure(&r.exchange));
        if let Some(failure) = failure {
            return failure.detail.clone();
        }
        let left_out = self.evidence.not_read.iter().find(|unread| unread.target == target);
        match left_out.map(|unread| unread.why.as_str()) {
            Some("opt_out") => "Not read: the site's robots.txt asks this service not to read it.",
            Some("no_address") => {
                "Not read: the domain has no address that this service may connect to."
            }
            Some("target_limit") => {
                "Not read: this service was reading as much of this address as it may."
            }
            Some("deadline") => "Not read: the time budget of this reading ran out.",
            _ => "Not read.",
        }
        .to_owned()
    }

    /// What was not read because the time budget ran out, or because the address was read as much as
    /// this service may. None of it is reported as absent.
    #[must_use]
    pub fn unread_in_budget(&self) -> Vec<String> {
        let mut cut: Vec<String> = Vec::new();
        let mut add = |name: String| {
            if !cut.contains(&name) {
                cut.push(name);
            }
        };
        let unanswered = self.evidence.dns.iter().filter(|reading| {
            reading.name.trim_end_matches('.') == self.evidence.host
                && reading.answers.iter().all(|answer| answer.rcode.is_none())
        });
        unanswered.for_each(|_| add("dns".to_owned()));
        for reading in &self.evidence.reads {
            if is_timed_out(&reading.exchange) {
                add(section_name(&reading.target, &reading.path, &reading.identity));
            }
        }
        let left_out = |unread: &&SkippedRead| {
            matches!(unread.why, SkipReason::Deadline | SkipReason::TargetLimit)
        };
        for unread in self.evidence.not_read.iter().filter(left_out) {
            // The browser identity requests its page twice. One of the two is enough.
            let read = self.reads(unread.target.clone()).any(|reading| {
                reading.identity == unread.identity
                    && reading.path == unread.path
                    && !is_timed_out(&reading.exchange)
            });
            if !read {
                add(section_name(&unread.target, &unread.path, &unread.identity));
            }
        }
        cut
    }
}

/// Whether a read ended in a timeout, before the response head or in the body. The time limit of each
/// step comes from the budget, so every timeout means that the budget ran out.
fn is_timed_out(exchange: &Exchange) -> bool {
    let is_time = |failure: &Failure| failure.kind == FailureKind::Timeout;
    match &exchange.outcome {
        ExchangeOutcome::Failed(failure) => is_time(failure),
        ExchangeOutcome::Response(response) => response.body.cut.as_ref().is_some_and(is_time),
    }
}

pub(super) fn failure(exchange: &Exchange) -> Option<&Failure> {
    match &exchange.outcome {
        ExchangeOutcome::Failed(failure) => Some(failure),
        ExchangeOutcome::Response(_) => None,
    }
}

/// The name of a read in `not_read_in_budget`: the section that shows it.
fn section_name(target: &ReadTarget, path: &str, identity: &str) -> String {
    match target {
        ReadTarget::Home => format!("delivery.{identity}"),
        ReadTarget::Robots => "crawl_policy".to_owned(),
        ReadTarget::MachineFile => format!("machine_files{path}"),
        ReadTarget::ControlPath => "machine_files.control".to_owned(),
        other => other.as_str().to_owned(),
    }
}
