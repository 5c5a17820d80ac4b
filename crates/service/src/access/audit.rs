//! Records what operators and licence holders do to licences and other things of the service.

use contract::{Domain, Timestamp};
use store::{Audit, NewAuditEntry, StoreError};

use crate::access::Access;

/// Who does something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person with access to the machine. The name is that of the system's user.
    Operator(String),
    /// The holder of the licence with this id.
    LicenceHolder(String),
    /// Whoever has proven control of this domain.
    DomainOwner(Domain),
}

impl Actor {
    fn text(&self) -> String {
        let text = match self {
            Self::Operator(name) => format!("operator {name}"),
            Self::LicenceHolder(id) => format!("licence {id}"),
            Self::DomainOwner(domain) => format!("owner of {domain}"),
        };
        text.chars().filter(|c| !c.is_control()).take(100).collect()
    }
}

/// An action that is recorded: its name, what it was done to, and anything else worth knowing.
#[derive(Debug, Clone)]
pub struct AuditedAction<'a> {
    /// For example `licence.revoke`.
    pub name: &'static str,
    pub subject: &'a str,
    pub detail: serde_json::Value,
}

/// Adds an action to the audit log; durable when this returns.
pub async fn record_action(
    audit: &dyn Audit,
    at: Timestamp,
    actor: &Actor,
    action: AuditedAction<'_>,
) -> Result<u64, StoreError> {
    let entry = NewAuditEntry {
        at: at.whole_seconds(),
        actor: actor.text(),
        action: action.name.to_owned(),
        subject: action.subject.to_owned(),
        detail: action.detail.to_string(),
    };
    audit.append_audit(entry).await
}

impl Access {
    /// Records what the holder of a licence did to it.
    pub(super) async fn record_holder_action(
        &self,
        licence_id: &str,
        name: &'static str,
        detail: serde_json::Value,
    ) -> Result<(), StoreError> {
        let actor = Actor::LicenceHolder(licence_id.to_owned());
        let action = AuditedAction { name, subject: licence_id, detail };
        record_action(self.store.as_ref(), self.clock.now(), &actor, action).await.map(|_| ())
    }
}
