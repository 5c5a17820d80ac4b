//! Comparing the checkpoint that a log serves with the log that the monitor has verified.

use contract::Brand;
use proof::audit::LogAudit;
use proof::tlog::{Checkpoint, Note, VerifierKey};
use serde_json::Value;

use super::events::{AlarmKind, MonitorError, alarm_error};
use super::state::MonitorState;

/// The served checkpoint. It is compared when the check reaches its tree size.
pub(super) struct CheckpointCheck {
    note: Option<(Vec<u8>, Checkpoint)>,
    keys: Vec<VerifierKey>,
    compared: bool,
}

impl CheckpointCheck {
    /// Parses the checkpoint and compares its origin with the one seen first.
    pub(super) fn parse(
        note: Option<Vec<u8>>,
        state: &mut MonitorState,
        brand: &Brand,
    ) -> Result<Self, MonitorError> {
        let Some(bytes) = note else {
            return Ok(Self { note: None, keys: Vec::new(), compared: false });
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let bad = |detail: String| {
            alarm_error(AlarmKind::Checkpoint, None, &detail, Some(Value::String(text.clone())))
        };
        let note = Note::parse(&bytes).map_err(|e| bad(e.to_string()))?;
        let checkpoint = Checkpoint::parse(note.text()).map_err(|e| bad(e.to_string()))?;
        let origin = state.origin.get_or_insert_with(|| checkpoint.origin().to_owned()).clone();
        if origin != checkpoint.origin() {
            let now = checkpoint.origin();
            return Err(bad(format!("the checkpoint's origin is {now}, but was {origin} before")));
        }
        let keys = state.checkpoint_keys(&origin, brand);
        Ok(Self { note: Some((bytes, checkpoint)), keys, compared: false })
    }

    pub(super) fn size(&self) -> Option<u64> {
        self.note.as_ref().map(|(_, checkpoint)| checkpoint.size())
    }

    pub(super) fn evidence(&self) -> Option<Value> {
        let (bytes, _) = self.note.as_ref()?;
        Some(Value::String(String::from_utf8_lossy(bytes).into_owned()))
    }

    /// Compares the checkpoint if the verified log has just reached its size.
    pub(super) fn compare_if_reached(&mut self, audit: &LogAudit) -> Result<(), MonitorError> {
        if self.compared || self.size() != Some(audit.right_edge().size()) {
            return Ok(());
        }
        let Some((bytes, checkpoint)) = &self.note else { return Ok(()) };
        audit.check_checkpoint(bytes, checkpoint.origin(), &self.keys).map_err(|fault| {
            alarm_error(AlarmKind::Checkpoint, fault.batch, &fault.to_string(), self.evidence())
        })?;
        self.compared = true;
        Ok(())
    }

    /// Called when the whole log was read: a checkpoint that was never compared matches no batch.
    pub(super) fn require_compared(
        &self,
        audit: &LogAudit,
        size_before: u64,
    ) -> Result<(), MonitorError> {
        let size = audit.right_edge().size();
        match self.size() {
            Some(stated) if !self.compared => {
                let detail = format!(
                    "the checkpoint states {stated} leaves, but no batch of the log ({size} leaves) \
                     ends there"
                );
                Err(alarm_error(AlarmKind::Checkpoint, None, &detail, self.evidence()))
            }
            // A log that was empty may have got its first batch after the checkpoint was requested.
            None if size_before > 0 => {
                let detail = "the log has leaves but serves no checkpoint";
                Err(alarm_error(AlarmKind::Withheld, None, detail, None))
            }
            _ => Ok(()),
        }
    }
}
