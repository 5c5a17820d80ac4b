//! Outcome reports: what agents report about their own visits to a site. They are counted, summarised
//! and sealed daily.
//!
//! Reports are self-reported and unverified. No judgement or decision uses them.

use std::sync::Arc;

use contract::limits::{AGENT_NAME_MAX, OUTCOME_DAYS_MAX, OUTCOME_RETENTION_DAYS};
use contract::records::{
    AcceptedOutcome, Decision, OutcomeAccepted, OutcomeAction, OutcomeClass, OutcomeDay,
    OutcomeReport, OutcomeResult, OutcomeSummary, RecentOutcome, ResolveSaid,
};
use contract::text::is_hidden;
use contract::{Clock, Domain, Issuer, NamePolicy, NameRefusal, Ratio};
use proof::keys::DeploymentSecret;
use proof::{Digest, KeyPurpose, SignedDocument};
use serde::Deserialize;
use store::{AllowanceDraw, AllowanceOutcome, Day, NewOutcome, Store, StoreError};

use crate::access::AddressBlock;
use crate::access::allowance::ceil_seconds;
use crate::live_setting::LiveSetting;
use crate::log::daily_seals::outcome_day_digest;
use crate::signing_keys::SigningKeys;

/// The note in every reply to a report.
const REPLY_NOTE: &str = "Counted as reported, without verification. Reports never change a resolve \
                    answer. The counts of each day are sealed.";

/// The reply to an accepted report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeReply {
    pub accepted: OutcomeAccepted,
    /// `None` if there is no daily limit.
    pub daily_allowance: Option<DailyAllowance>,
}

/// The daily limit of one address, and what is left of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyAllowance {
    pub limit: u32,
    pub remaining: u32,
    pub resets_in_s: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum OutcomeError {
    #[error(transparent)]
    BadDomain(#[from] NameRefusal),
    #[error("{why}")]
    BadReport { param: &'static str, why: String },
    #[error("the daily limit of reports for this address is reached")]
    DailyLimitReached(DailyAllowance),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] proof::ProofError),
}

/// Accepts and counts outcome reports. Holds no mutable state: the reports are in the store. It has
/// no access to [`Answers`](crate::Answers), so that reports cannot affect a decision.
pub struct Outcomes {
    pub(crate) issuer: Issuer,
    pub(crate) names: NamePolicy,
    /// Reports per address and UTC day; `None` for no limit.
    pub(crate) per_day: LiveSetting<Option<u32>>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) secret: DeploymentSecret,
}

impl Outcomes {
    /// Accepts a report, within the daily limit of its address.
    pub async fn report_outcome(
        &self,
        report: OutcomeReport,
        block: AddressBlock,
    ) -> Result<OutcomeReply, OutcomeError> {
        let domain = Domain::parse(&report.domain, &self.names)?;
        let class = classify_result(&report.result).ok_or_else(|| OutcomeError::BadReport {
            param: "result",
            why: "the report has no result: set `status`, `blocked` or `challenge`".to_owned(),
        })?;
        let resolve_said = match (&report.resolve_said, &report.resolve_sha256) {
            (Some(statement), digest) => {
                digest.as_deref().map(parse_answer_digest).transpose()?;
                Some(statement.clone())
            }
            (None, Some(text)) => {
                self.statement_of_answer(parse_answer_digest(text)?, &domain, &report.action)
                    .await?
            }
            (None, None) => None,
        };
        let status = report.result.status.filter(|status| *status > 0);
        let disagreement = describe_disagreement(resolve_said.as_ref(), &class, status);
        let now = self.clock.now();
        let (day, limit) = (Day::of(now), self.per_day.get());
        let counter = self.address_counter_key("outcome reports by address", day, &[], block);
        let outcome = NewOutcome {
            at: now.whole_seconds(),
            action: report.action.as_str().to_owned(),
            outcome: class.as_str().to_owned(),
            agent: report.agent.as_ref().and_then(|agent| clean_agent_name(&agent.name)),
            status,
            resolve_said: resolve_said.as_ref().map(|statement| statement.as_str().to_owned()),
            disagree: disagreement.is_some(),
            // The MAC includes the domain, so that a reporter cannot be tracked across domains.
            reporter: self.address_counter_key(
                "outcome reporters",
                day,
                domain.as_str().as_bytes(),
                block,
            ),
            domain: domain.clone(),
        };
        let draws = limit.map(|limit| AllowanceDraw { key: counter, limit }).into_iter().collect();
        let drawn = self.store.put_outcome(outcome, draws).await?;
        let resets_in_s = ceil_seconds(day.ends_at().millis_since(now));
        let allowance = match limit {
            None => None,
            Some(limit) => {
                let used = self.store.allowance_used(day.into(), counter).await?;
                Some(DailyAllowance { limit, remaining: limit.saturating_sub(used), resets_in_s })
            }
        };
        if let (AllowanceOutcome::Exhausted { .. }, Some(allowance)) = (drawn, allowance) {
            return Err(OutcomeError::DailyLimitReached(DailyAllowance {
                remaining: 0,
                ..allowance
            }));
        }
        let accepted = OutcomeAccepted {
            ok: true,
            summary: format!("{}/api/v1/outcomes?domain={domain}", self.issuer.base_url),
            accepted: AcceptedOutcome {
                domain,
                action: report.action,
                outcome: class,
                disagreement,
            },
            note: REPLY_NOTE.to_owned(),
        };
        Ok(OutcomeReply { accepted, daily_allowance: allowance })
    }

    /// The signed counts of reports about a domain in the last `days` days, including today.
    pub async fn outcome_summary(
        &self,
        domain: &str,
        days: u32,
    ) -> Result<SignedDocument, OutcomeError> {
        let domain = Domain::parse(domain, &self.names)?;
        let summary = self.unsigned_summary(&domain, days).await?;
        Ok(self.keys.sign_document(&summary, KeyPurpose::Documents)?)
    }

    /// The same before it is signed, for pages.
    pub async fn unsigned_summary(
        &self,
        domain: &Domain,
        days: u32,
    ) -> Result<OutcomeSummary, OutcomeError> {
        let window_days = days.clamp(1, OUTCOME_DAYS_MAX);
        let today = Day::of(self.clock.now());
        let from = Day::from_number(today.number() - i64::from(window_days) + 1);
        let counts = self.store.outcome_summary(domain, from, today).await?;
        let total = counts.total();
        let mut by_day = Vec::with_capacity(counts.days.len());
        for (day, tally) in &counts.days {
            let sha256 =
                (*day < today).then(|| outcome_day_digest(&self.issuer, domain, *day, tally));
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
        Ok(OutcomeSummary {
            kind: self.issuer.brand.kind("agent-outcomes"),
            v: 1,
            domain: domain.clone(),
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
            recent: counts.recent.into_iter().filter_map(to_recent_outcome).collect(),
            success_rate: Ratio::of(total.ok, total.n),
            sha256: None,
            signature: None,
        })
    }

    /// Deletes reports older than the longest summary, and expired idempotency replies.
    pub async fn delete_old_reports(&self) {
        let now = self.clock.now();
        let before = Day::from_number(Day::of(now).number() - i64::from(OUTCOME_RETENTION_DAYS));
        match self.store.delete_outcomes_before(before).await {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, "old outcome reports deleted"),
            Err(error) => tracing::error!(%error, "old outcome reports could not be deleted"),
        }
        if let Err(error) = self.store.delete_expired_replies(now).await {
            tracing::error!(%error, "expired idempotency replies could not be deleted");
        }
    }

    /// What the stored answer with this digest states about the action. `None` if no such answer is
    /// stored, or if it is about another domain.
    async fn statement_of_answer(
        &self,
        sha256: Digest,
        domain: &Domain,
        action: &OutcomeAction,
    ) -> Result<Option<ResolveSaid>, OutcomeError> {
        let Some(stored) = self.store.answer(sha256).await? else { return Ok(None) };
        if stored.domain != *domain {
            return Ok(None);
        }
        let answer = serde_json::from_slice::<AnswerDecisions>(&stored.bytes);
        Ok(answer.ok().and_then(|answer| statement_for_action(&answer.actions, action)))
    }

    /// The counter key of an address for one day, as a MAC that only we can compute.
    fn address_counter_key(
        &self,
        label: &str,
        day: Day,
        about: &[u8],
        block: AddressBlock,
    ) -> Digest {
        let day = day.number().to_be_bytes();
        self.secret.mac(label, &[&day, about, block.text().as_bytes()])
    }
}

fn parse_answer_digest(text: &str) -> Result<Digest, OutcomeError> {
    text.parse().map_err(|_| OutcomeError::BadReport {
        param: "resolve_sha256",
        why: "`resolve_sha256` must be the digest of an answer: 64 lower-case hex digits"
            .to_owned(),
    })
}

/// What a report is counted as; `None` if it has no result. `challenge` and `blocked` take precedence
/// over the status.
fn classify_result(result: &OutcomeResult) -> Option<OutcomeClass> {
    if result.challenge.as_ref().is_some_and(contract::records::ReportedChallenge::is_challenged) {
        return Some(OutcomeClass::Challenged);
    }
    Some(match (result.blocked, result.status) {
        (Some(true), _) | (None, Some(401 | 402 | 403 | 407 | 429 | 451)) => OutcomeClass::Blocked,
        (_, Some(200..=399)) | (Some(false), None) => OutcomeClass::Ok,
        (_, Some(_)) => OutcomeClass::Error,
        (None, None) => return None,
    })
}

/// The decisions of an answer. Parses only these members, so that answers of earlier builds can be
/// parsed too.
#[derive(Deserialize)]
struct AnswerDecisions {
    actions: AnswerActions,
}

#[derive(Deserialize)]
struct AnswerActions {
    read: AnswerAction,
    connect: AnswerAction,
    transact: AnswerAction,
}

#[derive(Deserialize)]
struct AnswerAction {
    decision: Decision,
}

/// What an answer predicts for an action, as a word of outcome reports.
fn statement_for_action(actions: &AnswerActions, action: &OutcomeAction) -> Option<ResolveSaid> {
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

/// Describes how the report contradicts the answer. `restricted` and `not_measured` cannot be
/// contradicted, and an error is no evidence of access or refusal.
fn describe_disagreement(
    statement: Option<&ResolveSaid>,
    class: &OutcomeClass,
    status: Option<u16>,
) -> Option<String> {
    let experience = match (statement?, class) {
        (ResolveSaid::Open, OutcomeClass::Blocked) => "the agent was blocked",
        (ResolveSaid::Open, OutcomeClass::Challenged) => "the agent met a challenge",
        (ResolveSaid::Blocked, OutcomeClass::Ok) => "the agent was served",
        _ => return None,
    };
    let status = status.map(|status| format!(" (status {status})")).unwrap_or_default();
    Some(format!("The resolve answer said {}; {experience}{status}.", statement?.as_str()))
}

/// The name of the agent as one line of visible text, cut to the maximum length.
fn clean_agent_name(given: &str) -> Option<String> {
    let mut name = String::new();
    let mut length = 0;
    for word in given.split_whitespace() {
        let gap = usize::from(!name.is_empty());
        let clean: String = word.chars().filter(|letter| !is_hidden(*letter)).collect();
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

/// A report as it is served; `None` if this build does not know its words.
fn to_recent_outcome(stored: NewOutcome) -> Option<RecentOutcome> {
    Some(RecentOutcome {
        at: stored.at,
        action: OutcomeAction::from_word(&stored.action)?,
        outcome: OutcomeClass::from_word(&stored.outcome)?,
        agent: stored.agent,
        status: stored.status,
        resolve_said: stored.resolve_said.as_deref().and_then(ResolveSaid::from_word),
    })
}

#[cfg(test)]
mod tests;
