//! Sends deliveries that are due, through the door and signed, and records how that ended.

use std::time::Duration;

use agents::Role;
use contract::Timestamp;
use contract::evidence::Failure;
use door::{PostRequest, TARGET_LIMIT};
use proof::KeyPurpose;
use proof::http_signatures::{WebhookRequest, sign_webhook_request};
use store::{Delivery, DeliveryState, DeliveryTry, StoreError, Webhook};

use super::Webhooks;
use super::backoff::next_try_at;

/// For one try, from the look-up of the name to the head of the answer.
const TRY_TIME: Duration = Duration::from_secs(10);
/// After this time a delivery that a process claimed, and did not finish, is sent by another one.
const LEASE_MS: i64 = 30_000;
/// A webhook to which nothing could be delivered for so long is switched off.
const FAILING_MS: i64 = 7 * 24 * 3_600_000;
/// Deliveries that this process sends at once.
pub(crate) const SENT_AT_ONCE: usize = 16;

const CONTENT_TYPE: &str = "application/json";
const RESULTS: &str = "wayleave_webhook_deliveries_total";

/// How a try ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TryResult {
    Delivered {
        status: u16,
    },
    /// The receiver wants no more events (410).
    Gone,
    Failed {
        status: Option<u16>,
        why: String,
    },
    /// It failed because of us: the receiver is not to blame.
    NotSent {
        why: String,
    },
    /// The licence has ended.
    NoLicence,
}

impl Webhooks {
    /// Claims deliveries that are due, at most `limit`, and none after [`Webhooks::close`]. Each must be
    /// passed to [`Webhooks::deliver`].
    pub(crate) async fn claim_due(&self, limit: usize) -> Result<Vec<Delivery>, StoreError> {
        let free = self.sending.available_permits().min(limit);
        if free == 0 {
            return Ok(Vec::new());
        }
        let now = self.clock.now();
        self.store.claim_deliveries(now, now.plus_millis(LEASE_MS), free).await
    }

    /// Sends a claimed delivery and records how that ended. If that cannot be recorded, it is sent again
    /// after its claim ends.
    pub(crate) async fn deliver(&self, delivery: Delivery) {
        // Closed only when the service stops: then the delivery is sent after the restart.
        let Ok(_place) = self.sending.acquire().await else { return };
        if let Err(error) = self.try_delivery(delivery).await {
            tracing::warn!(%error, "a delivery to a webhook could not be recorded");
        }
    }

    async fn try_delivery(&self, delivery: Delivery) -> Result<(), StoreError> {
        // Deleted or switched off since it was claimed. Its deliveries went with it, or wait.
        let webhook = self.store.webhook(&delivery.webhook_id).await?;
        let Some(webhook) = webhook.filter(|webhook| !webhook.is_disabled()) else { return Ok(()) };
        let licence = self.store.licence(&webhook.licence_id).await?;
        let result = if licence.is_some_and(|licence| licence.is_active(self.clock.now())) {
            self.send(&webhook, &delivery).await
        } else {
            TryResult::NoLicence
        };
        let now = self.clock.now();
        let chance = self.ids.random_bytes().map_or(0, |[first, ..]| first);
        let tried = describe_try(&result, delivery.tries, now, chance);
        let recorded = self.store.record_delivery(&delivery.id, tried).await?;
        let word = match recorded.map(|recorded| recorded.state) {
            Some(DeliveryState::Delivered) => "delivered",
            Some(DeliveryState::Dead) => "dead",
            Some(DeliveryState::Waiting) | None => "failed",
        };
        metrics::counter!(RESULTS, "result" => word).increment(1);
        if let Some(changed) = follow_result(webhook, &result, now) {
            if let Some(why) = &changed.disabled_why {
                tracing::info!(webhook = changed.id, why, "a webhook was switched off");
            }
            self.store.set_webhook_state(changed).await?;
        }
        Ok(())
    }

    async fn send(&self, webhook: &Webhook, delivery: &Delivery) -> TryResult {
        let headers = match self.request_headers(webhook, delivery) {
            Ok(headers) => headers,
            Err(why) => {
                tracing::warn!(why, "a delivery to a webhook could not be signed");
                return TryResult::NotSent { why };
            }
        };
        let request =
            PostRequest { url: webhook.url.clone(), headers, body: delivery.body.clone() };
        // A visit of its own: the name is resolved and its addresses are checked for each try.
        let answered = self.scanner.door().visit(TRY_TIME).post(request).await;
        judge_answer(answered)
    }

    fn request_headers(
        &self,
        webhook: &Webhook,
        delivery: &Delivery,
    ) -> Result<Vec<(String, String)>, String> {
        let key = self.keys.signing_key(KeyPurpose::Requests).map_err(|e| e.to_string())?;
        let request = WebhookRequest {
            target_uri: &webhook.url,
            id: &delivery.id,
            content_type: CONTENT_TYPE,
            body: &delivery.body,
            now: self.clock.now(),
        };
        let signed = sign_webhook_request(request, &key).map_err(|e| e.to_string())?;
        let own = self.scanner.catalogue().identity_with_role(Role::Own);
        let mut headers: Vec<(String, String)> =
            own.map(|own| ("user-agent".to_owned(), own.user_agent.clone())).into_iter().collect();
        headers.extend(signed);
        Ok(headers)
    }
}

fn judge_answer(answered: Result<u16, Failure>) -> TryResult {
    let failed =
        |status: u16, why: &str| TryResult::Failed { status: Some(status), why: why.to_owned() };
    match answered {
        Ok(status @ 200..=299) => TryResult::Delivered { status },
        Ok(410) => TryResult::Gone,
        Ok(status @ 300..=399) => {
            failed(status, "The receiver answered with a redirect, which is not followed.")
        }
        Ok(status) => failed(status, &format!("The receiver answered with status {status}.")),
        Err(failure) if failure.reason == TARGET_LIMIT => {
            TryResult::NotSent { why: failure.detail }
        }
        Err(failure) => TryResult::Failed { status: None, why: failure.detail },
    }
}

fn describe_try(result: &TryResult, tries: u32, now: Timestamp, chance: u8) -> DeliveryTry {
    let again = next_try_at(tries, now, chance);
    let (status, error, next_try_at) = match result {
        TryResult::Delivered { status } => (Some(*status), None, None),
        TryResult::Gone => (Some(410), Some(GONE.to_owned()), None),
        TryResult::Failed { status, why } => (*status, Some(why.clone()), again),
        TryResult::NotSent { why } => (None, Some(why.clone()), again),
        TryResult::NoLicence => (None, Some("The licence of this webhook has ended.".into()), None),
    };
    DeliveryTry { at: now, status, error, next_try_at }
}

const GONE: &str = "The receiver answered with 410 (Gone): it wants no more events.";

/// The webhook after a try, if its state is another one.
fn follow_result(mut webhook: Webhook, result: &TryResult, now: Timestamp) -> Option<Webhook> {
    if webhook.is_disabled() {
        return None;
    }
    match result {
        TryResult::NotSent { .. } | TryResult::NoLicence => return None,
        TryResult::Delivered { .. } => {
            webhook.failing_since.take()?;
        }
        TryResult::Gone => switch_off(&mut webhook, now, GONE.to_owned()),
        TryResult::Failed { why, .. } => {
            let since = *webhook.failing_since.get_or_insert(now);
            if now.as_millis().saturating_sub(since.as_millis()) >= FAILING_MS {
                let why = format!("Nothing could be delivered for seven days. The last try: {why}");
                switch_off(&mut webhook, now, why);
            } else if since != now {
                return None;
            }
        }
    }
    Some(webhook)
}

fn switch_off(webhook: &mut Webhook, now: Timestamp, why: String) {
    webhook.disabled_at = Some(now);
    webhook.disabled_why = Some(why);
}

#[cfg(test)]
mod tests {
    use contract::evidence::{FailureKind, FailurePhase};

    use super::*;
    use crate::webhooks::backoff::MAX_TRIES;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn webhook() -> Webhook {
        Webhook {
            id: "w".into(),
            licence_id: "l".into(),
            url: "https://hooks.example/".into(),
            events: vec!["revocation".into()],
            created_at: at(0),
            failing_since: None,
            disabled_at: None,
            disabled_why: None,
        }
    }

    fn failure(reason: &str) -> Failure {
        Failure {
            kind: FailureKind::Timeout,
            phase: FailurePhase::Head,
            reason: reason.into(),
            detail: "The host did not start its response in time.".into(),
        }
    }

    fn failed() -> TryResult {
        judge_answer(Err(failure("head_timeout")))
    }

    #[test]
    fn only_2xx_is_delivered_and_410_ends_it() {
        for status in [200, 201, 202, 204, 299] {
            assert_eq!(judge_answer(Ok(status)), TryResult::Delivered { status });
        }
        for status in [100, 300, 301, 307, 400, 404, 429, 500, 503, 999] {
            let result = judge_answer(Ok(status));
            assert!(matches!(result, TryResult::Failed { .. }), "{status}: {result:?}");
        }
        assert_eq!(judge_answer(Ok(410)), TryResult::Gone);
        assert!(matches!(failed(), TryResult::Failed { status: None, .. }));
        let limited = judge_answer(Err(failure(TARGET_LIMIT)));
        assert!(matches!(limited, TryResult::NotSent { .. }), "{limited:?}");
    }

    #[test]
    fn a_try_is_repeated_until_it_is_given_up() {
        let first = describe_try(&failed(), 1, at(0), 0);
        assert_eq!((first.error.is_some(), first.next_try_at), (true, Some(at(10_000))));
        assert_eq!(describe_try(&failed(), MAX_TRIES, at(0), 0).next_try_at, None);
        let done = describe_try(&TryResult::Delivered { status: 204 }, 1, at(0), 0);
        assert_eq!((done.status, done.error), (Some(204), None));
        for last in [TryResult::Gone, TryResult::NoLicence] {
            let tried = describe_try(&last, 1, at(0), 0);
            assert_eq!((tried.error.is_some(), tried.next_try_at), (true, None), "{last:?}");
        }
    }

    #[test]
    fn a_webhook_is_switched_off_after_a_week_of_failures_only() {
        let failing = follow_result(webhook(), &failed(), at(5)).unwrap();
        assert_eq!((failing.failing_since, failing.disabled_at), (Some(at(5)), None));
        let week = 7 * 24 * 3_600_000;
        assert_eq!(follow_result(failing.clone(), &failed(), at(4 + week)), None);
        let off = follow_result(failing.clone(), &failed(), at(5 + week)).unwrap();
        assert_eq!(off.disabled_at, Some(at(5 + week)));
        assert!(off.disabled_why.unwrap().contains("seven days"));
        // One success in between begins a new week.
        let delivered = TryResult::Delivered { status: 200 };
        let well = follow_result(failing.clone(), &delivered, at(6)).unwrap();
        assert_eq!(well, webhook());
        assert_eq!(follow_result(well, &delivered, at(7)), None, "nothing to store");
        for not_to_blame in [judge_answer(Err(failure(TARGET_LIMIT))), TryResult::NoLicence] {
            assert_eq!(follow_result(failing.clone(), &not_to_blame, at(9 + week)), None);
        }
    }

    #[test]
    fn a_webhook_that_is_gone_is_switched_off_at_once() {
        let off = follow_result(webhook(), &TryResult::Gone, at(5)).unwrap();
        assert_eq!(off.disabled_at, Some(at(5)));
        assert_eq!(follow_result(off, &TryResult::Gone, at(6)), None, "it keeps its time");
    }
}
