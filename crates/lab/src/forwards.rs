//! Where the sites that lead out of the lab lead to.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
};

/// The site that leads to a server of a test.
pub const FORWARDED_HOST: &str = "wayleave.lab";

/// Where sites lead, by their names. Tests set it; the mutex guards it.
#[derive(Debug, Default)]
pub(crate) struct Forwards(Mutex<HashMap<String, SocketAddr>>);

impl Forwards {
    pub(crate) fn set(&self, host: &str, target: SocketAddr) {
        let mut targets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        targets.insert(host.to_owned(), target);
    }

    pub(crate) fn target(&self, host: &str) -> Option<SocketAddr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).copied()
    }
}
