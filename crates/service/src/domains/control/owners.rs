//! Who may act as the owner of a domain: whoever shows the secret of a claim that is proven now, or has a
//! session that was begun with it.

use contract::{Domain, Timestamp};
use judge::control::{Trigger, apply_trigger, grants_access};
use store::{Session, StoreError};

use super::events::new_event;
use super::tokens::ClaimSecret;
use super::{ControlError, DomainControl};
use crate::access::SessionToken;
use crate::stored_claims::HeldClaim;

/// A session ends when it is left alone for so long.
pub const OWNER_IDLE_HOURS: i64 = 8;
const LONGEST_HOURS: i64 = 7 * 24;
const HOUR_MS: i64 = 3_600_000;
/// A use is recorded when the last one was this long ago, so that not every request writes.
const TOUCH_MS: i64 = 5 * 60_000;
/// Sessions of owners are stored beside those of licences, under this and the id of the claim.
const HOLDER_PREFIX: &str = "claim:";

/// Somebody who has proven control of a domain, and still does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    pub domain: Domain,
    pub claim_id: String,
}

impl DomainControl {
    /// The owner that a secret belongs to, if the claim grants access now.
    pub async fn owner_by_secret(
        &self,
        secret: &ClaimSecret,
    ) -> Result<Option<Owner>, ControlError> {
        let Some(stored) = self.store.claim_by_secret(secret.sha256()).await? else {
            return Ok(None);
        };
        Ok(self.owner_of(HeldClaim::from_stored(&stored)?))
    }

    fn owner_of(&self, held: HeldClaim) -> Option<Owner> {
        let is_owner = grants_access(&held.claim, self.clock.now());
        is_owner.then_some(Owner { domain: held.domain, claim_id: held.id })
    }

    /// Begins a session for an owner. The token is always a new one.
    pub async fn begin_owner_session(&self, owner: &Owner) -> Result<SessionToken, ControlError> {
        let stored = self.store.claim(&owner.claim_id).await?.ok_or(ControlError::UnknownClaim)?;
        let token = SessionToken::from_secret(&self.ids.random_bytes()?);
        let now = self.clock.now().whole_seconds();
        let session = Session {
            token_sha256: token.sha256(),
            licence_id: format!("{HOLDER_PREFIX}{}", owner.claim_id),
            key_sha256: stored.secret_sha256,
            created_at: now,
            last_seen_at: now,
            idle_until: now.plus_millis(OWNER_IDLE_HOURS * HOUR_MS),
            expires_at: now.plus_millis(LONGEST_HOURS * HOUR_MS),
            client: String::new(),
        };
        self.store.put_session(session).await?;
        Ok(token)
    }

    /// The owner whose session this is, if the session and the claim are valid.
    pub async fn owner_by_session(
        &self,
        token: &SessionToken,
    ) -> Result<Option<Owner>, ControlError> {
        let now = self.clock.now();
        let Some(session) = self.store.session(token.sha256()).await? else { return Ok(None) };
        let Some(claim_id) = session.licence_id.strip_prefix(HOLDER_PREFIX) else {
            return Ok(None);
        };
        if !session.is_active(now) {
            return Ok(None);
        }
        let Some(stored) = self.store.claim(claim_id).await? else { return Ok(None) };
        let owner = self.owner_of(HeldClaim::from_stored(&stored)?);
        if owner.is_some() {
            self.note_use(&session, now).await?;
        }
        Ok(owner)
    }

    async fn note_use(&self, session: &Session, now: Timestamp) -> Result<(), StoreError> {
        if now.millis_since(session.last_seen_at) < TOUCH_MS {
            return Ok(());
        }
        let now = now.whole_seconds();
        let idle_until = now.plus_millis(OWNER_IDLE_HOURS * HOUR_MS);
        self.store.touch_session(session.token_sha256, now, idle_until).await.map(|_| ())
    }

    pub async fn end_owner_session(&self, token: &SessionToken) -> Result<(), StoreError> {
        self.store.end_session(token.sha256()).await.map(|_| ())
    }

    /// The secret of the forms that the session of an owner is shown. Another site cannot know it.
    #[must_use]
    pub fn form_secret(&self, owner: &Owner) -> String {
        self.secret.mac(FORM_LABEL, &[owner.claim_id.as_bytes()]).to_string()
    }

    /// Whether a form was shown to this owner.
    #[must_use]
    pub fn is_form_secret(&self, owner: &Owner, sent: &str) -> bool {
        let Ok(sent) = sent.parse::<proof::Digest>() else { return false };
        self.secret.verifies(FORM_LABEL, &[owner.claim_id.as_bytes()], sent.as_bytes())
    }

    /// Gives up the claim of an owner, and ends the sessions that were begun with it.
    pub async fn withdraw(&self, owner: &Owner) -> Result<(), ControlError> {
        let stored = self.store.claim(&owner.claim_id).await?.ok_or(ControlError::UnknownClaim)?;
        let held = HeldClaim::from_stored(&stored)?;
        let now = self.clock.now().whole_seconds();
        let why = "The claimant withdrew the claim.";
        let outcome = apply_trigger(&held.claim, Trigger::Withdrawn, now, why);
        let method = Some(held.claim.method.clone());
        let events = outcome.changes.iter();
        let events = events.map(|change| new_event(&held.id, method.clone(), change, &[]));
        let events = events.collect::<Result<_, _>>()?;
        // How to reach somebody who has left is nobody's business any more.
        let held = HeldClaim { claim: outcome.claim, contact: None, organization: None, ..held };
        if !self.store.put_claim(held.to_stored()?, Some(stored.fingerprint()), events).await? {
            return Err(ControlError::Busy);
        }
        self.store.end_sessions(&format!("{HOLDER_PREFIX}{}", owner.claim_id), None).await?;
        self.answers.owner_facts_changed(&owner.domain).await;
        Ok(())
    }
}

const FORM_LABEL: &str = "forms of an owner";
