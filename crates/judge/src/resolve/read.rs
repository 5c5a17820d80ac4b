//! One reading of a domain, as the sections of an answer are made from it.

use contract::evidence::{Evidence, Exchange, Failure, FailureKind, Outcome, Reading, Target};
use contract::records::{Check, ScanRecord};
use contract::{Brand, Timestamp};

use crate::Bodies;

/// A reading that was judged.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "holds a view of bodies")]
pub struct Read<'a> {
    pub evidence: &'a Evidence,
    pub bodies: &'a dyn Bodies,
    pub record: &'a ScanRecord,
    pub how: How,
}

/// How a reading came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Just in time, within a budget for all reads together.
    Live { budget_ms: u32 },
    /// A full scan that is kept.
    Scan,
    /// A full scan for a ranked list.
    Census { run: u64, rank: u64 },
}

/// Where we are, for the addresses in an answer.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    pub brand: &'a Brand,
    /// Without a trailing slash.
    pub base_url: &'a str,
}

impl Place<'_> {
    pub(super) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    pub(super) fn of_domain(&self, path: &str, domain: &contract::Domain) -> String {
        format!("{}{path}?domain={domain}", self.base_url)
    }

    pub(super) fn directory(&self) -> String {
        self.address("/.well-known/crawlcheck-observers.json")
    }
}

impl<'a> Read<'a> {
    /// When it began: the time everything in it is told by.
    pub(super) fn observed_at(&self) -> Timestamp {
        self.evidence.started_at.whole_seconds()
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.how, How::Live { .. })
    }

    pub(super) fn reads(&self, target: Target) -> impl Iterator<Item = &'a Reading> + use<'a> {
        self.evidence.reads.iter().filter(move |reading| reading.target == target)
    }

    pub(super) fn reading(&self, id: &str) -> Option<&'a Reading> {
        self.evidence.reads.iter().find(|reading| reading.id == id)
    }

    /// The home page as the browser was given it, or as anybody was.
    pub(super) fn home(&self) -> Option<&'a Reading> {
        let answered = |reading: &&Reading| reading.exchange.response().is_some();
        let browser = self.record.agentview.rows.iter().find_map(|row| row.reading.as_deref());
        browser
            .and_then(|id| self.reading(id))
            .filter(answered)
            .or_else(|| self.reads(Target::Home).find(answered))
    }

    pub(super) fn check(&self, path: &str) -> Option<&'a Check> {
        self.record.checks.iter().find(|check| check.path == path)
    }

    pub(super) fn at(&self, reading: Option<&Reading>) -> Timestamp {
        let then = reading.map(|reading| reading.exchange.started_at);
        then.unwrap_or(self.evidence.started_at).whole_seconds()
    }

    /// Why nothing came of these reads, in a sentence.
    pub(super) fn why_not(&self, target: Target) -> String {
        let failure = self.reads(target.clone()).find_map(|r| failure(&r.exchange));
        if let Some(failure) = failure {
            return failure.detail.clone();
        }
        let left_out = self.evidence.not_read.iter().find(|unread| unread.target == target);
        match left_out.map(|unread| unread.why.as_str()) {
            Some("opt_out") => "The site asks us to stay away, so it was not read.",
            Some("no_address") => "The name has no address that we may ask, so it was not read.",
            Some("deadline") => "The time of this reading was over before it was read.",
            _ => "It was not read.",
        }
        .to_owned()
    }

    /// What the time of the reading cut off. Of these nothing is said, least of all that they are
    /// absent.
    #[must_use]
    pub fn cut_off(&self) -> Vec<String> {
        let mut cut: Vec<String> = Vec::new();
        let mut put = |name: String| {
            if !cut.contains(&name) {
                cut.push(name);
            }
        };
        let asked = self.evidence.dns.iter().filter(|reading| {
            reading.name.trim_end_matches('.') == self.evidence.host
                && reading.answers.iter().all(|answer| answer.rcode.is_none())
        });
        asked.for_each(|_| put("dns".to_owned()));
        for reading in &self.evidence.reads {
            if is_cut(&reading.exchange) {
                put(named(&reading.target, &reading.path, &reading.identity));
            }
        }
        for unread in self.evidence.not_read.iter().filter(|u| u.why.as_str() == "deadline") {
            // The browser asks for its page twice; with one of the two, the page was read.
            let read = self.reads(unread.target.clone()).any(|reading| {
                reading.identity == unread.identity
                    && reading.path == unread.path
                    && !is_cut(&reading.exchange)
            });
            if !read {
                put(named(&unread.target, &unread.path, &unread.identity));
            }
        }
        cut
    }
}

/// A read that time ended, before the head or in the body. The limits of each step come from the
/// budget, so whichever of them struck, it was the budget.
fn is_cut(exchange: &Exchange) -> bool {
    let is_time = |failure: &Failure| failure.kind == FailureKind::Timeout;
    match &exchange.outcome {
        Outcome::Failed(failure) => is_time(failure),
        Outcome::Response(response) => response.body.cut.as_ref().is_some_and(is_time),
    }
}

pub(super) fn failure(exchange: &Exchange) -> Option<&Failure> {
    match &exchange.outcome {
        Outcome::Failed(failure) => Some(failure),
        Outcome::Response(_) => None,
    }
}

/// What a read belongs to, by the section that shows it.
fn named(target: &Target, path: &str, identity: &str) -> String {
    match target {
        Target::Home => format!("delivery.{identity}"),
        Target::Robots => "crawl_policy".to_owned(),
        Target::MachineFile => format!("machine_files{path}"),
        Target::ControlPath => "machine_files.control".to_owned(),
        other => other.as_str().to_owned(),
    }
}
