//! Tree heads as signed checkpoints (C2SP tlog-checkpoint), with the cosignatures of witnesses.

use proof::tlog::{Checkpoint, Note, NoteSignature};
use proof::{KeyPurpose, ProofError};
use store::Cosignature;

use super::errors::SealError;
use super::snapshot::SignedTreeHead;
use super::transparency_log::TransparencyLog;
use crate::signing_keys::SigningKeys;

impl TransparencyLog {
    /// The newest head as a checkpoint: a note signed by the log-heads key. `None` while the log is
    /// empty.
    pub fn checkpoint(&self) -> Result<Option<Note>, SealError> {
        let Some(head) = self.head()? else { return Ok(None) };
        self.checkpoint_for_head(&head).map(Some).map_err(SealError::NotSigned)
    }

    /// The newest checkpoint with the cosignatures of witnesses. `None` while the log is empty.
    pub async fn cosigned_checkpoint(&self) -> Result<Option<Note>, SealError> {
        let Some(head) = self.head()? else { return Ok(None) };
        let cosignatures = self.store.cosignatures(head.chain.tree_size).await;
        let cosignatures = cosignatures.map_err(SealError::NotStored)?;
        self.checkpoint_with_cosignatures(&head, &cosignatures).map(Some)
    }

    pub(super) fn checkpoint_with_cosignatures(
        &self,
        head: &SignedTreeHead,
        cosignatures: &[Cosignature],
    ) -> Result<Note, SealError> {
        let mut note = self.checkpoint_for_head(head).map_err(SealError::NotSigned)?;
        for cosignature in cosignatures {
            let added = NoteSignature::parse(cosignature.line.trim_end_matches('\n'));
            if let Err(error) = added.and_then(|signature| note.add(signature)) {
                let witness = &cosignature.witness;
                tracing::warn!(%error, witness, "a stored cosignature cannot be shown");
            }
        }
        Ok(note)
    }

    pub(super) fn checkpoint_for_head(&self, head: &SignedTreeHead) -> Result<Note, ProofError> {
        sign_checkpoint(&self.keys, head, &self.settings.origin)
    }
}

/// A head as a checkpoint, signed by the log-heads key that is in use now.
pub(super) fn sign_checkpoint(
    keys: &SigningKeys,
    head: &SignedTreeHead,
    origin: &str,
) -> Result<Note, ProofError> {
    let root = head
        .tree_root
        .ok_or_else(|| ProofError::Head("it has no root over all leaves of the log".to_owned()))?;
    let checkpoint = Checkpoint::new(origin, head.chain.tree_size, root)?;
    let key = keys.signing_key(KeyPurpose::LogHeads)?;
    Note::sign(&checkpoint.text(), origin, &key)
}
