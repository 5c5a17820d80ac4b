//! Tokens that identify the forms on our own pages. A scan from such a form does not count against
//! the daily limit of its address. The token is a MAC, so that other clients cannot make one.

use contract::Timestamp;
use data_encoding::BASE64URL_NOPAD;
use proof::keys::DeploymentSecret;

use crate::access::{Access, AddressBlock};

const MAC_LABEL: &str = "own page";
/// How long a token is valid after its page was served.
const TOKEN_LIFETIME_MS: i64 = 2 * 3600 * 1000;
/// How far in the future a token's time may be: clocks of two processes differ.
const MAX_CLOCK_SKEW_MS: i64 = 5 * 60 * 1000;
/// No valid token is longer.
const MAX_TOKEN_BYTES: usize = 80;

impl Access {
    /// A token for the form on a page served to this address now.
    #[must_use]
    pub fn page_token(&self, block: AddressBlock) -> String {
        make_token(&self.secret, self.clock.now(), block)
    }

    /// Whether we issued this token to this address, and it has not expired.
    #[must_use]
    pub fn is_page_token(&self, token: &str, block: AddressBlock) -> bool {
        is_valid_token(&self.secret, self.clock.now(), token, block)
    }
}

/// `<seconds since 1970>.<mac>`
pub(super) fn make_token(secret: &DeploymentSecret, now: Timestamp, block: AddressBlock) -> String {
    let at = now.as_millis().div_euclid(1000).to_string();
    let mac = secret.mac(MAC_LABEL, &[at.as_bytes(), block.text().as_bytes()]);
    format!("{at}.{}", BASE64URL_NOPAD.encode(mac.as_bytes()))
}

pub(super) fn is_valid_token(
    secret: &DeploymentSecret,
    now: Timestamp,
    token: &str,
    block: AddressBlock,
) -> bool {
    if token.len() > MAX_TOKEN_BYTES {
        return false;
    }
    let Some((at, mac)) = token.split_once('.') else { return false };
    let (Ok(seconds), Ok(mac)) = (at.parse::<i64>(), BASE64URL_NOPAD.decode(mac.as_bytes())) else {
        return false;
    };
    let age = now.millis_since(Timestamp::from_millis(seconds.saturating_mul(1000)));
    (-MAX_CLOCK_SKEW_MS..TOKEN_LIFETIME_MS).contains(&age)
        && secret.verifies(MAC_LABEL, &[at.as_bytes(), block.text().as_bytes()], &mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_valid_for_its_address_until_it_expires() {
        let secret = DeploymentSecret::from_bytes(&[1; 32]);
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let block = |text: &str| AddressBlock::from_address(text.parse().unwrap());
        let (reader, created_at) = (block("192.0.2.1"), at("2026-11-15T10:00:00.900Z"));
        let token = make_token(&secret, created_at, reader);
        assert!(token.len() <= MAX_TOKEN_BYTES);
        for (moment, good) in [
            ("2026-11-15T10:00:00Z", true),
            ("2026-11-15T11:59:59Z", true),
            ("2026-11-15T12:00:00Z", false),
            ("2026-11-16T10:00:00Z", false),
            // A clock that was set back a little, and a lot.
            ("2026-11-15T09:56:00Z", true),
            ("2026-11-15T09:00:00Z", false),
        ] {
            assert_eq!(is_valid_token(&secret, at(moment), &token, reader), good, "{moment}");
        }
        assert!(!is_valid_token(&secret, created_at, &token, block("192.0.2.2")));
        assert!(!is_valid_token(
            &DeploymentSecret::from_bytes(&[2; 32]),
            created_at,
            &token,
            reader
        ));
        let (seconds, mac) = token.split_once('.').unwrap();
        let later = seconds.parse::<i64>().unwrap() + 60;
        for forged in [
            format!("{later}.{mac}"),
            format!("+{seconds}.{mac}"),
            format!("{seconds}."),
            format!("{seconds}.{mac}A"),
            format!("{}.{mac}", i64::MAX),
            format!("{}.{mac}", i64::MIN),
            "a.b".repeat(100_000),
            "é.é".to_owned(),
            ".".to_owned(),
            String::new(),
        ] {
            assert!(!is_valid_token(&secret, created_at, &forged, reader), "{forged}");
        }
    }
}
