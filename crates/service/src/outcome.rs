//! What agents report of their own visits: taken, counted, summed up, and sealed by the day.
//!
//! Self-reported and unverified. Nothing that judges or decides is ever given any of it.

use contract::limits::{AGENT_NAME_MAX, OUTCOME_DAYS_MAX, OUTCOME_KEPT_DAYS};
use contract::records::{
    AcceptedOutcome, Decision, OutcomeAccepted, OutcomeAction, OutcomeClass, OutcomeDay,
    OutcomeDayRecord, OutcomeReport, OutcomeResult, OutcomeSummary, RecentOutcome, ResolveSaid,
};
use contract::{Domain, NameRefusal, Ratio};
use proof::{Digest, KeyPurpose, SignedDocument};
use serde::Deserialize;
use store::{Day, Draw, NewOutcome, OutcomeTally, StoreError, Taking};

use crate::allowance::seconds_up;
use crate::{AddressBlock, Service};

/// What is said with every report that is taken.
const NOTE: &str = "Counted as you reported it, unverified and self-reported. Reports never change \
                    a resolve answer; each day's counts are sealed.";

/// A report that was taken, and what is left of the day's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeTaken {
    pub accepted: OutcomeAccepted,
    /// Nothing where there is no such limit.
    pub day: Option<DayLeft>,
}

/// How an allowance of the day stands for one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayLeft {
    pub most: u32,
    pub left: u32,
    pub resets_in_s: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum OutcomeError {
    #[error(transparent)]
    BadDomain(#[from] NameRefusal),
    #[error("{why}")]
    BadReport { param: &'static str, why: String },
    #[error("this address has had its reports of today")]
    DaySpent(DayLeft),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] proof::ProofError),
}

impl Service {
    /// Takes a report of an address, within its allowance of the day.
    pub async fn report_outcome(
        &self,
        report: OutcomeReport,
        block: AddressBlock,
    ) -> Result<OutcomeTaken, OutcomeError> {
        let domain = self.domain(&report.domain)?;
        let class = class_of(&report.result).ok_or_else(|| OutcomeError::BadReport {
            param: "result",
            why: "the report does not say what came of it: give a status, `blocked` or a challenge"
                .to_owned(),
        })?;
        let resolve_said = match (&report.resolve_said, &report.resolve_sha256) {
            (Some(said), digest) => {
                digest.as_deref().map(answer_digest).transpose()?;
                Some(said.clone())
            }
            (None, Some(text)) => {
                self.said_by_answer(answer_digest(text)?, &domain, &report.action).await?
            }
            (None, None) => None,
        };
        let status = report.result.status.filter(|status| *status > 0);
        let disagreement = disagreement(resolve_said.as_ref(), &class, status);
        let now = self.clock.now();
        let (day, most) = (Day::of(now), self.settings.outcomes_per_day);
        let what = self.by_address("outcome reports by address", day, &[], block);
        let outcome = NewOutcome {
            at: now.whole_seconds(),
            action: report.action.as_str().to_owned(),
            outcome: class.as_str().to_owned(),
            agent: report.agent.as_ref().and_then(|agent| agent_name(&agent.name)),
            status,
            resolve_said: resolve_said.as_ref().map(|said| said.as_str().to_owned()),
            disagree: disagreement.is_some(),
            // With the domain in it, so that nobody is followed from one domain to the next.
            reporter: self.by_address("outcome reporters", day, domain.as_str().as_bytes(), block),
            domain: domain.clone(),
        };
        let draws = most.map(|most| Draw { what, most }).into_iter().collect();
        let taking = self.store.put_outcome(outcome, draws).await?;
        let resets_in_s = seconds_up(day.ends_at().millis_since(now));
        let left = match most {
            None => None,
            Some(most) => {
                let taken = self.store.taken(day, what).await?;
                Some(DayLeft { most, left: most.saturating_sub(taken), resets_in_s })
            }
        };
        if let (Taking::Spent { .. }, Some(left)) = (taking, left) {
            return Err(OutcomeError::DaySpent(DayLeft { left: 0, ..left }));
        }
        let accepted = OutcomeAccepted {
            ok: true,
            summary: format!("{}/api/v1/outcomes?domain={domain}", self.settings.base_url),
            accepted: AcceptedOutcome {
                domain,
                action: report.action,
                outcome: class,
                disagreement,
            },
            note: NOTE.to_owned(),
        };
        Ok(OutcomeTaken { accepted, day: left })
    }

    /// The reports about a domain in the last `days` days, today included, counted and signed.
    pub async fn outcome_summary(
        &self,
        domain: &str,
        days: u32,
    ) -> Result<SignedDocument, OutcomeError> {
        let domain = self.domain(domain)?;
        let window_days = days.clamp(1, OUTCOME_DAYS_MAX);
        let today = Day::of(self.clock.now());
        let from = Day::from_number(today.number() - i64::from(window_days) + 1);
        let counts = self.store.outcome_summary(&domain, from, today).await?;
        let total = counts.total();
        let mut by_day = Vec::with_capacity(counts.days.len());
        for (day, tally) in &counts.days {
            let sha256 = (*day < today).then(|| self.outcome_day_digest(&domain, *day, tally));
            by_day.push(OutcomeDay {
                day: day.to_string(),
                n: tally.n,
                ok: tally.ok,
                blocked: tally.blocked,
                challenged: tally.challenged,
                error: tally.error,
                disagree: tally.disagree,
                reporters: tally.reporters,
                sha256: sha256.transpose()?.map(|digest| digest.to_hex()),
            });
        }
        let summary = OutcomeSummary {
            kind: self.settings.brand.kind("agent-outcomes"),
            v: 1,
            domain,
            window_days,
            n: total.n,
            ok: total.ok,
            blocked: total.blocked,
            challenged: total.challenged,
            error: total.error,
            disagree: total.disagree,
            reporters: total.reporters,
            by_action: counts.by_action,
            by_agent: counts.by_agent,
            by_status: counts.by_status.iter().map(|(s, n)| (s.to_string(), *n)).collect(),
            days: by_day,
            recent: counts.recent.into_iter().filter_map(recent).collect(),
            success_rate: Ratio::of(total.ok, total.n),
            sha256: None,
            signature: None,
        };
        Ok(self.sign_document(&summary, KeyPurpose::Documents)?)
    }

    /// What is sealed of a domain's reports of a day.
    pub(crate) fn outcome_day_digest(
        &self,
        domain: &Domain,
        day: Day,
        tally: &OutcomeTally,
    ) -> Result<Digest, proof::ProofError> {
        let record = OutcomeDayRecord {
            kind: self.settings.brand.kind("agent-outcomes-day"),
            v: 1,
            domain: domain.clone(),
            day,
            n: tally.n,
            ok: tally.ok,
            blocked: tally.blocked,
            challenged: tally.challenged,
            error: tally.error,
            disagree: tally.disagree,
            reporters: tally.reporters,
        };
        Ok(Digest::of(&proof::canonical::to_vec(&record)?))
    }

    /// Forgets reports that are past every window, and replies that had their time.
    pub async fn forget_old_reports(&self) {
        let now = self.clock.now();
        let before = Day::from_number(Day::of(now).number() - i64::from(OUTCOME_KEPT_DAYS));
        match self.store.forget_outcomes(before).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "old outcome reports removed"),
            Err(error) => tracing::error!(%error, "old outcome reports could not be removed"),
        }
        if let Err(error) = self.store.forget_replies(now).await {
            tracing::error!(%error, "replies past their time could not be removed");
        }
    }

    /// What the kept answer of this digest says of what the agent did; nothing when we have no such
    /// answer, or it is about another domain.
    async fn said_by_answer(
        &self,
        sha256: Digest,
        domain: &Domain,
        action: &OutcomeAction,
    ) -> Result<Option<ResolveSaid>, OutcomeError> {
        let Some(kept) = self.store.answer(sha256).await? else { return Ok(None) };
        if kept.domain != *domain {
            return Ok(None);
        }
        let read = serde_json::from_slice::<Decided>(&kept.bytes);
        Ok(read.ok().and_then(|decided| said_by(&decided.actions, action)))
    }

    /// A name for an address that only we can make, and only for that day.
    fn by_address(&self, label: &str, day: Day, about: &[u8], block: AddressBlock) -> Digest {
        let day = day.number().to_be_bytes();
        self.secret.mac(label, &[&day, about, block.text().as_bytes()])
    }
}

fn answer_digest(text: &str) -> Result<Digest, OutcomeError> {
    text.parse().map_err(|_| OutcomeError::BadReport {
        param: "resolve_sha256",
        why: "`resolve_sha256` is the digest of an answer: 64 lower-case hex digits".to_owned(),
    })
}

/// What a report is counted as; nothing when it does not say. What the agent says itself goes before
/// what its status suggests.
fn class_of(result: &OutcomeResult) -> Option<OutcomeClass> {
    if result.challenge.as_ref().is_some_and(contract::records::ChallengeSaid::seen) {
        return Some(OutcomeClass::Challenged);
    }
    Some(match (result.blocked, result.status) {
        (Some(true), _) | (None, Some(401 | 402 | 403 | 407 | 429 | 451)) => OutcomeClass::Blocked,
        (_, Some(200..=399)) | (Some(false), None) => OutcomeClass::Ok,
        (_, Some(_)) => OutcomeClass::Error,
        (None, None) => return None,
    })
}

/// What is needed of an answer and no more, so that one of an earlier build is read too.
#[derive(Deserialize)]
struct Decided {
    actions: DecidedActions,
}

#[derive(Deserialize)]
struct DecidedActions {
    read: DecidedAction,
    connect: DecidedAction,
    transact: DecidedAction,
}

#[derive(Deserialize)]
struct DecidedAction {
    decision: Decision,
}

/// What an answer leads an agent to expect of an action, in the words of reports.
fn said_by(actions: &DecidedActions, action: &OutcomeAction) -> Option<ResolveSaid> {
    let decision = match action {
        OutcomeAction::Fetch
        | OutcomeAction::Read
        | OutcomeAction::Crawl
        | OutcomeAction::Search
        | OutcomeAction::Other => &actions.read.decision,
        OutcomeAction::ToolCall => &actions.connect.decision,
        OutcomeAction::Form | OutcomeAction::Checkout | OutcomeAction::Login => {
            &actions.transact.decision
        }
        OutcomeAction::Unrecognised(_) => return None,
    };
    match decision {
        Decision::Allow => Some(ResolveSaid::Open),
        Decision::Warn | Decision::RequireConfirmation => Some(ResolveSaid::Restricted),
        Decision::Block => Some(ResolveSaid::Blocked),
        Decision::Unsupported => Some(ResolveSaid::NotMeasured),
        Decision::Unrecognised(_) => None,
    }
}

/// How answer and experience differ, in words. `restricted` foresees both, `not_measured` nothing,
/// and an error says nothing about who is let in.
fn disagreement(
    said: Option<&ResolveSaid>,
    class: &OutcomeClass,
    status: Option<u16>,
) -> Option<String> {
    let met = match (said?, class) {
        (ResolveSaid::Open, OutcomeClass::Blocked) => "the agent was blocked",
        (ResolveSaid::Open, OutcomeClass::Challenged) => "the agent met a challenge",
        (ResolveSaid::Blocked, OutcomeClass::Ok) => "the agent was served",
        _ => return None,
    };
    let status = status.map(|status| format!(" (status {status})")).unwrap_or_default();
    Some(format!("The resolve answer said {}; {met}{status}.", said?.as_str()))
}

/// The name an agent gave itself: one line of visible text, cut to its bound.
fn agent_name(given: &str) -> Option<String> {
    let mut name = String::new();
    let mut length = 0;
    for word in given.split_whitespace() {
        let gap = usize::from(!name.is_empty());
        let clean: String = word.chars().filter(|letter| is_plain(*letter)).collect();
        if clean.is_empty() {
            continue;
        }
        if gap == 1 && length + 1 < AGENT_NAME_MAX {
            name.push(' ');
            length += 1;
        } else if gap == 1 {
            break;
        }
        for letter in clean.chars().take(AGENT_NAME_MAX - length) {
            name.push(letter);
            length += 1;
        }
        if length >= AGENT_NAME_MAX {
            break;
        }
    }
    (!name.is_empty()).then_some(name)
}

/// Neither a control nor one of the signs that are not seen and change how the rest is.
fn is_plain(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// As it is shown; nothing of one whose words this build does not know.
fn recent(kept: NewOutcome) -> Option<RecentOutcome> {
    Some(RecentOutcome {
        at: kept.at,
        action: OutcomeAction::known(&kept.action)?,
        outcome: OutcomeClass::known(&kept.outcome)?,
        agent: kept.agent,
        status: kept.status,
        resolve_said: kept.resolve_said.as_deref().and_then(ResolveSaid::known),
    })
}

#[cfg(test)]
mod tests;
