//! The page of a licence's webhooks.

use askama::Template;
use service::{
    Delivery, DeliveryState, Webhook,
    webhooks::{EventName, MAX_WEBHOOKS},
};

use super::{dates, status::Status};

/// What the page shows.
#[derive(Debug)]
pub(crate) struct WebhookPageParts {
    pub(crate) webhooks: Vec<ShownWebhook>,
    /// Whether the plan has webhooks.
    pub(crate) is_in_plan: bool,
    pub(crate) form_secret: String,
}

/// A webhook with what was last sent to it.
#[derive(Debug)]
pub(crate) struct ShownWebhook {
    pub(crate) webhook: Webhook,
    /// Newest first.
    pub(crate) deliveries: Vec<Delivery>,
}

/// The form as it was sent.
#[derive(Debug, Default)]
pub(crate) struct WebhookForm {
    pub(crate) url: String,
    pub(crate) events: Vec<String>,
}

#[derive(Template)]
#[template(path = "manage_webhooks.html")]
struct WebhooksPage<'a> {
    problem: Option<&'a str>,
    form_secret: &'a str,
    is_in_plan: bool,
    url: &'a str,
    events: Vec<EventChoice>,
    webhooks: Vec<WebhookView<'a>>,
    max_webhooks: usize,
}

struct EventChoice {
    name: &'static str,
    meaning: &'static str,
    is_chosen: bool,
}

struct WebhookView<'a> {
    webhook: &'a Webhook,
    events: String,
    since: String,
    state: Status,
    /// Why it is switched off, or fails.
    why: Option<&'a str>,
    deliveries: Vec<DeliveryLine<'a>>,
}

struct DeliveryLine<'a> {
    id: &'a str,
    event: &'a str,
    at: String,
    state: Status,
    tries: u32,
    why: String,
    is_dead: bool,
}

/// The page, with the error of the last attempt.
pub(crate) fn render(
    parts: &WebhookPageParts,
    form: &WebhookForm,
    problem: Option<&str>,
) -> String {
    let is_new = form.events.is_empty();
    let events = EventName::ALL.iter().map(|event| EventChoice {
        name: event.as_str(),
        meaning: meaning(*event),
        is_chosen: is_new || form.events.iter().any(|chosen| chosen == event.as_str()),
    });
    super::render(&WebhooksPage {
        problem,
        form_secret: &parts.form_secret,
        is_in_plan: parts.is_in_plan,
        url: &form.url,
        events: events.collect(),
        webhooks: parts.webhooks.iter().map(webhook_view).collect(),
        max_webhooks: MAX_WEBHOOKS,
    })
}

fn meaning(event: EventName) -> &'static str {
    match event {
        EventName::AnswerChanged => "the answer about one of your sites changed",
        EventName::Revocation => "a decision about one of your sites was revoked",
        EventName::ScanFinished => "a scan of yours has ended",
        EventName::ControlChanged => "somebody proved or lost control of one of your sites",
        EventName::AccuracyChanged => {
            "an AI engine is right or wrong about one of your businesses now"
        }
    }
}

fn webhook_view(shown: &ShownWebhook) -> WebhookView<'_> {
    let webhook = &shown.webhook;
    let state = match (webhook.disabled_at, webhook.failing_since) {
        (Some(at), _) => Status::bad(format!("Switched off on {}", dates::minute(at))),
        (None, Some(since)) => Status::warn(format!("Failing since {}", dates::minute(since))),
        (None, None) => Status::ok("On"),
    };
    WebhookView {
        events: webhook.events.join(", "),
        since: dates::minute(webhook.created_at),
        state,
        why: webhook.disabled_why.as_deref(),
        deliveries: shown.deliveries.iter().map(delivery_line).collect(),
        webhook,
    }
}

fn delivery_line(delivery: &Delivery) -> DeliveryLine<'_> {
    let state = match delivery.state {
        DeliveryState::Delivered => Status::ok("Delivered"),
        DeliveryState::Waiting if delivery.tries == 0 => Status::off("Waiting"),
        DeliveryState::Waiting => {
            Status::warn(format!("Next try {}", dates::minute(delivery.next_try_at)))
        }
        DeliveryState::Dead => Status::bad("Given up"),
    };
    let why = match (&delivery.last_error, delivery.last_status) {
        (Some(error), _) => error.clone(),
        (None, Some(status)) => format!("The receiver answered {status}."),
        (None, None) => String::new(),
    };
    DeliveryLine {
        id: &delivery.id,
        event: &delivery.event,
        at: dates::minute(delivery.created_at),
        state,
        tries: delivery.tries,
        why,
        is_dead: delivery.state == DeliveryState::Dead,
    }
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;

    use super::*;

    #[test]
    fn what_receivers_said_comes_back_as_text() {
        let at = Timestamp::from_rfc3339("2026-11-17T10:00:00Z").unwrap();
        let webhook = Webhook {
            id: "w".into(),
            licence_id: "l".into(),
            url: "https://hook.example/?a=<b>".into(),
            events: vec!["revocation".into()],
            created_at: at,
            failing_since: Some(at),
            disabled_at: Some(at),
            disabled_why: Some("<i>gone</i>".into()),
        };
        let delivery = Delivery {
            seq: 1,
            id: "d".into(),
            webhook_id: "w".into(),
            event: "revocation".into(),
            body: "{}".into(),
            created_at: at,
            next_try_at: at,
            tries: 3,
            state: DeliveryState::Dead,
            last_status: Some(500),
            last_error: Some("<script>x</script>".into()),
            ended_at: Some(at),
        };
        let parts = WebhookPageParts {
            webhooks: vec![ShownWebhook { webhook, deliveries: vec![delivery] }],
            is_in_plan: true,
            form_secret: "f0rm".into(),
        };
        let page = render(&parts, &WebhookForm::default(), Some("<u>No.</u>"));
        for bad in ["<script>x", "<i>", "<u>", "<b>"] {
            assert!(!page.contains(bad), "{bad}: {page}");
        }
        assert_eq!(page.matches("method=\"post\"").count(), page.matches("f0rm").count());
        assert!(page.contains("Switch on") && page.contains("Send again"));
    }
}
