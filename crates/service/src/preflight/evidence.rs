//! What a decision is taken from: the answer about the domain, its policy file, what is withheld,
//! and what became of a decision that the caller holds.

use std::sync::Arc;
use std::time::Duration;

use contract::records::{
    Basis, HeldDecision, PreflightCheck, ReceiptAnswer, ReceiptResolve, ReceiptRevocation,
    ReceiptRules, ReceiptTransparency, ResolveAnswer,
};
use judge::decide::preflight::{Known, LiveRead, RobotsKnown, StandingKnown, Target};
use judge::resolve::Sections;
use proof::Digest;
use store::Standing;

use super::PreflightError;
use crate::resolve::{HotAnswer, KnownRobots, Live, ResolveAsk, ResolveError};
use crate::revocations::GOOD_MILLIS;
use crate::{MayRead, Service};

/// A live reading that began less than this ago was made for this very question.
const JUST_NOW_MILLIS: i64 = 5_000;

/// Everything that is known, held while a decision is taken.
pub(super) struct Evidence {
    pub(super) answer_sha256: Digest,
    pub(super) answer: Arc<ResolveAnswer>,
    pub(super) sections: Sections,
    pub(super) robots: KnownRobots,
    pub(super) standing: Option<Standing>,
    pub(super) held: Option<HeldDecision>,
    pub(super) live: LiveRead,
    pub(super) revocation: ReceiptRevocation,
    pub(super) rules: ReceiptRules,
    pub(super) base_url: String,
}

impl Service {
    pub(super) async fn evidence(
        self: &Arc<Self>,
        check: &PreflightCheck,
        target: &Target,
        may_read: Arc<dyn MayRead>,
    ) -> Result<Evidence, PreflightError> {
        let (hot, cut) = self.answer_for(check, target, may_read).await?;
        let answer = hot
            .answer()
            .ok_or_else(|| PreflightError::CannotAnswer("the answer cannot be read".to_owned()))?;
        let held = match &check.held {
            Some(held) => Some(self.held_decision(&held.decision_sha256).await?),
            None => None,
        };
        let (brand, now) = (&self.settings.brand, self.clock.now());
        let live = cut.unwrap_or_else(|| match &answer.basis {
            Basis::JustInTime(basis) if !basis.not_read_in_budget.is_empty() => {
                LiveRead::BudgetSpent
            }
            Basis::JustInTime(basis) if now.millis_since(basis.measured_at) < JUST_NOW_MILLIS => {
                LiveRead::Done
            }
            _ => LiveRead::NotNeeded,
        });
        let base_url = self.settings.base_url.clone();
        Ok(Evidence {
            answer_sha256: hot.sha256,
            sections: Sections::of(ResolveAnswer::clone(&answer)),
            robots: self.robots_of(&hot).await,
            standing: self.withheld(&target.domain).await?,
            held,
            live,
            revocation: ReceiptRevocation {
                feed: format!("{base_url}/api/v1/revocations"),
                cursor: Some(self.revocation_cursor().await?),
                next_update: now.plus_millis(GOOD_MILLIS),
            },
            rules: ReceiptRules {
                decision_rules_sha256: judge::decide::rules_sha256(),
                version_id: self
                    .code()
                    .map_or_else(|| brand.kind("build-not-known"), |code| code.version_id),
            },
            answer,
            base_url,
        })
    }

    /// The answer to decide from. Where the site may not be read now, or not in time, what is kept
    /// must do, and the receipt says so.
    async fn answer_for(
        self: &Arc<Self>,
        check: &PreflightCheck,
        target: &Target,
        may_read: Arc<dyn MayRead>,
    ) -> Result<(Arc<HotAnswer>, Option<LiveRead>), PreflightError> {
        let ask = |live: Live| ResolveAsk {
            domain: target.domain.clone(),
            live,
            max_age_hours: check.policy.as_ref().and_then(|policy| policy.max_age_hours),
            may_read: Arc::clone(&may_read),
        };
        let kept = async || {
            let kept = ResolveAsk { max_age_hours: None, ..ask(Live::Never) };
            self.resolve(kept).await
        };
        let asked = match check.live_ms {
            Some(0) => return Ok((kept().await?, None)),
            // The reading goes on for whoever asks next.
            Some(ms) => {
                let most = Duration::from_millis(u64::from(ms));
                tokio::time::timeout(most, self.resolve(ask(Live::Auto))).await
            }
            None => Ok(self.resolve(ask(Live::Auto)).await),
        };
        let (why, or_else) = match asked {
            Ok(Ok(hot)) => return Ok((hot, None)),
            Ok(Err(ResolveError::LiveLimit { wait })) => {
                (LiveRead::Limited, ResolveError::LiveLimit { wait })
            }
            Ok(Err(other)) => return Err(other.into()),
            Err(_) => (LiveRead::BudgetSpent, ResolveError::NothingKept),
        };
        match kept().await {
            Ok(hot) => Ok((hot, Some(why))),
            Err(ResolveError::NothingKept) => Err(or_else.into()),
            Err(other) => Err(other.into()),
        }
    }
}

impl Evidence {
    pub(super) fn known(&self) -> Known<'_> {
        let answer = &self.answer;
        let place = answer.transparency.as_ref();
        Known {
            sections: &self.sections,
            actions: &answer.actions,
            robots: match &self.robots {
                KnownRobots::Read(robots) => RobotsKnown::Read(robots),
                KnownRobots::Absent => RobotsKnown::Absent,
                KnownRobots::NotKept => RobotsKnown::NotKept,
                KnownRobots::NotRead => RobotsKnown::NotRead,
            },
            standing: self.standing.as_ref().map(|standing| StandingKnown {
                actions: &standing.actions,
                causes: &standing.causes,
            }),
            // This build reads no tool lists: that is told as not measured.
            mcp: None,
            held: self.held.clone(),
            live: self.live,
            answer: ReceiptAnswer {
                answer_sha256: self.answer_sha256.to_hex(),
                address: format!("{}/api/v1/resolve?domain={}", self.base_url, answer.domain),
                transparency: ReceiptTransparency {
                    state: if place.is_some() { "included" } else { "not_logged" }.to_owned(),
                    leaf_hash: place.map(|place| place.leaf_hash.clone()),
                    batch: place.map(|place| place.batch),
                },
            },
            resolve: ReceiptResolve {
                sha256: self.answer_sha256.to_hex(),
                kid: answer.signature.as_ref().map(|by| by.kid.clone()).unwrap_or_default(),
            },
            revocation: self.revocation.clone(),
            rules: self.rules.clone(),
        }
    }
}
