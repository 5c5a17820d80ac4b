//! A witness as an operator configures it.

use proof::ProofError;
use proof::tlog::{SignatureType, VerifierKey};

/// A witness that we ask to cosign, and its URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessPeer {
    pub key: VerifierKey,
    /// Without a trailing slash; `add-checkpoint` is below it.
    pub url: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a witness: write VKEY=URL, with a cosignature key (type 4) and an http or https URL"
)]
pub struct WitnessPeerError(pub String);

impl std::str::FromStr for WitnessPeer {
    type Err = WitnessPeerError;

    fn from_str(text: &str) -> Result<Self, WitnessPeerError> {
        let refused = || WitnessPeerError(text.to_owned());
        // The key's name may contain an equals sign too.
        let at = ["=https://", "=http://"].iter().filter_map(|mark| text.find(mark)).min();
        let (key, url) = at.and_then(|at| text.split_at_checked(at)).ok_or_else(refused)?;
        let key: VerifierKey = key.trim().parse().map_err(|_: ProofError| refused())?;
        let url = url.trim_start_matches('=').trim().trim_end_matches('/');
        let plain = !url.contains(['?', '#', '@', ' ']) && !url.ends_with(':');
        if key.kind() != SignatureType::Cosignature || !plain {
            return Err(refused());
        }
        Ok(Self { key, url: url.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;

    use super::*;

    #[test]
    fn a_witness_is_written_as_key_and_url() {
        let key = proof::SigningKey::from_seed(
            &[1; 32],
            proof::KeyPurpose::LogHeads,
            Timestamp::from_millis(0),
        );
        let key = key.unwrap().public().clone();
        let vkey = |kind| VerifierKey::new("w.example/a=b", kind, key.clone()).unwrap();
        let good = vkey(SignatureType::Cosignature);
        for url in ["https://w.example/prefix", "http://127.0.0.1:99"] {
            let read: WitnessPeer = format!("{good}={url}/").parse().unwrap();
            assert_eq!(read, WitnessPeer { key: good.clone(), url: url.to_owned() });
        }
        for bad in [
            good.to_string(),
            format!("{good}=ftp://w.example"),
            format!("{good}=https://w.example?x=1"),
            format!("{}=https://w.example", vkey(SignatureType::Ed25519)),
            "=https://w.example".to_owned(),
            "https://w.example".to_owned(),
            String::new(),
        ] {
            assert!(bad.parse::<WitnessPeer>().is_err(), "{bad}");
        }
    }
}
