//! Adding a webhook to a licence, and finding it again. Works on the store alone, so that commands can use it
//! beside a running server.

use contract::Timestamp;
use door::Policy;
use store::{Licences, StoreError, Webhook, Webhooks};

use super::address::{WebhookAddressError, parse_address};
use super::events::EventName;
use crate::random_ids::{Ids, RandomnessError};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    #[error("there is no such licence")]
    UnknownLicence,
    #[error("this licence has ended, so it cannot get a webhook")]
    LicenceEnded,
    #[error(transparent)]
    Address(#[from] WebhookAddressError),
    #[error(
        "name at least one event: answer.changed, revocation, scan.finished, control.changed or accuracy.changed"
    )]
    NoEvents,
    #[error(
        "there is no such event; the events are answer.changed, revocation, scan.finished, control.changed and accuracy.changed"
    )]
    UnknownEvent,
    #[error("this licence has {limit} webhooks, which is the most; delete one first")]
    TooMany { limit: usize },
    /// The same for a webhook of another licence, so that nobody learns of it.
    #[error("this licence has no such webhook")]
    NotFound,
    #[error("this webhook has no such delivery")]
    NoSuchDelivery,
    #[error("only a delivery that was given up can be sent again")]
    NotGivenUp,
    #[error("{limit} deliveries wait for this webhook, which is the most; try again later")]
    TooManyWaiting { limit: usize },
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    NoChance(#[from] RandomnessError),
}

impl From<StoreError> for WebhookError {
    fn from(error: StoreError) -> Self {
        match error {
            // The only bounds here besides that of webhooks, which is named where it is reached.
            StoreError::LimitReached { limit, .. } => Self::TooManyWaiting { limit },
            error => Self::Store(error),
        }
    }
}

/// A webhook that somebody asks for.
#[derive(Debug, Clone, Copy)]
pub struct NewWebhook<'a> {
    pub licence_id: &'a str,
    pub url: &'a str,
    /// The names of events. Each counts once.
    pub events: &'a [String],
    /// The rules of requests to others.
    pub policy: &'a Policy,
}

/// Stores a webhook for an active licence.
pub async fn register_webhook(
    webhooks: &dyn Webhooks,
    licences: &dyn Licences,
    ids: &dyn Ids,
    now: Timestamp,
    new: NewWebhook<'_>,
) -> Result<Webhook, WebhookError> {
    let url = parse_address(new.url, new.policy)?;
    let events = parse_events(new.events)?;
    let licence = licences.licence(new.licence_id).await?.ok_or(WebhookError::UnknownLicence)?;
    if !licence.is_active(now) {
        return Err(WebhookError::LicenceEnded);
    }
    let webhook = Webhook {
        id: ids.random_id()?,
        licence_id: licence.id,
        url: url.into(),
        events,
        created_at: now.whole_seconds(),
        failing_since: None,
        disabled_at: None,
        disabled_why: None,
    };
    match webhooks.put_webhook(webhook.clone()).await {
        Ok(()) => Ok(webhook),
        Err(StoreError::LimitReached { limit, .. }) => Err(WebhookError::TooMany { limit }),
        Err(error) => Err(error.into()),
    }
}

/// A webhook of this licence.
pub async fn find_webhook(
    webhooks: &dyn Webhooks,
    licence_id: &str,
    id: &str,
) -> Result<Webhook, WebhookError> {
    let found = webhooks.webhook(id).await?;
    found.filter(|webhook| webhook.licence_id == licence_id).ok_or(WebhookError::NotFound)
}

fn parse_events(names: &[String]) -> Result<Vec<String>, WebhookError> {
    let mut events = Vec::new();
    for name in names {
        let event = EventName::from_word(name).ok_or(WebhookError::UnknownEvent)?;
        if !events.contains(&event) {
            events.push(event);
        }
    }
    if events.is_empty() {
        return Err(WebhookError::NoEvents);
    }
    events.sort_unstable();
    Ok(events.into_iter().map(|event| event.as_str().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_known_and_named_once() {
        let parse = |names: &[&str]| {
            parse_events(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            parse(&["scan.finished", "answer.changed", "scan.finished"]),
            Ok(vec!["answer.changed".to_owned(), "scan.finished".to_owned()])
        );
        assert_eq!(parse(&[]), Err(WebhookError::NoEvents));
        for unknown in ["", "control.change", "answer.changed ", "*"] {
            assert_eq!(parse(&["revocation", unknown]), Err(WebhookError::UnknownEvent));
        }
    }

    #[test]
    fn the_errors_name_every_event() {
        for error in [WebhookError::NoEvents, WebhookError::UnknownEvent] {
            for event in EventName::ALL {
                assert!(error.to_string().contains(event.as_str()), "{error}");
            }
        }
    }
}
