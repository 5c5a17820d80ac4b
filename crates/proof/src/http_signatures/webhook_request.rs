//! Signs the requests by which events are delivered to webhooks, so that a receiver can tell that an event
//! is ours, unchanged and meant for its address.

use contract::Timestamp;

use super::component::Component;
use super::content_digest::content_digest;
use super::error::HttpSignatureError;
use super::message::{Message, Request};
use super::params::SignatureParams;
use super::sign::sign;
use crate::{Digest, SigningKey};

/// The `tag` parameter of these signatures.
pub const WEBHOOK_TAG: &str = "webhook";
/// The field with the id of the event.
pub const WEBHOOK_ID_FIELD: &str = "webhook-id";

const LABEL: &str = "sig1";
/// Long enough for clocks that differ, short enough that a copy is soon worthless.
const VALID_SECONDS: i64 = 300;

/// One delivery of an event.
#[derive(Debug, Clone, Copy)]
pub struct WebhookRequest<'a> {
    /// Where it is sent to, as it is sent: absolute and without a fragment.
    pub target_uri: &'a str,
    /// The same for every try, so that the receiver can leave out what it knows.
    pub id: &'a str,
    pub content_type: &'a str,
    pub body: &'a [u8],
    pub now: Timestamp,
}

/// The fields to send besides those of every request, with names in lower case: the id, the type and the
/// digest of the content, and the signature over them, the method and the address.
pub fn sign_webhook_request(
    request: WebhookRequest<'_>,
    key: &SigningKey,
) -> Result<Vec<(String, String)>, HttpSignatureError> {
    let digest = content_digest(&Digest::of(request.body));
    let fields = [
        ("content-type", request.content_type),
        ("content-digest", digest.as_str()),
        (WEBHOOK_ID_FIELD, request.id),
    ];
    let target_uri = request.target_uri;
    let message = Message::request(Request { method: "POST", target_uri, fields: &fields });
    let created = request.now.as_millis().div_euclid(1000);
    let params = SignatureParams {
        created: Some(created),
        expires: Some(created.saturating_add(VALID_SECONDS)),
        tag: Some(WEBHOOK_TAG.to_owned()),
        ..SignatureParams::default()
    };
    let mut components = vec![Component::new("@method")?, Component::new("@target-uri")?];
    for (name, _) in fields {
        components.push(Component::new(name)?);
    }
    let signed = sign(&message, LABEL, &components, &params, key)?;
    let mut sent: Vec<(String, String)> =
        fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    sent.push(("signature-input".to_owned(), signed.input));
    sent.push(("signature".to_owned(), signed.signature));
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyPurpose;
    use crate::http_signatures::{SignatureRequirements, verify};

    const URL: &str = "https://hooks.example/in?token=a%20b";
    const BODY: &[u8] = br#"{"id":"e1"}"#;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn key() -> SigningKey {
        SigningKey::from_seed(&[7; 32], KeyPurpose::Requests, at(0)).unwrap()
    }

    fn request() -> WebhookRequest<'static> {
        WebhookRequest {
            target_uri: URL,
            id: "e1",
            content_type: "application/json",
            body: BODY,
            now: at(1_800_000_000),
        }
    }

    fn check(url: &str, fields: &[(String, String)], now: i64) -> Result<(), HttpSignatureError> {
        let key = key();
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let covers = ["@method", "@target-uri", "content-digest", "content-type", WEBHOOK_ID_FIELD];
        let covers = covers.map(|name| Component::new(name).unwrap());
        let expected = SignatureRequirements {
            now: at(now),
            skew_seconds: 5,
            max_age_seconds: None,
            tag: Some(WEBHOOK_TAG),
            covers: &covers,
        };
        let request = Request { method: "POST", target_uri: url, fields: &fields };
        let find = |kid: &str| (kid == key.kid()).then(|| key.public().clone());
        verify(&Message::request(request), &expected, &find).map(drop)
    }

    #[test]
    fn a_receiver_accepts_it_for_this_address_time_id_and_content_only() {
        let sent = sign_webhook_request(request(), &key()).unwrap();
        assert_eq!(check(URL, &sent, 1_800_000_001), Ok(()));
        assert!(check("https://hooks.example/in", &sent, 1_800_000_001).is_err());
        assert!(check(URL, &sent, 1_800_000_400).is_err(), "it has expired");
        for changed in ["content-type", "content-digest", "webhook-id"] {
            let mut sent = sent.clone();
            for (_, value) in sent.iter_mut().filter(|(name, _)| name == changed) {
                value.push('x');
            }
            assert_eq!(
                check(URL, &sent, 1_800_000_001),
                Err(HttpSignatureError::BadSignature),
                "{changed}"
            );
        }
    }

    #[test]
    fn the_digest_is_that_of_the_content() {
        let digest_of = |body: &'static [u8]| {
            let sent = sign_webhook_request(WebhookRequest { body, ..request() }, &key()).unwrap();
            sent.into_iter().find(|(name, _)| name == "content-digest").unwrap().1
        };
        assert_eq!(digest_of(b""), "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:");
        assert_ne!(digest_of(BODY), digest_of(b""));
    }

    #[test]
    fn values_that_break_the_fields_are_not_signed() {
        let broken = WebhookRequest { id: "a\nb", ..request() };
        assert!(sign_webhook_request(broken, &key()).is_err());
        let broken = WebhookRequest { target_uri: "https://hooks.example/#a", ..request() };
        assert!(sign_webhook_request(broken, &key()).is_err());
    }
}
