//! Signs the requests that this service sends under its own name (Web Bot Auth), so that sites can tell
//! them from those of others.

use std::fmt;
use std::sync::Arc;

use contract::{Clock, Issuer};
use door::RequestSigner;
use proof::KeyPurpose;
use proof::http_signatures::{BotRequest, sign_bot_request};

use crate::SigningKeys;
use crate::random_ids::Ids;

/// Signs with the current key for HTTP signatures.
pub(crate) struct OwnRequestSigner {
    /// `https://host`, where our key directory is.
    origin: String,
    keys: Arc<SigningKeys>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
}

impl fmt::Debug for OwnRequestSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnRequestSigner").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl OwnRequestSigner {
    /// `None` if sites could not find our keys: the directory must be at the root of an https host.
    pub(crate) fn new(
        issuer: &Issuer,
        keys: Arc<SigningKeys>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Option<Self> {
        let origin = signing_origin(&issuer.base_url)?.to_owned();
        Some(Self { origin, keys, clock, ids })
    }
}

/// The origin that signatures name, or `None` if requests are not signed.
pub(crate) fn signing_origin(base_url: &str) -> Option<&str> {
    let base = base_url.trim_end_matches('/');
    let host = base.strip_prefix("https://")?;
    (!host.is_empty() && !host.contains(['/', '?', '#', '@'])).then_some(base)
}

impl RequestSigner for OwnRequestSigner {
    fn sign_request(&self, authority: &str) -> Vec<(String, String)> {
        let Ok(nonce) = self.ids.random_id() else { return Vec::new() };
        let signed = self.keys.signing_key(KeyPurpose::Requests).map(|key| {
            let now = self.clock.now();
            let request = BotRequest { origin: &self.origin, authority, nonce: &nonce, now };
            sign_bot_request(request, &key)
        });
        match signed {
            Ok(Ok(fields)) => fields,
            Ok(Err(error)) => {
                tracing::warn!(%error, "a request to a site could not be signed");
                Vec::new()
            }
            Err(error) => {
                tracing::warn!(%error, "a request to a site could not be signed");
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_root_of_an_https_host_can_be_named() {
        assert_eq!(signing_origin("https://wayleave.example"), Some("https://wayleave.example"));
        assert_eq!(signing_origin("https://wayleave.example/"), Some("https://wayleave.example"));
        assert_eq!(signing_origin("https://a.example:8443"), Some("https://a.example:8443"));
        for none in ["http://127.0.0.1:8080", "https://a.example/wayleave", "https://", ""] {
            assert_eq!(signing_origin(none), None, "{none}");
        }
    }
}
