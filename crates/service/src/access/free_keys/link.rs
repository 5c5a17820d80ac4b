//! The link in a mail: whoever opens it and presses the button gets a key.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use store::{Digest, KeyRequestOutcome, Licence, LicensedDomains};

use super::{FreeKeyError, FreeKeys};
use crate::access::licence::LicenceKey;
use crate::random_ids::{Ids, RandomnessError};

/// The plan of free keys.
const PLAN: &str = "free";

/// The secret part of a link. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkToken(String);

/// Whether a link can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    Valid,
    /// There is no such link, or it was used.
    Unknown,
    Expired,
}

/// What came of using a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The only copy of the key.
    Key(LicenceKey),
    /// There is no such link, or it was used.
    Unknown,
    Expired,
    /// The mailbox got a key by another link.
    HasKey,
}

impl LinkToken {
    /// 32 bytes in base64url.
    const CHARS: usize = 43;

    pub(super) fn generate(ids: &dyn Ids) -> Result<Self, RandomnessError> {
        Ok(Self(BASE64URL_NOPAD.encode(&ids.random_bytes()?)))
    }

    /// `None` for a text that is not in the format of our links.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.len() == Self::CHARS
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        plain.then(|| Self(text.to_owned()))
    }

    /// The text in the link.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn sha256(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for LinkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkToken")
    }
}

impl FreeKeys {
    /// Does not use the link: mail scanners open links, too.
    pub async fn link_state(&self, token: &LinkToken) -> Result<LinkState, FreeKeyError> {
        let now = self.clock.now();
        Ok(match self.store.key_request(token.sha256()).await? {
            Some(request) if now < request.expires_at => LinkState::Valid,
            Some(_) => LinkState::Expired,
            None => LinkState::Unknown,
        })
    }

    /// Uses a link: makes a licence with one key. Only the digest of the key is stored.
    pub async fn claim_key(&self, token: &LinkToken) -> Result<ClaimOutcome, FreeKeyError> {
        let now = self.clock.now();
        let key = LicenceKey::generate(self.ids.as_ref())?;
        let licence = Licence {
            id: self.ids.random_id()?,
            plan: PLAN.to_owned(),
            domains: LicensedDomains::All,
            label: None,
            // The store takes it from the request.
            mailbox: None,
            created_at: now.whole_seconds(),
            expires_at: None,
            revoked_at: None,
            last_used: None,
        };
        let first_key = key.to_stored(&licence.id, licence.created_at);
        let taken = self.store.take_key_request(token.sha256(), now, licence, first_key).await?;
        Ok(match taken {
            KeyRequestOutcome::Taken => ClaimOutcome::Key(key),
            KeyRequestOutcome::Unknown => ClaimOutcome::Unknown,
            KeyRequestOutcome::Expired => ClaimOutcome::Expired,
            KeyRequestOutcome::HasLicence => ClaimOutcome::HasKey,
        })
    }
}
