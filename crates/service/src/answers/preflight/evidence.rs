//! Gathers the evidence for a preflight decision: the answer about the domain, its robots.txt, the
//! withheld actions, and the state of a decision that the caller already has.

use std::sync::Arc;
use std::time::Duration;

use contract::records::{
    Basis, HeldDecision, McpApproval, PreflightCheck, ReceiptAnswer, ReceiptMcp, ReceiptResolve,
    ReceiptRevocation, ReceiptRules,
};
use judge::decide::preflight::{
    ActionTarget, LiveReadOutcome, PreflightFacts, RevokedActions, RobotsFile,
};
use proof::Digest;
use store::WithheldActions;

use super::PreflightError;
use crate::access::LiveReadPermit;
use crate::answers::Answers;
use crate::answers::resolve::{
    AnswerParts, CachedAnswer, LivePolicy, ResolveError, ResolveQuery, StoredRobots,
};
use crate::answers::revocations::LIST_VALID_MS;
use crate::mcp::McpError;

/// A live read that started less than this ago was made for this request.
const LIVE_READ_RECENT_MS: i64 = 5_000;

/// How long an MCP server is read if the caller sets no limit.
const MCP_TIME_LIMIT: Duration = Duration::from_secs(8);

/// Rules of a robots.txt that take no more memory than this are matched within microseconds.
const SMALL_ROBOTS_BYTES: usize = 16 << 10;

/// The evidence for one decision.
pub(super) struct PreflightEvidence {
    pub(super) answer_sha256: Digest,
    pub(super) answer: Arc<AnswerParts>,
    pub(super) robots: StoredRobots,
    pub(super) withheld: Option<WithheldActions>,
    pub(super) held: Option<HeldDecision>,
    pub(super) mcp: Option<ReceiptMcp>,
    pub(super) live_read: LiveReadOutcome,
    pub(super) revocation: ReceiptRevocation,
    pub(super) rules: ReceiptRules,
    pub(super) base_url: String,
}

impl PreflightEvidence {
    /// Whether deciding takes less time than to hand it to another thread would be worth.
    pub(super) fn is_decided_soon(&self) -> bool {
        match &self.robots {
            StoredRobots::Parsed(robots) => robots.heap_bytes() <= SMALL_ROBOTS_BYTES,
            StoredRobots::Absent | StoredRobots::NotStored | StoredRobots::NotRead => true,
        }
    }
}

impl Answers {
    pub(super) async fn gather_evidence(
        self: &Arc<Self>,
        check: &PreflightCheck,
        target: &ActionTarget,
        permit: Arc<dyn LiveReadPermit>,
    ) -> Result<PreflightEvidence, PreflightError> {
        let (cached, degraded) = self.find_answer(check, target, Arc::clone(&permit)).await?;
        let answer = self.answer_parts(&cached).ok_or_else(|| {
            PreflightError::CannotAnswer("the answer cannot be parsed".to_owned())
        })?;
        let held = match &check.held {
            Some(held) => Some(self.held_decision(&held.decision_sha256).await?),
            None => None,
        };
        let mcp = match &check.mcp {
            Some(asked) => Some(self.compare_mcp(check, asked, &*permit).await?),
            None => None,
        };
        let (brand, now) = (&self.issuer.brand, self.clock.now());
        let live_read = degraded.unwrap_or_else(|| match &answer.sections.basis {
            Basis::JustInTime(basis) if !basis.not_read_in_budget.is_empty() => {
                LiveReadOutcome::BudgetSpent
            }
            Basis::JustInTime(basis)
                if now.millis_since(basis.measured_at) < LIVE_READ_RECENT_MS =>
            {
                LiveReadOutcome::Done
            }
            _ => LiveReadOutcome::NotNeeded,
        });
        let base_url = self.issuer.base_url.clone();
        let (withheld, cursor) = self.find_revocation_state(&target.domain).await?;
        Ok(PreflightEvidence {
            answer_sha256: cached.sha256,
            robots: self.robots_behind(&answer.sections).await,
            withheld,
            held,
            mcp,
            live_read,
            revocation: ReceiptRevocation {
                feed: format!("{base_url}/api/v1/revocations"),
                cursor: Some(cursor),
                next_update: now.plus_millis(LIST_VALID_MS),
            },
            rules: ReceiptRules {
                decision_rules_sha256: judge::decide::rules_sha256(),
                version_id: self
                    .builds
                    .code()
                    .map_or_else(|| brand.kind("build-not-known"), |code| code.version_id.clone()),
            },
            answer,
            base_url,
        })
    }

    /// The MCP server, compared with what was approved.
    async fn compare_mcp(
        &self,
        check: &PreflightCheck,
        asked: &McpApproval,
        permit: &dyn LiveReadPermit,
    ) -> Result<ReceiptMcp, PreflightError> {
        let time_limit = match check.live_ms {
            Some(0) => None,
            Some(ms) => Some(Duration::from_millis(u64::from(ms))),
            None => Some(MCP_TIME_LIMIT),
        };
        match self.mcp.compare_with_approval(asked, time_limit, permit).await {
            Ok(compared) => Ok(compared),
            Err(McpError::Store(error)) => Err(error.into()),
            Err(error) => Err(PreflightError::CannotAnswer(error.to_string())),
        }
    }

    /// The answer to decide from. If a live read is not permitted or not done in time, the stored
    /// answer is used; the second value says so, and the receipt states it.
    async fn find_answer(
        self: &Arc<Self>,
        check: &PreflightCheck,
        target: &ActionTarget,
        permit: Arc<dyn LiveReadPermit>,
    ) -> Result<(Arc<CachedAnswer>, Option<LiveReadOutcome>), PreflightError> {
        let query = |live: LivePolicy| ResolveQuery {
            domain: target.domain.clone(),
            live,
            max_age_hours: check.policy.as_ref().and_then(|policy| policy.max_age_hours),
            live_read_permit: Arc::clone(&permit),
        };
        let stored_answer = async || {
            self.resolve(ResolveQuery { max_age_hours: None, ..query(LivePolicy::Never) }).await
        };
        let resolved = match check.live_ms {
            Some(0) => return Ok((stored_answer().await?, None)),
            // After a timeout the read continues for the next caller.
            Some(ms) => {
                let time_limit = Duration::from_millis(u64::from(ms));
                tokio::time::timeout(time_limit, self.resolve(query(LivePolicy::Auto))).await
            }
            None => Ok(self.resolve(query(LivePolicy::Auto)).await),
        };
        let (live_read, error) = match resolved {
            Ok(Ok(cached)) => return Ok((cached, None)),
            Ok(Err(
                error @ (ResolveError::LiveLimit { .. } | ResolveError::TargetLimit { .. }),
            )) => (LiveReadOutcome::Limited, error),
            Ok(Err(other)) => return Err(other.into()),
            Err(_) => (LiveReadOutcome::BudgetSpent, ResolveError::NothingStored),
        };
        match stored_answer().await {
            Ok(cached) => Ok((cached, Some(live_read))),
            Err(ResolveError::NothingStored) => Err(error.into()),
            Err(other) => Err(other.into()),
        }
    }
}

impl PreflightEvidence {
    pub(super) fn to_facts(&self) -> PreflightFacts<'_> {
        let answer = &self.answer;
        PreflightFacts {
            sections: &answer.sections,
            inputs: answer.inputs,
            published: answer.published.clone(),
            actions: &answer.actions,
            robots: match &self.robots {
                StoredRobots::Parsed(robots) => RobotsFile::Read(robots),
                StoredRobots::Absent => RobotsFile::Absent,
                StoredRobots::NotStored => RobotsFile::NotStored,
                StoredRobots::NotRead => RobotsFile::NotRead,
            },
            revoked: self.withheld.as_ref().map(|withheld| RevokedActions {
                actions: &withheld.actions,
                causes: &withheld.causes,
            }),
            mcp: self.mcp.clone(),
            held: self.held.clone(),
            live_read: self.live_read,
            answer: ReceiptAnswer {
                answer_sha256: self.answer_sha256.to_hex(),
                address: format!(
                    "{}/api/v1/resolve?domain={}",
                    self.base_url, answer.sections.domain
                ),
                transparency: answer.transparency.clone(),
            },
            resolve: ReceiptResolve {
                sha256: self.answer_sha256.to_hex(),
                kid: answer.kid.clone(),
            },
            revocation: self.revocation.clone(),
            rules: self.rules.clone(),
        }
    }
}
