//! A decision without a server: from a reading made now, neither signed nor kept.

use std::sync::Arc;

use contract::Clock;
use contract::records::{DecisionReceipt, PreflightCheck, ReceiptRevocation, ReceiptRules};
use declared::robots::Robots;
use judge::decide::preflight::{Ask, Dress, LiveRead, Target, preflight};
use judge::resolve::Sections;

use super::PreflightError;
use super::evidence::Evidence;
use crate::resolve::KnownRobots;
use crate::revocations::GOOD_MILLIS;
use crate::{Scanner, Settings};

impl Scanner {
    /// Reads the site now and decides.
    pub async fn preflight(
        &self,
        check: &PreflightCheck,
        settings: &Settings,
        clock: &dyn Clock,
    ) -> Result<DecisionReceipt, PreflightError> {
        let target = Target::of(check, self.names())
            .map_err(|refusal| PreflightError::BadName { of_url: check.url.is_some(), refusal })?;
        let (answer, robots) = Box::pin(self.resolve(&target.domain, settings, clock)).await?;
        let status = answer.crawl_policy.body().and_then(|policy| policy.http_status);
        let robots = match (status, robots) {
            (Some(404 | 410), _) => KnownRobots::Absent,
            (Some(_), Some(body)) => KnownRobots::Read(Arc::new(Robots::parse(&body))),
            _ => KnownRobots::NotRead,
        };
        let now = clock.now();
        let evidence = Evidence {
            answer_sha256: proof::sha256(&proof::canonical::to_vec(&answer)?),
            sections: Sections::of(answer.clone()),
            robots,
            // No list of revocations is at hand without a server.
            standing: None,
            held: None,
            live: LiveRead::Done,
            revocation: ReceiptRevocation {
                feed: format!("{}/api/v1/revocations", settings.base_url),
                cursor: None,
                next_update: now.plus_millis(GOOD_MILLIS),
            },
            rules: ReceiptRules {
                decision_rules_sha256: judge::decide::rules_sha256(),
                version_id: answer.code.version_id.clone(),
            },
            base_url: settings.base_url.clone(),
            answer: Arc::new(answer),
        };
        let dress = Dress { brand: &settings.brand, base_url: &settings.base_url };
        let ask = Ask { check, target: &target, now };
        Ok(preflight(ask, evidence.known(), dress)?)
    }
}
