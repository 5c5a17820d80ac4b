//! The staple: the decisions about a domain in one short signed line, which a site can send in a
//! header or publish in a TXT record.
//!
//! `v=ccr1;d=…;read=…;cite=…;connect=…;transact=…;f=…;k=…;x=…;s=…`. The signature is Ed25519 over
//! `{brand}-dns-v1`, a line feed, and everything before `;s=`.

use contract::records::Decision;
use contract::{Brand, Domain, Timestamp};
use data_encoding::BASE64URL_NOPAD;

use crate::{KeyPurpose, ProofError, PublicKey, SigningKey};

const VERSION: &str = "ccr1";
/// More than any staple needs: a domain has at most 253 characters, everything else is short.
const MAX_LINE_BYTES: usize = 1024;
/// The maximum length of one character-string in a TXT record.
const TXT_STRING_BYTES: usize = 255;

/// The decisions and the expiry time that a staple states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staple {
    pub domain: Domain,
    pub read: Decision,
    pub cite: Decision,
    pub connect: Decision,
    pub transact: Decision,
    pub fresh_until: Timestamp,
}

/// Why a line was not accepted as a staple.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StapleError {
    #[error("not a {VERSION} record")]
    Malformed,
    #[error("it expired at {0}")]
    Expired(Timestamp),
    #[error("it is for {0}")]
    OtherDomain(String),
    #[error("its key is not published for signing documents")]
    UnknownKey,
    #[error("its signature is invalid")]
    BadSignature,
}

impl Staple {
    /// The signed line.
    pub fn sign(&self, key: &SigningKey, brand: &Brand) -> Result<String, ProofError> {
        if key.purpose() != KeyPurpose::Documents {
            let purpose = key.purpose();
            return Err(ProofError::Key(format!("the key for {purpose} must not sign a staple")));
        }
        let Self { domain, read, cite, connect, transact, fresh_until } = self;
        let body = format!(
            "v={VERSION};d={domain};read={read};cite={cite};connect={connect};transact={transact};\
             f={fresh_until};k={};x={}",
            key.kid(),
            key.public().x(),
        );
        let signature = key.sign(signed_message(&body, brand).as_bytes())?;
        Ok(format!("{body};s={}", BASE64URL_NOPAD.encode(&signature)))
    }
}

fn signed_message(body: &str, brand: &Brand) -> String {
    format!("{}{body}", brand.staple_prefix())
}

/// The line as the value of a TXT record: strings of at most 255 bytes, in quotes.
#[must_use]
pub fn to_txt_record(line: &str) -> String {
    // The line is ASCII, so every piece is text.
    let pieces = line.as_bytes().chunks(TXT_STRING_BYTES);
    let pieces = pieces.map(|piece| format!("\"{}\"", String::from_utf8_lossy(piece)));
    pieces.collect::<Vec<_>>().join(" ")
}

/// Parses and verifies a line. It is accepted if it has not expired and `host` is its domain or a
/// name under it. `published` are the keys that sign documents.
pub fn verify(
    line: &str,
    host: &str,
    published: &[PublicKey],
    brand: &Brand,
    now: Timestamp,
) -> Result<Staple, StapleError> {
    if line.len() > MAX_LINE_BYTES || !line.is_ascii() {
        return Err(StapleError::Malformed);
    }
    let (body, signature) = line.rsplit_once(";s=").ok_or(StapleError::Malformed)?;
    let member = |name: &str| {
        let mut named = body.split(';').filter_map(|part| part.split_once('='));
        let (_, value) = named.clone().find(|(found, _)| *found == name)?;
        // A repeated member is refused: readers would disagree on its value.
        (named.by_ref().filter(|(found, _)| *found == name).count() == 1).then_some(value)
    };
    let text = |name: &str| member(name).ok_or(StapleError::Malformed);
    let decision = |name: &str| {
        text(name).and_then(|word| Decision::from_word(word).ok_or(StapleError::Malformed))
    };
    if text("v")? != VERSION {
        return Err(StapleError::Malformed);
    }
    let fresh_until: Timestamp = text("f")?.parse().map_err(|_| StapleError::Malformed)?;
    if fresh_until <= now {
        return Err(StapleError::Expired(fresh_until));
    }
    let domain = text("d")?;
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let under =
        host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    if !under {
        return Err(StapleError::OtherDomain(domain.to_owned()));
    }
    let (kid, x) = (text("k")?, text("x")?);
    let key = published.iter().find(|key| key.kid() == kid && key.x() == x);
    let key = key.ok_or(StapleError::UnknownKey)?;
    let signature =
        BASE64URL_NOPAD.decode(signature.as_bytes()).map_err(|_| StapleError::BadSignature)?;
    if !key.verifies(signed_message(body, brand).as_bytes(), &signature) {
        return Err(StapleError::BadSignature);
    }
    let named = serde_json::Value::String(domain.to_owned());
    Ok(Staple {
        domain: serde_json::from_value(named).map_err(|_| StapleError::Malformed)?,
        read: decision("read")?,
        cite: decision("cite")?,
        connect: decision("connect")?,
        transact: decision("transact")?,
        fresh_until,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(purpose: KeyPurpose) -> SigningKey {
        SigningKey::from_seed(&[1; 32], purpose, Timestamp::from_millis(0)).unwrap()
    }

    fn staple(domain: &str) -> Staple {
        Staple {
            domain: serde_json::from_value(domain.into()).unwrap(),
            read: Decision::Warn,
            cite: Decision::Warn,
            connect: Decision::Unsupported,
            transact: Decision::RequireConfirmation,
            fresh_until: Timestamp::from_millis(10_000),
        }
    }

    fn check(line: &str, host: &str, now: i64) -> Result<Staple, StapleError> {
        let keys = [key(KeyPurpose::Documents).public().clone()];
        verify(line, host, &keys, &Brand::default(), Timestamp::from_millis(now))
    }

    #[test]
    fn holds_for_its_domain_and_names_under_it_until_its_end() {
        let key = key(KeyPurpose::Documents);
        let staple = staple("shop.example");
        let line = staple.sign(&key, &Brand::default()).unwrap();
        let expected = format!(
            "v=ccr1;d=shop.example;read=warn;cite=warn;connect=unsupported;\
             transact=require_confirmation;f=1970-01-01T00:00:10Z;k={};x={};s=",
            key.kid(),
            key.public().x()
        );
        assert!(line.starts_with(&expected), "{line}");
        for host in ["shop.example", "www.shop.example", "a.b.shop.example", "SHOP.example."] {
            assert_eq!(check(&line, host, 9_999), Ok(staple.clone()), "{host}");
        }
        for host in ["", "example", "othershop.example", "shop.example.lab"] {
            assert!(matches!(check(&line, host, 0), Err(StapleError::OtherDomain(_))), "{host}");
        }
        assert_eq!(
            check(&line, "shop.example", 10_000),
            Err(StapleError::Expired(Timestamp::from_millis(10_000)))
        );
        let other = Brand::new("other").unwrap();
        let keys = [key.public().clone()];
        let now = Timestamp::from_millis(0);
        let foreign = verify(&line, "shop.example", &keys, &other, now);
        assert_eq!(foreign, Err(StapleError::BadSignature));
        let unpublished = verify(&line, "shop.example", &[], &Brand::default(), now);
        assert_eq!(unpublished, Err(StapleError::UnknownKey));
    }

    #[test]
    fn only_the_key_for_documents_signs_it() {
        for purpose in [KeyPurpose::Requests, KeyPurpose::Decisions, KeyPurpose::LogHeads] {
            assert!(staple("shop.example").sign(&key(purpose), &Brand::default()).is_err());
        }
    }

    #[test]
    fn a_long_line_is_several_strings_of_a_record() {
        let long = format!("{}.example", ["a".repeat(60).as_str(); 3].join("."));
        let line = staple(&long).sign(&key(KeyPurpose::Documents), &Brand::default()).unwrap();
        let record = to_txt_record(&line);
        assert!(record.starts_with("\"v=ccr1;") && record.ends_with('"'));
        assert!(record.split("\" \"").all(|piece| piece.len() <= TXT_STRING_BYTES + 1));
        assert_eq!(record.replace("\" \"", "").trim_matches('"'), line);
    }

    proptest! {
        #[test]
        fn a_changed_line_is_refused(at in 0..400usize, to in 32u8..127) {
            let line = staple("shop.example").sign(&key(KeyPurpose::Documents), &Brand::default());
            let mut bytes = line.unwrap().into_bytes();
            let at = at % bytes.len();
            prop_assume!(bytes[at] != to);
            bytes[at] = to;
            let changed = String::from_utf8(bytes).unwrap();
            prop_assert!(check(&changed, "shop.example", 0).is_err(), "{}", changed);
        }

        #[test]
        fn never_panics(line in ".{0,300}", host in ".{0,40}") {
            let _ = check(&line, &host, 0);
        }
    }
}
