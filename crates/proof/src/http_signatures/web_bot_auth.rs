//! Web Bot Auth: the signature by which an agent says who operates it (draft-ietf-webbotauth-httpsig-protocol).
//!
//! The field `Signature-Agent` names the origin whose key directory has the key. Finding the key is the
//! caller's work, so a check has two steps: [`BotSignature::find`] reads the claim, [`BotSignature::verify`]
//! checks it with the key of that origin.

use contract::Timestamp;
use sfv::{BareItem, Dictionary, Item, ListEntry, Parser};

use super::component::Component;
use super::error::HttpSignatureError;
use super::limits::{MAX_COMPONENTS, MAX_SIGNATURES};
use super::message::{Fields, Message, Request};
use super::params::SignatureParams;
use super::verify::{SignatureRequirements, verify};
use crate::{Digest, PublicKey, sha256};

pub const WEB_BOT_AUTH_TAG: &str = "web-bot-auth";
/// A signature that is valid for longer is refused (the draft advises a day).
const MAX_LIFETIME_SECONDS: i64 = 24 * 3600;
const CLOCK_SKEW_SECONDS: i64 = 60;
pub(super) const AGENT_FIELD: &str = "signature-agent";
/// The public keys of RFC 9421, appendix B.1: anybody has their private parts.
const TEST_KEY_X: &str = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
/// Components whose value is not known when only the authority of a request is.
const NEEDS_TARGET: [&str; 6] =
    ["@method", "@target-uri", "@path", "@query", "@request-target", "@query-param"];

/// The claim that a request's signature makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotSignature {
    label: String,
    keyid: String,
    /// `https://host`, where the key directory is.
    origin: String,
    /// A covered component whose value is not known when only the authority of the request is.
    unknown_component: Option<String>,
    /// Of the signature itself.
    fingerprint: Digest,
    has_nonce: bool,
    expires_at: Option<Timestamp>,
}

/// Why a signature is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BotSignatureError {
    #[error(transparent)]
    Signature(#[from] HttpSignatureError),
    #[error("the request does not say in Signature-Agent whose key it is signed with")]
    NoAgent,
    #[error("Signature-Agent is not the https address of a host")]
    BadAgent,
    #[error("the signature covers neither @authority nor @target-uri")]
    NoAuthority,
    #[error("the key is one of the published test keys of RFC 9421")]
    TestKey,
    #[error("the signature is valid for longer than a day")]
    TooLongLived,
}

impl BotSignature {
    /// The first signature with the tag of Web Bot Auth; `None` if the request has none.
    pub fn find(fields: Fields<'_>) -> Result<Option<Self>, BotSignatureError> {
        let message = request("x", fields);
        let Some(inputs) = dictionary(&message, "signature-input")? else { return Ok(None) };
        for (label, input) in &inputs {
            let ListEntry::InnerList(list) = input else { continue };
            let params = SignatureParams::from_parameters(&list.params)?;
            if params.tag.as_deref() != Some(WEB_BOT_AUTH_TAG) {
                continue;
            }
            if list.items.len() > MAX_COMPONENTS {
                return Err(HttpSignatureError::TooLarge("the list of components").into());
            }
            let covered = list.items.iter().map(Component::from_item);
            let covered: Vec<Component> = covered.collect::<Result<_, _>>()?;
            let lifetime = params.expires.zip(params.created);
            if lifetime.is_some_and(|(end, begin)| end.saturating_sub(begin) > MAX_LIFETIME_SECONDS)
            {
                return Err(BotSignatureError::TooLongLived);
            }
            let needs_target = |part: &&Component| NEEDS_TARGET.contains(&part.name());
            let unknown_component =
                covered.iter().find(needs_target).map(|part| part.name().to_owned());
            let names_host =
                |part: &Component| ["@authority", "@target-uri"].contains(&part.name());
            if !covered.iter().any(names_host) {
                return Err(BotSignatureError::NoAuthority);
            }
            // Whoever signs must sign whose key it is.
            let agent = covered.iter().find(|part| part.name() == AGENT_FIELD);
            let agent = agent.ok_or(HttpSignatureError::NotCovered(AGENT_FIELD.to_owned()))?;
            let origin = origin_of(&message, agent.member(), label.as_str())?;
            let keyid = params.keyid.ok_or(HttpSignatureError::MissingParameter("keyid"))?;
            let signatures = dictionary(&message, "signature")?;
            let signature = signatures.as_ref().and_then(|all| all.get(label));
            let bytes = match signature {
                Some(ListEntry::Item(item)) => item.bare_item.as_byte_sequence(),
                _ => None,
            };
            let bytes = bytes.ok_or(HttpSignatureError::Malformed("a signature"))?;
            let expires_ms = params.expires.map(|seconds| seconds.saturating_mul(1000));
            return Ok(Some(Self {
                label: label.as_str().to_owned(),
                keyid,
                origin,
                unknown_component,
                fingerprint: sha256(bytes),
                has_nonce: params.nonce.is_some(),
                expires_at: expires_ms.map(Timestamp::from_millis),
            }));
        }
        Ok(None)
    }

    /// `https://host`, where the key directory is.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The thumbprint of the key (RFC 7638).
    #[must_use]
    pub fn keyid(&self) -> &str {
        &self.keyid
    }

    /// Tells this signature from every other one.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        self.fingerprint
    }

    /// Whether its maker says that it is used only once.
    #[must_use]
    pub fn has_nonce(&self) -> bool {
        self.has_nonce
    }

    #[must_use]
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// A covered component, such as `@path`, whose value is not known when only the authority of the
    /// request is: the signature cannot be checked then.
    #[must_use]
    pub fn unknown_component(&self) -> Option<&str> {
        self.unknown_component.as_deref()
    }

    /// Whether the signature is valid for a request to this authority at this time, by this key of the
    /// origin.
    pub fn verify(
        &self,
        fields: Fields<'_>,
        authority: &str,
        key: &PublicKey,
        now: Timestamp,
    ) -> Result<(), BotSignatureError> {
        if key.kid() != self.keyid {
            return Err(HttpSignatureError::UnknownKey.into());
        }
        if key.x() == TEST_KEY_X {
            return Err(BotSignatureError::TestKey);
        }
        let target = format!("https://{authority}/");
        let message = request(&target, fields);
        let requirements = SignatureRequirements {
            now,
            skew_seconds: CLOCK_SKEW_SECONDS,
            max_age_seconds: None,
            tag: Some(WEB_BOT_AUTH_TAG),
            covers: &[Component::new("@authority")?],
        };
        let find_key = |keyid: &str| (keyid == self.keyid).then(|| key.clone());
        let verified = verify(&message, &requirements, &find_key)?;
        if verified.label != self.label {
            // Another signature of the same request is valid, but it is not the one that makes the claim.
            return Err(HttpSignatureError::BadSignature.into());
        }
        Ok(())
    }
}

fn request<'a>(target_uri: &'a str, fields: Fields<'a>) -> Message<'a> {
    Message::request(Request { method: "GET", target_uri, fields })
}

fn dictionary(
    message: &Message<'_>,
    name: &'static str,
) -> Result<Option<Dictionary>, HttpSignatureError> {
    let Some(field) = message.own_field(name)? else { return Ok(None) };
    let members: Dictionary =
        Parser::new(&field).parse().map_err(|_| HttpSignatureError::Malformed(name))?;
    if members.len() > MAX_SIGNATURES {
        return Err(HttpSignatureError::TooLarge(name));
    }
    Ok(Some(members))
}

/// The origin that `Signature-Agent` names: by the member that the signature covers; if it covers the whole
/// field, by the member with the label of the signature, or the only one.
fn origin_of(
    message: &Message<'_>,
    member: Option<&str>,
    label: &str,
) -> Result<String, BotSignatureError> {
    let field = message.own_field(AGENT_FIELD)?.ok_or(BotSignatureError::NoAgent)?;
    // Older senders have one string instead of a dictionary.
    if let Ok(item) = Parser::new(&field).parse::<Item>() {
        let text = item.bare_item.as_string().ok_or(BotSignatureError::BadAgent)?;
        return parse_origin(text.as_str());
    }
    let members: Dictionary =
        Parser::new(&field).parse().map_err(|_| HttpSignatureError::Malformed(AGENT_FIELD))?;
    if members.len() > MAX_SIGNATURES {
        return Err(HttpSignatureError::TooLarge(AGENT_FIELD).into());
    }
    let entry = match member {
        Some(member) => members.get(member),
        None if members.len() == 1 => members.values().next(),
        None => members.get(label),
    };
    let Some(ListEntry::Item(item)) = entry else { return Err(BotSignatureError::NoAgent) };
    // Keys at other places than a directory are not supported.
    let is_directory = match item.params.get("type") {
        None => true,
        Some(BareItem::String(kind)) => kind.as_str() == "directory",
        Some(BareItem::Token(kind)) => kind.as_str() == "directory",
        Some(_) => false,
    };
    if !is_directory {
        return Err(BotSignatureError::NoAgent);
    }
    let text = item.bare_item.as_string().ok_or(BotSignatureError::BadAgent)?;
    parse_origin(text.as_str())
}

/// `https://host[:port]` in lower case, without a path.
fn parse_origin(text: &str) -> Result<String, BotSignatureError> {
    let bad = || BotSignatureError::BadAgent;
    let (scheme, rest) = text.split_at_checked("https://".len()).ok_or_else(bad)?;
    let host = rest.strip_suffix('/').unwrap_or(rest);
    let is_host = |b: u8| b.is_ascii_alphanumeric() || b"-.:".contains(&b);
    let is_good = scheme.eq_ignore_ascii_case("https://")
        && !host.is_empty()
        && host.len() <= 260
        && host.bytes().all(is_host);
    if is_good { Ok(format!("https://{}", host.to_ascii_lowercase())) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http_signatures::sign;
    use crate::{KeyPurpose, SigningKey};

    const NOW: i64 = 1_800_000_000;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1000)
    }

    fn key() -> SigningKey {
        SigningKey::from_seed(&[7; 32], KeyPurpose::Requests, at(0)).unwrap()
    }

    /// The fields of a request to shop.example, signed with these components and parameters.
    fn signed(agent: &str, components: &[&str], params: &SignatureParams) -> Vec<(String, String)> {
        let fields = [(AGENT_FIELD, agent)];
        let message = request("https://shop.example/", &fields);
        let component = |text: &&str| match text.split_once(';') {
            None => Component::new(text).unwrap(),
            Some((name, member)) => Component::of_member(name, member).unwrap(),
        };
        let components: Vec<Component> = components.iter().map(component).collect();
        let made = sign(&message, "sig1", &components, params, &key()).unwrap();
        vec![
            (AGENT_FIELD.to_owned(), agent.to_owned()),
            ("signature-input".to_owned(), made.input),
            ("signature".to_owned(), made.signature),
        ]
    }

    fn params() -> SignatureParams {
        SignatureParams {
            created: Some(NOW - 10),
            expires: Some(NOW + 300),
            tag: Some(WEB_BOT_AUTH_TAG.to_owned()),
            ..SignatureParams::default()
        }
    }

    fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
        fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    fn verify_at(
        fields: &[(String, String)],
        authority: &str,
        now: i64,
    ) -> Result<String, BotSignatureError> {
        let fields = borrowed(fields);
        let found = BotSignature::find(&fields)?.ok_or(HttpSignatureError::NoSignature)?;
        found.verify(&fields, authority, key().public(), at(now))?;
        Ok(found.origin().to_owned())
    }

    const AGENT: &str = "agent1=\"https://Bots.example\"";

    #[test]
    fn both_forms_of_signature_agent_are_accepted() {
        for (agent, components) in [
            (AGENT, &["@authority", "signature-agent;agent1"][..]),
            (AGENT, &["@authority", "signature-agent"]),
            ("\"https://bots.example\"", &["@authority", "signature-agent"]),
            ("\"https://bots.example/\"", &["@authority", "signature-agent"]),
            (
                "a=\"https://x.example\", sig1=\"https://bots.example\"",
                &["@authority", "signature-agent"],
            ),
            (
                "sig1=\"https://bots.example\";type=directory",
                &["@authority", "signature-agent;sig1"],
            ),
        ] {
            let fields = signed(agent, components, &params());
            let origin = verify_at(&fields, "shop.example", NOW);
            assert_eq!(origin.as_deref(), Ok("https://bots.example"), "{agent}");
        }
    }

    #[test]
    fn what_is_not_a_valid_claim_is_refused() {
        let whole = ["@authority", "signature-agent"];
        let good = signed(AGENT, &whole, &params());
        assert!(verify_at(&good, "shop.example", NOW).is_ok());
        use HttpSignatureError as Http;
        assert_eq!(verify_at(&good, "other.example", NOW), Err(Http::BadSignature.into()));
        assert_eq!(verify_at(&good, "shop.example", NOW + 3600), Err(Http::Expired.into()));
        assert_eq!(verify_at(&good, "shop.example", NOW - 3600), Err(Http::NotYetValid.into()));
        let make = |agent: &str, components: &[&str], change: &dyn Fn(&mut SignatureParams)| {
            let mut params = params();
            change(&mut params);
            verify_at(&signed(agent, components, &params), "shop.example", NOW)
        };
        let same = |_: &mut SignatureParams| {};
        let not_covered = Http::NotCovered(AGENT_FIELD.to_owned());
        assert_eq!(make(AGENT, &["@authority"], &same), Err(not_covered.into()));
        assert_eq!(make(AGENT, &["signature-agent"], &same), Err(BotSignatureError::NoAuthority));
        assert_eq!(
            make("\"http://bots.example\"", &whole, &same),
            Err(BotSignatureError::BadAgent)
        );
        assert_eq!(
            make("\"https://bots.example/x\"", &whole, &same),
            Err(BotSignatureError::BadAgent)
        );
        assert_eq!(
            make("\"https://a@bots.example\"", &whole, &same),
            Err(BotSignatureError::BadAgent)
        );
        let jwks = "sig1=\"https://bots.example\";type=jwks_uri";
        assert_eq!(make(jwks, &whole, &same), Err(BotSignatureError::NoAgent));
        let long = |params: &mut SignatureParams| params.expires = Some(NOW + 90_000);
        assert_eq!(make(AGENT, &whole, &long), Err(BotSignatureError::TooLongLived));
        let other_tag = |params: &mut SignatureParams| params.tag = Some("other".to_owned());
        assert_eq!(make(AGENT, &whole, &other_tag), Err(Http::NoSignature.into()));
        let no_end = |params: &mut SignatureParams| params.expires = None;
        assert_eq!(make(AGENT, &whole, &no_end), Err(Http::MissingParameter("expires").into()));
    }

    #[test]
    fn two_uses_of_a_signature_have_one_fingerprint() {
        let whole = ["@authority", "signature-agent"];
        let find = |nonce: Option<&str>| {
            let params = SignatureParams { nonce: nonce.map(str::to_owned), ..params() };
            let fields = signed(AGENT, &whole, &params);
            BotSignature::find(&borrowed(&fields)).unwrap().unwrap()
        };
        assert_eq!(find(Some("a")), find(Some("a")));
        assert_ne!(find(Some("a")).fingerprint(), find(Some("b")).fingerprint());
        assert!(find(Some("a")).has_nonce() && !find(None).has_nonce());
        assert_eq!(find(None).expires_at(), Some(at(NOW + 300)));
        let fields = signed(AGENT, &whole, &params());
        let without = borrowed(&fields[..2]);
        assert!(BotSignature::find(&without).is_err(), "a claim without a signature");
    }

    #[test]
    fn a_claim_about_the_path_needs_the_path() {
        let fields = signed(AGENT, &["@authority", "@path", "signature-agent"], &params());
        let found = BotSignature::find(&borrowed(&fields)).unwrap().unwrap();
        assert_eq!(found.unknown_component(), Some("@path"));
    }

    #[test]
    fn a_published_test_key_proves_nothing() {
        let key = PublicKey::from_x(TEST_KEY_X).unwrap();
        let claim = BotSignature {
            label: "sig1".to_owned(),
            keyid: key.kid().to_owned(),
            origin: "https://bots.example".to_owned(),
            unknown_component: None,
            fingerprint: sha256(b""),
            has_nonce: false,
            expires_at: None,
        };
        let refused = claim.verify(&[], "shop.example", &key, at(NOW));
        assert_eq!(refused, Err(BotSignatureError::TestKey));
    }

    #[test]
    fn no_more_signatures_are_read_than_a_request_has() {
        let many: Vec<String> =
            (0..100).map(|n| format!("s{n}=(\"@authority\");tag=\"web-bot-auth\"")).collect();
        let many = many.join(", ");
        let fields = [("signature-input", many.as_str()), ("signature", "s0=:AA==:")];
        assert!(matches!(
            BotSignature::find(&fields),
            Err(BotSignatureError::Signature(HttpSignatureError::TooLarge(_)))
        ));
    }
}
