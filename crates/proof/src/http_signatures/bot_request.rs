//! Signs our own requests to sites by Web Bot Auth, so that a site can tell that they are ours.

use contract::Timestamp;

use super::component::Component;
use super::error::HttpSignatureError;
use super::message::{Message, Request};
use super::params::SignatureParams;
use super::sign::sign;
use super::web_bot_auth::{AGENT_FIELD, WEB_BOT_AUTH_TAG};
use crate::SigningKey;

const LABEL: &str = "sig1";
/// Long enough for clocks that differ, short enough that a copy is soon worthless.
const VALID_SECONDS: i64 = 120;

/// What a signature of a request says.
#[derive(Debug, Clone, Copy)]
pub struct BotRequest<'a> {
    /// `https://host`, where our key directory is.
    pub origin: &'a str,
    /// The host of the request, with its port unless it is 443.
    pub authority: &'a str,
    /// Never used before, so that the site can refuse a copy.
    pub nonce: &'a str,
    pub now: Timestamp,
}

/// The three fields to send, with names in lower case.
pub fn sign_bot_request(
    request: BotRequest<'_>,
    key: &SigningKey,
) -> Result<Vec<(String, String)>, HttpSignatureError> {
    let agent = format!("{LABEL}=\"{}\"", request.origin);
    let fields = [(AGENT_FIELD, agent.as_str())];
    let target = format!("https://{}/", request.authority);
    let message = Message::request(Request { method: "GET", target_uri: &target, fields: &fields });
    let created = request.now.as_millis().div_euclid(1000);
    let params = SignatureParams {
        created: Some(created),
        expires: Some(created.saturating_add(VALID_SECONDS)),
        keyid: None,
        nonce: Some(request.nonce.to_owned()),
        tag: Some(WEB_BOT_AUTH_TAG.to_owned()),
    };
    let components = [Component::new("@authority")?, Component::of_member(AGENT_FIELD, LABEL)?];
    let signed = sign(&message, LABEL, &components, &params, key)?;
    Ok(vec![
        (AGENT_FIELD.to_owned(), agent),
        ("signature-input".to_owned(), signed.input),
        ("signature".to_owned(), signed.signature),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyPurpose;
    use crate::http_signatures::BotSignature;

    #[test]
    fn what_we_sign_is_accepted_for_this_host_and_time_only() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
        let key = SigningKey::from_seed(&[9; 32], KeyPurpose::Requests, at(0)).unwrap();
        let request = BotRequest {
            origin: "https://wayleave.example",
            authority: "shop.example",
            nonce: "abc",
            now: at(1_800_000_000),
        };
        let signed = sign_bot_request(request, &key).unwrap();
        let fields: Vec<(&str, &str)> =
            signed.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let claim = BotSignature::find(&fields).unwrap().unwrap();
        assert_eq!(claim.origin(), "https://wayleave.example");
        assert!(claim.has_nonce());
        let verify = |authority, now| claim.verify(&fields, authority, key.public(), at(now));
        assert_eq!(verify("shop.example", 1_800_000_001), Ok(()));
        assert!(verify("other.example", 1_800_000_001).is_err());
        assert!(verify("shop.example", 1_800_000_300).is_err());
    }

    #[test]
    fn a_host_that_breaks_the_fields_is_not_signed() {
        let at = Timestamp::from_millis(0);
        let key = SigningKey::from_seed(&[9; 32], KeyPurpose::Requests, at).unwrap();
        let request =
            BotRequest { origin: "https://a\"b", authority: "shop.example", nonce: "n", now: at };
        assert!(sign_bot_request(request, &key).is_err());
    }
}
