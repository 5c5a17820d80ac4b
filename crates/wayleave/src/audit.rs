//! Records what operators do with commands in the audit log of the store.

use anyhow::{Context, Result};
use contract::Clock;
use door::SystemClock;
use serde_json::Value;
use service::access::audit::{Actor, AuditedAction, record_action};
use store::Audit;

/// Adds an action of whoever runs this command. An action that cannot be recorded is an error, after it was
/// carried out.
pub(crate) async fn record(
    audit: &dyn Audit,
    name: &'static str,
    subject: &str,
    detail: Value,
) -> Result<()> {
    let action = AuditedAction { name, subject, detail };
    record_action(audit, SystemClock.now(), &operator(), action)
        .await
        .context("it was done, but could not be recorded in the audit log")?;
    Ok(())
}

/// The user who runs the command, as far as the system says; behind `sudo` the user who called it.
fn operator() -> Actor {
    let named =
        ["SUDO_USER", "LOGNAME", "USER"].into_iter().find_map(|name| std::env::var(name).ok());
    Actor::Operator(named.filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".to_owned()))
}
