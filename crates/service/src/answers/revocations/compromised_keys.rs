//! Revokes keys that were reported as compromised: one entry for each in the chain.

use std::collections::BTreeMap;

use contract::Timestamp;
use contract::records::{RevocationReason, RevocationTargetKind, RevocationType};
use store::{NewRevocation, StoreError};

use crate::answers::Answers;

impl Answers {
    /// Adds the missing entries. What a key signed before `compromised_since` and we have stored stays
    /// valid, and is given with a new signature.
    pub(crate) async fn revoke_compromised_keys(
        &self,
        compromised: &BTreeMap<String, Timestamp>,
    ) -> Result<(), StoreError> {
        let target_kind = RevocationTargetKind::Key.as_str();
        let now = self.clock.now().whole_seconds();
        for (kid, since) in compromised {
            let known = self.store.revocations_of(target_kind, kid).await?;
            // An earlier time than before is an entry of its own.
            if known.iter().any(|known| known.entry.effective_from <= *since) {
                continue;
            }
            let entry = NewRevocation {
                at: now,
                effective_from: *since,
                kind: RevocationType::Revoked.as_str().to_owned(),
                target_kind: target_kind.to_owned(),
                target_id: kid.clone(),
                domain: None,
                // All actions.
                actions: Vec::new(),
                reason: RevocationReason::KeyCompromised.as_str().to_owned(),
                why: format!(
                    "Others may have had this key since {since}. Its signatures prove nothing any more. Request \
                     stored documents again: they have a new signature."
                ),
                replaced_by: None,
            };
            self.store.append_revocations(vec![entry], Vec::new()).await?;
        }
        Ok(())
    }
}
