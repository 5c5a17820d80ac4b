//! Tokens that identify the forms on our own pages. A scan from such a form does not count against
//! the daily limit of its address. The token is a MAC, so that other clients cannot make one. It is valid
//! for the address that the page was served to, and for a handful of scans.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use contract::Timestamp;
use contract::limits::SCANS_PER_PAGE_TOKEN;
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
/// Tokens whose uses are counted at a time. Beyond it, the oldest is forgotten.
const MAX_TRACKED_TOKENS: usize = 65_536;

/// How often each token was used. Every scan from a form writes to it; the mutex is held for one
/// look-up and never across an await. In memory only: a restart allows a token its scans once more.
#[derive(Debug, Default)]
pub(crate) struct PageTokenUses(Mutex<BTreeMap<TokenKey, u32>>);

/// The time of a token in seconds since 1970, and the token. Ordered by age.
type TokenKey = (i64, String);

impl PageTokenUses {
    /// Counts one use of a valid token; false if it has no uses left.
    fn count(&self, token: &str, now: Timestamp) -> bool {
        let issued_at = token.split_once('.').and_then(|(at, _)| at.parse().ok()).unwrap_or(0);
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first_valid = (now.as_millis() - TOKEN_LIFETIME_MS).div_euclid(1000);
        *uses = uses.split_off(&(first_valid, String::new()));
        while uses.len() >= MAX_TRACKED_TOKENS {
            uses.pop_first();
        }
        let used = uses.entry((issued_at, token.to_owned())).or_default();
        let fits = *used < SCANS_PER_PAGE_TOKEN;
        *used += u32::from(fits);
        fits
    }
}

impl Access {
    /// A token for the form on a page served to this address now.
    #[must_use]
    pub fn page_token(&self, block: AddressBlock) -> String {
        make_token(&self.secret, self.clock.now(), block)
    }

    /// Uses a token for one scan. False if we did not issue it to this address, if it has expired, or if
    /// it was used for [`SCANS_PER_PAGE_TOKEN`] scans.
    #[must_use]
    pub fn use_page_token(&self, token: &str, block: AddressBlock) -> bool {
        let now = self.clock.now();
        is_valid_token(&self.secret, now, token, block) && self.page_token_uses.count(token, now)
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
    fn a_token_is_good_for_a_handful_of_scans() {
        let secret = DeploymentSecret::from_bytes(&[1; 32]);
        let uses = PageTokenUses::default();
        let now = Timestamp::from_millis(1_800_000_000_000);
        let block = |n: u8| AddressBlock::from_address([192, 0, 2, n].into());
        let (one, other) = (make_token(&secret, now, block(1)), make_token(&secret, now, block(2)));
        for _ in 0..SCANS_PER_PAGE_TOKEN {
            assert!(uses.count(&one, now));
        }
        assert!(!uses.count(&one, now));
        assert!(uses.count(&other, now), "another token");
        // What has expired is forgotten: it is refused by its time.
        let later = now.plus_millis(TOKEN_LIFETIME_MS + 1_000);
        assert!(uses.count(&make_token(&secret, later, block(1)), later));
        assert_eq!(uses.0.lock().unwrap().len(), 1);
    }

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
