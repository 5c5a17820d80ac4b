//! Listeners that nothing may ever dial. A test that sees a connection here has found a hole in the
//! guard, whatever the guard returned.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::net::TcpListener;

use crate::world::{Tasks, breathe};

/// Counts what should not happen.
#[derive(Debug)]
pub struct Trap {
    addresses: Vec<SocketAddr>,
    connections: Arc<AtomicU64>,
}

impl Trap {
    /// Connections accepted so far, on all of the trap's addresses together.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }

    /// Where the trap listens: 127.88.0.1, 127.0.0.1 and (with IPv6) ::1 on both web ports, and
    /// one odd port at an address that is allowed.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    pub(crate) fn set(listeners: Vec<TcpListener>, tasks: &Tasks) -> Self {
        let connections = Arc::new(AtomicU64::new(0));
        let mut addresses = Vec::new();
        for listener in listeners {
            let Ok(address) = listener.local_addr() else { continue };
            addresses.push(address);
            let connections = Arc::clone(&connections);
            tasks.spawn(async move {
                loop {
                    match listener.accept().await {
                        Ok((_, from)) => {
                            connections.fetch_add(1, Ordering::SeqCst);
                            tracing::warn!(%address, %from, "the lab's trap was dialled");
                        }
                        Err(_) => breathe().await,
                    }
                }
            });
        }
        Self { addresses, connections }
    }
}
