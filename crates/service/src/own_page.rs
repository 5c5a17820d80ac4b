//! The mark our own pages carry, so that their forms are known for ours: whoever reads a page may
//! use it without being counted by the day, and a header that anybody can guess is no page.

use contract::Timestamp;
use data_encoding::BASE64URL_NOPAD;
use proof::keys::Secret;

use crate::{AddressBlock, Service};

const LABEL: &str = "own page";
/// How long a page may lie open before its form counts as anybody's.
const GOOD_FOR_MS: i64 = 2 * 3600 * 1000;
/// How far ahead of us another process of this deployment may be, or our clock set back.
const AHEAD_MS: i64 = 5 * 60 * 1000;
/// No token is longer.
const LONGEST: usize = 80;

impl Service {
    /// A token for the form of a page that is shown to this address now.
    #[must_use]
    pub fn page_token(&self, block: AddressBlock) -> String {
        token(&self.secret, self.clock.now(), block)
    }

    /// Whether we gave this token to this address, not too long ago.
    #[must_use]
    pub fn is_own_page(&self, token: &str, block: AddressBlock) -> bool {
        holds(&self.secret, self.clock.now(), token, block)
    }
}

/// `<seconds since 1970>.<mac>`
fn token(secret: &Secret, now: Timestamp, block: AddressBlock) -> String {
    let at = now.as_millis().div_euclid(1000).to_string();
    let mac = secret.mac(LABEL, &[at.as_bytes(), block.text().as_bytes()]);
    format!("{at}.{}", BASE64URL_NOPAD.encode(mac.as_bytes()))
}

fn holds(secret: &Secret, now: Timestamp, token: &str, block: AddressBlock) -> bool {
    if token.len() > LONGEST {
        return false;
    }
    let Some((at, mac)) = token.split_once('.') else { return false };
    let (Ok(seconds), Ok(mac)) = (at.parse::<i64>(), BASE64URL_NOPAD.decode(mac.as_bytes())) else {
        return false;
    };
    let age = now.millis_since(Timestamp::from_millis(seconds.saturating_mul(1000)));
    (-AHEAD_MS..GOOD_FOR_MS).contains(&age)
        && secret.knows(LABEL, &[at.as_bytes(), block.text().as_bytes()], &mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_its_address_and_its_time() {
        let secret = Secret::from_bytes(&[1; 32]);
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let block = |text: &str| AddressBlock::of(text.parse().unwrap());
        let (reader, made) = (block("192.0.2.1"), at("2026-11-15T10:00:00.900Z"));
        let given = token(&secret, made, reader);
        assert!(given.len() <= LONGEST);
        for (moment, good) in [
            ("2026-11-15T10:00:00Z", true),
            ("2026-11-15T11:59:59Z", true),
            ("2026-11-15T12:00:00Z", false),
            ("2026-11-16T10:00:00Z", false),
            // A clock that was set back a little, and a lot.
            ("2026-11-15T09:56:00Z", true),
            ("2026-11-15T09:00:00Z", false),
        ] {
            assert_eq!(holds(&secret, at(moment), &given, reader), good, "{moment}");
        }
        assert!(!holds(&secret, made, &given, block("192.0.2.2")));
        assert!(!holds(&Secret::from_bytes(&[2; 32]), made, &given, reader));
        let (seconds, mac) = given.split_once('.').unwrap();
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
            assert!(!holds(&secret, made, &forged, reader), "{forged}");
        }
    }
}
