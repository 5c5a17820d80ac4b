//! Ids, tokens and secrets of claims.
//!
//! All of them follow from the id and the deployment's secret, so that a claim which nobody proves leaves
//! nothing in the store: whoever asks for a thousand tokens costs no more than the requests.

use std::fmt;

use contract::limits::CLAIM_TOKEN_DAYS;
use contract::records::ControlMethod;
use contract::{Brand, Domain, Timestamp};
use data_encoding::{BASE32_NOPAD, BASE64URL_NOPAD};
use proof::keys::DeploymentSecret;
use store::Digest;

const TOKEN_LABEL: &str = "token of a claim";
const SECRET_LABEL: &str = "secret of a claim";
/// The random part of an id.
const RANDOM_CHARS: usize = 26;
/// A token has 160 bits.
const TOKEN_BYTES: usize = 20;
const DAY_MS: i64 = 24 * 3_600_000;
/// An id that was made later than this means that the clock was set back.
const MAX_CLOCK_SKEW_MS: i64 = 5 * 60_000;

/// The id of a claim: which method, and when it was begun, can be read from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClaimId {
    text: String,
    pub(super) method: ControlMethod,
    pub(super) begun_at: Timestamp,
}

/// The secret of a claimant. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct ClaimSecret(String);

impl ClaimId {
    pub(super) fn new(random_id: &str, method: &ControlMethod, now: Timestamp) -> Self {
        let seconds = now.as_millis().div_euclid(1000);
        let text = format!("{random_id}{seconds:x}{}", method_letter(method));
        Self { text, method: method.clone(), begun_at: now.whole_seconds() }
    }

    /// `None` for a text that is not in the format of our ids.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (random, rest) = text.split_at_checked(RANDOM_CHARS)?;
        let is_random = random.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let (seconds, letter) = rest.split_at_checked(rest.len().checked_sub(1)?)?;
        let is_hex = seconds.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if !is_random || !is_hex || seconds.len() > 11 {
            return None;
        }
        let seconds = i64::from_str_radix(seconds, 16).ok()?;
        let begun_at = Timestamp::from_millis(seconds.checked_mul(1000)?);
        Some(Self { text: text.to_owned(), method: method_of_letter(letter)?, begun_at })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The token proves nothing from this time on.
    pub(super) fn expires_at(&self) -> Timestamp {
        self.begun_at.plus_millis(i64::from(CLAIM_TOKEN_DAYS) * DAY_MS)
    }

    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        now >= self.expires_at() || self.begun_at.millis_since(now) > MAX_CLOCK_SKEW_MS
    }

    /// What is published. Lower-case letters and digits, because DNS tools change the case of others.
    pub(super) fn token(&self, secret: &DeploymentSecret, domain: &Domain) -> String {
        let mac = secret.mac(TOKEN_LABEL, &[self.text.as_bytes(), domain.as_str().as_bytes()]);
        let bytes: Vec<u8> = mac.as_bytes().iter().take(TOKEN_BYTES).copied().collect();
        BASE32_NOPAD.encode(&bytes).to_ascii_lowercase()
    }

    pub(super) fn secret(
        &self,
        secret: &DeploymentSecret,
        domain: &Domain,
        brand: &Brand,
    ) -> ClaimSecret {
        let mac = secret.mac(SECRET_LABEL, &[self.text.as_bytes(), domain.as_str().as_bytes()]);
        ClaimSecret(format!(
            "{}{}",
            ClaimSecret::prefix(brand),
            BASE64URL_NOPAD.encode(mac.as_bytes())
        ))
    }
}

impl ClaimSecret {
    /// 32 bytes in base64url.
    const CHARS: usize = 43;

    /// What tells a secret of a claim from a licence key.
    #[must_use]
    pub fn prefix(brand: &Brand) -> String {
        format!("{brand}-claim-")
    }

    /// `None` for a text that is not in the format of our secrets.
    #[must_use]
    pub fn parse(text: &str, brand: &Brand) -> Option<Self> {
        let secret = text.strip_prefix(&Self::prefix(brand))?;
        let plain = secret.len() == Self::CHARS
            && secret.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        plain.then(|| Self(text.to_owned()))
    }

    /// The secret itself, for the claimant.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn sha256(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for ClaimSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClaimSecret")
    }
}

fn method_letter(method: &ControlMethod) -> char {
    match method {
        ControlMethod::DnsTxt => 't',
        ControlMethod::WellKnownFile => 'w',
        _ => 'm',
    }
}

fn method_of_letter(letter: &str) -> Option<ControlMethod> {
    match letter {
        "t" => Some(ControlMethod::DnsTxt),
        "w" => Some(ControlMethod::WellKnownFile),
        "m" => Some(ControlMethod::MetaTag),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_millis(1_790_000_000_500)
    }

    fn domain(name: &str) -> Domain {
        Domain::parse(name, &contract::NamePolicy::default()).unwrap()
    }

    #[test]
    fn ids_say_when_and_how() {
        let random = "a2".repeat(13);
        for method in [ControlMethod::DnsTxt, ControlMethod::WellKnownFile, ControlMethod::MetaTag]
        {
            let id = ClaimId::new(&random, &method, now());
            assert_eq!(ClaimId::parse(id.as_str()), Some(id.clone()));
            assert_eq!(id.begun_at, now().whole_seconds());
            assert!(!id.is_expired(now()) && !id.is_expired(now().plus_millis(29 * DAY_MS)));
            assert!(id.is_expired(now().plus_millis(30 * DAY_MS)));
            assert!(id.is_expired(now().plus_millis(-DAY_MS)));
        }
        let long = format!("{random}{}t", "f".repeat(16));
        for bad in [
            "",
            "a",
            &random,
            &format!("{random}t"),
            &format!("{random}6ax"),
            &long,
            "ä".repeat(20).as_str(),
        ] {
            assert_eq!(ClaimId::parse(bad).map(|id| id.text), None, "{bad}");
        }
    }

    #[test]
    fn tokens_and_secrets_are_bound_to_claim_and_domain() {
        let (secret, brand) = (DeploymentSecret::from_bytes(&[7; 32]), Brand::default());
        let id = ClaimId::new(&"a".repeat(26), &ControlMethod::DnsTxt, now());
        let other = ClaimId::new(&"b".repeat(26), &ControlMethod::DnsTxt, now());
        let (one, two) = (domain("one.com"), domain("two.com"));
        let token = id.token(&secret, &one);
        assert_eq!((token.len(), token.to_ascii_lowercase()), (32, token.clone()));
        assert_ne!(token, id.token(&secret, &two));
        assert_ne!(token, other.token(&secret, &one));
        assert_ne!(token, id.token(&DeploymentSecret::from_bytes(&[8; 32]), &one));
        let claim_secret = id.secret(&secret, &one, &brand);
        assert_eq!(ClaimSecret::parse(claim_secret.reveal(), &brand), Some(claim_secret.clone()));
        assert_ne!(claim_secret, other.secret(&secret, &one, &brand));
        assert!(!format!("{claim_secret:?}").contains("claim-"));
        assert!(!claim_secret.reveal().contains(&token));
        for bad in ["", "svc-claim-", "wl_abc", "svc-claim-short"] {
            assert_eq!(ClaimSecret::parse(bad, &brand), None, "{bad}");
        }
    }
}
