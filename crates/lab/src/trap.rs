//! Listeners that nothing may ever dial. A connection here proves a hole in the guard, whatever the
//! guard reported.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::net::TcpListener;

use crate::lab_state::{LabTasks, pause_after_error};

/// Counts connections that must never happen. The accepting tasks increment the atomic counter.
#[derive(Debug)]
pub struct Trap {
    addresses: Vec<SocketAddr>,
    connections: Arc<AtomicU64>,
}

impl Trap {
    /// The connections accepted so far, on all addresses of the trap together.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }

    /// Where the trap listens: 127.88.0.1, 127.0.0.1 and (with IPv6) ::1 on both web ports, and one
    /// extra port at an allowed address.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    pub(crate) fn start(listeners: Vec<TcpListener>, tasks: &LabTasks) -> Self {
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
                            tracing::warn!(%address, %from, "something connected to the lab's trap");
                        }
                        Err(_) => pause_after_error().await,
                    }
                }
            });
        }
        Self { addresses, connections }
    }
}
