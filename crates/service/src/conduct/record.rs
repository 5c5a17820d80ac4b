//! The signed records: of all days, and of one day.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use contract::records::{ConductRecord, Purpose, SiteChecks};
use contract::{Day, Timestamp};
use judge::conduct::{AgentCounts, AgentFacts, CountedAgent, RecordInputs, build_record};
use proof::{KeyPurpose, ProofError, SignedDocument};
use store::StoreError;

use super::Conduct;
use crate::log::daily_seals::{DayCounts, conduct_day_record};

/// A record is served for so long before it is made again.
const RECORD_LIFE_MS: i64 = 60_000;
/// `site_checks_14d`: today and the days before.
const CHECK_DAYS: i64 = 14;
const PAGE: usize = 256;

#[derive(Debug, thiserror::Error)]
pub enum ConductError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the record could not be signed: {0}")]
    Signing(#[from] ProofError),
}

/// The record, as values and signed.
#[derive(Debug)]
pub struct ConductAnswer {
    pub record: ConductRecord,
    pub document: SignedDocument,
    /// The last day that is over and has a record of its own.
    pub last_day: Option<Day>,
    made_at: Timestamp,
    keys_version: u64,
}

/// The sums over the days before today. They change once a day.
#[derive(Debug)]
pub(super) struct PastDays {
    today: Day,
    last_day: Option<Day>,
    sums: Sums,
}

#[derive(Debug, Default, Clone)]
struct Sums {
    since: Option<Timestamp>,
    agents: BTreeMap<String, (AgentCounts, SiteChecks)>,
}

impl Sums {
    fn add(&mut self, since: Timestamp, counts: DayCounts, with_checks: bool) {
        self.since = Some(self.since.map_or(since, |first| first.min(since)));
        for (agent, day) in counts.agents {
            let (requests, checks) = self.agents.entry(agent).or_default();
            requests.merge(&day.requests);
            if with_checks {
                checks.checked = checks.checked.saturating_add(day.checks.checked);
                checks.verified = checks.verified.saturating_add(day.checks.verified);
                checks.spoofed = checks.spoofed.saturating_add(day.checks.spoofed);
            }
        }
    }
}

impl Conduct {
    /// The record of everything that is stored, at most a minute old.
    pub async fn record(&self) -> Result<Arc<ConductAnswer>, ConductError> {
        if let Some(answer) = self.kept_answer().filter(|answer| self.is_current(answer)) {
            return Ok(answer);
        }
        let servable = |kept: &Arc<ConductAnswer>| kept.keys_version == self.keys.version();
        let mut past = match (self.building.try_lock(), self.kept_answer().filter(servable)) {
            (Ok(past), _) => past,
            // Somebody is making it again: nobody else waits for a slow store.
            (Err(_), Some(kept)) => return Ok(kept),
            (Err(_), None) => self.building.lock().await,
        };
        let kept = self.kept_answer();
        if let Some(answer) = kept.as_ref().filter(|answer| self.is_current(answer)) {
            return Ok(Arc::clone(answer));
        }
        match self.build(&mut past).await {
            Ok(answer) => {
                let answer = Arc::new(answer);
                *self.answer.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Arc::clone(&answer));
                Ok(answer)
            }
            // Older, and still true. Nothing of a compromised key is served.
            Err(ConductError::Store(error)) => match kept {
                Some(kept) if servable(&kept) => {
                    tracing::warn!(%error, "the record of conduct could not be made again");
                    Ok(kept)
                }
                _ => Err(error.into()),
            },
            Err(error) => Err(error),
        }
    }

    /// The signed record of a day that is over; `None` if nothing was counted on it, or it is not over.
    pub async fn day_record(&self, day: Day) -> Result<Option<SignedDocument>, ConductError> {
        if day >= Day::of(self.clock.now()) {
            return Ok(None);
        }
        // Only what is missing is written: a request must not make the store write whenever it likes.
        let is_unwritten = self.lock_live().unwritten_days().contains(&day);
        if is_unwritten {
            self.write_counts().await?;
        }
        let Some(stored) = self.store.conduct_day(day).await? else { return Ok(None) };
        let record = conduct_day_record(&self.issuer, &stored)?;
        Ok(Some(self.keys.sign_document(&record, KeyPurpose::Documents)?))
    }

    fn kept_answer(&self) -> Option<Arc<ConductAnswer>> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_current(&self, answer: &ConductAnswer) -> bool {
        let age = self.clock.now().as_millis().saturating_sub(answer.made_at.as_millis());
        (0..RECORD_LIFE_MS).contains(&age) && answer.keys_version == self.keys.version()
    }

    async fn build(&self, past: &mut Option<PastDays>) -> Result<ConductAnswer, ConductError> {
        self.write_counts().await?;
        let (now, keys_version) = (self.clock.now(), self.keys.version());
        let today = Day::of(now);
        if past.as_ref().is_none_or(|past| past.today != today) {
            *past = Some(self.sum_past_days(today).await?);
        }
        let last_day = past.as_ref().and_then(|past| past.last_day);
        let mut sums = past.as_ref().map(|past| past.sums.clone()).unwrap_or_default();
        if let Some(stored) = self.store.conduct_day(today).await? {
            sums.add(stored.since, DayCounts::parse(&stored)?, true);
        }
        let record = self.make_record(sums, now);
        let document = self.keys.sign_document(&record, KeyPurpose::Documents)?;
        Ok(ConductAnswer { record, document, last_day, made_at: now, keys_version })
    }

    async fn sum_past_days(&self, today: Day) -> Result<PastDays, StoreError> {
        let (mut sums, mut after) = (Sums::default(), None);
        loop {
            let page = self.store.list_conduct_days(after, PAGE).await?;
            let Some(last) = page.last() else { break };
            let has_more = *last < today;
            after = Some(*last);
            for day in page.into_iter().filter(|day| *day < today) {
                let read = match self.store.conduct_day(day).await {
                    Ok(Some(stored)) => {
                        DayCounts::parse(&stored).map(|counts| Some((stored, counts)))
                    }
                    Ok(None) => Ok(None),
                    Err(error) => Err(error),
                };
                match read {
                    Ok(Some((stored, counts))) => {
                        let is_recent = day.number() > today.number() - CHECK_DAYS;
                        sums.add(stored.since, counts, is_recent);
                    }
                    Ok(None) => {}
                    // A damaged day is missing in the sums, and must not hide the others.
                    Err(error @ StoreError::Damaged { .. }) => {
                        tracing::error!(%error, "a damaged day is left out of the conduct record");
                    }
                    Err(error) => return Err(error),
                }
            }
            if !has_more {
                break;
            }
        }
        let last_day = after.filter(|last| *last < today);
        Ok(PastDays { today, last_day, sums })
    }

    fn make_record(&self, sums: Sums, now: Timestamp) -> ConductRecord {
        let measured_since = sums.since.unwrap_or(self.started_at);
        let checker = self.visitors.checker();
        let known: BTreeMap<&str, &agents::KnownAgent> =
            self.agents.agents().iter().map(|agent| (agent.name.as_str(), agent)).collect();
        let agents = sums.agents.into_iter().map(|(name, (counts, site_checks))| CountedAgent {
            facts: match known.get(name.as_str()) {
                Some(agent) => AgentFacts::by_addresses_and_names(&checker, agent),
                None => unknown_agent(name),
            },
            counts,
            site_checks,
        });
        let rules = self.site_rules.get();
        let inputs = RecordInputs {
            kind: self.issuer.brand.kind("conduct"),
            generated_at: now.whole_seconds(),
            population: self.population(measured_since),
            disallowed_rules: rules.map(|rules| rules.patterns.clone()).unwrap_or_default(),
            has_robots_txt: rules.is_some(),
            measured_since,
        };
        build_record(inputs, agents.collect())
    }

    fn population(&self, since: Timestamp) -> String {
        let site = self.issuer.base_url.split_once("://").map_or("", |(_, host)| host);
        format!(
            "Requests to {site} since {} whose user agent names one of the {} agents that we know. A request is \
             verified if it came from an address that the agent's operator publishes for it, or that has a DNS name \
             which the operator documents. Signatures are not checked. Requests that could not be checked count as \
             neither verified nor forged. Our own requests to this site are not counted.",
            since.whole_seconds(),
            self.agents.agents().len()
        )
    }
}

/// The catalogue had it when it was counted.
fn unknown_agent(agent: String) -> AgentFacts {
    AgentFacts {
        why_unverifiable: Some(format!("{agent} is no longer in our catalogue of agents.")),
        agent,
        operator: "unknown".to_owned(),
        purpose: Purpose::Other,
        user_triggered: false,
    }
}
