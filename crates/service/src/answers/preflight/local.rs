//! A preflight decision without a server: the site is read now; nothing is signed or stored.

use contract::Issuer;
use std::sync::Arc;

use contract::Clock;
use contract::records::{DecisionReceipt, PreflightCheck, ReceiptRevocation, ReceiptRules};
use declared::robots::Robots;
use judge::decide::preflight::{ActionTarget, LiveReadOutcome, PreflightQuery, decide_preflight};

use super::PreflightError;
use super::evidence::PreflightEvidence;
use crate::answers::resolve::{AnswerParts, StoredRobots};
use crate::answers::revocations::LIST_VALID_MS;
use crate::scanner::Scanner;
use crate::settings::Settings;

impl Scanner {
    /// Reads the site now and decides.
    pub async fn preflight(
        &self,
        check: &PreflightCheck,
        settings: &Settings,
        clock: &dyn Clock,
    ) -> Result<DecisionReceipt, PreflightError> {
        let target = ActionTarget::from_check(check, self.name_policy())
            .map_err(|refusal| PreflightError::BadName { of_url: check.url.is_some(), refusal })?;
        let (answer, robots) = Box::pin(self.resolve(&target.domain, settings, clock)).await?;
        let status = answer.crawl_policy.body().and_then(|policy| policy.http_status);
        let robots = match (status, robots) {
            (Some(404 | 410), _) => StoredRobots::Absent,
            (Some(_), Some(body)) => StoredRobots::Parsed(Arc::new(Robots::parse(&body))),
            _ => StoredRobots::NotRead,
        };
        let now = clock.now();
        let evidence = PreflightEvidence {
            answer_sha256: proof::sha256(&proof::canonical::to_vec(&answer)?),
            robots,
            // Without a server there is no revocation list.
            withheld: None,
            held: None,
            mcp: None,
            live_read: LiveReadOutcome::Done,
            revocation: ReceiptRevocation {
                feed: format!("{}/api/v1/revocations", settings.base_url),
                cursor: None,
                next_update: now.plus_millis(LIST_VALID_MS),
            },
            rules: ReceiptRules {
                decision_rules_sha256: judge::decide::rules_sha256(),
                version_id: answer.code.version_id.clone(),
            },
            base_url: settings.base_url.clone(),
            answer: Arc::new(AnswerParts::new(answer)),
        };
        let issuer = Issuer::new(settings.brand.clone(), &settings.base_url);
        let query = PreflightQuery { check, target: &target, now };
        Ok(decide_preflight(query, evidence.to_facts(), &issuer)?)
    }
}
