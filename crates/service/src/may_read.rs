//! The right to make us read a site now, handed in by whoever speaks for the asker.

use std::time::Duration;

/// Asked when a site has to be read, and not before: what is answered from what is kept costs
/// nothing.
pub trait MayRead: Send + Sync {
    /// Takes one read, or says how long until there is one.
    fn take(&self) -> Result<(), Duration>;
}

/// Our own work: no limit but those of the readers themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnWork;

impl MayRead for OwnWork {
    fn take(&self) -> Result<(), Duration> {
        Ok(())
    }
}
