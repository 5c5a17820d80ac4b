//! A setting that an operator can change while the service runs.

use std::fmt::Debug;
use std::sync::{PoisonError, RwLock};

/// Requests read it, a reload of the configuration writes it. The lock is held for one clone, never
/// across an await; whoever needs the value twice keeps the clone.
#[derive(Debug)]
pub(crate) struct LiveSetting<T>(RwLock<T>);

impl<T: Clone> LiveSetting<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(RwLock::new(value))
    }

    pub(crate) fn get(&self) -> T {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, value: T) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = value;
    }
}
