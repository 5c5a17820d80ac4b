//! Switches that an operator can set while the service runs.

use contract::Timestamp;

use crate::{BoxFuture, StoreError};

/// A switch as last set. A switch that was never set is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    pub name: String,
    pub on: bool,
    pub changed_at: Timestamp,
}

pub trait Switches: Send + Sync {
    /// Sets a switch; durable when this returns. The last write wins.
    fn set_switch(&self, switch: Switch) -> BoxFuture<'_, Result<(), StoreError>>;

    fn switch<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Switch>, StoreError>>;

    /// Every switch that was ever set, ordered by name.
    fn switches(&self) -> BoxFuture<'_, Result<Vec<Switch>, StoreError>>;
}
