//! The right to have one connection open, held as long as the connection.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::OwnedSemaphorePermit;

use super::limits::TargetRefusal;
use super::target_table::{ConnectionSlots, TargetTable};

const OPEN: &str = "wayleave_target_connections";

/// Counts as one connection to an address, to its network and in total until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionLease {
    _held: [(Option<OwnedSemaphorePermit>, Arc<ConnectionSlots>); 3],
}

impl ConnectionLease {
    /// `None` if a limit is reached now.
    pub(crate) fn try_acquire(
        table: &TargetTable,
        address: IpAddr,
    ) -> Result<Option<Self>, TargetRefusal> {
        let take = |slots: Arc<ConnectionSlots>| match slots.permits.clone() {
            None => Some((None, slots)),
            Some(permits) => permits.try_acquire_owned().ok().map(|permit| (Some(permit), slots)),
        };
        let [of_address, of_network, total] = table.slots(address)?;
        let (Some(of_address), Some(of_network), Some(total)) =
            (take(of_address), take(of_network), take(total))
        else {
            return Ok(None);
        };
        Ok(Some(Self::new([of_address, of_network, total])))
    }

    /// Waits until no limit is reached. Reads are served in the order in which they started to wait.
    pub(crate) async fn acquire(
        table: &TargetTable,
        address: IpAddr,
    ) -> Result<Self, TargetRefusal> {
        let [of_address, of_network, total] = table.slots(address)?;
        // The order is the same for all reads, so they cannot block each other for ever.
        let of_address = wait_for_permit(of_address).await;
        let of_network = wait_for_permit(of_network).await;
        let total = wait_for_permit(total).await;
        Ok(Self::new([of_address, of_network, total]))
    }

    fn new(held: [(Option<OwnedSemaphorePermit>, Arc<ConnectionSlots>); 3]) -> Self {
        metrics::gauge!(OPEN).increment(1.0);
        Self { _held: held }
    }
}

impl Drop for ConnectionLease {
    fn drop(&mut self) {
        metrics::gauge!(OPEN).decrement(1.0);
    }
}

async fn wait_for_permit(
    slots: Arc<ConnectionSlots>,
) -> (Option<OwnedSemaphorePermit>, Arc<ConnectionSlots>) {
    let permit = match slots.permits.clone() {
        None => None,
        Some(permits) => {
            let _waiting = WaitingRead::begin(&slots);
            // The semaphore is never closed.
            permits.acquire_owned().await.ok()
        }
    };
    (permit, slots)
}

/// Counts a waiting read until it is dropped.
struct WaitingRead<'a>(&'a ConnectionSlots);

impl<'a> WaitingRead<'a> {
    fn begin(slots: &'a ConnectionSlots) -> Self {
        slots.waiting.fetch_add(1, Ordering::Relaxed);
        Self(slots)
    }
}

impl Drop for WaitingRead<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::targets::{TargetLimit, TargetLimits};

    fn table(address: u32, network: u32, total: u32) -> TargetTable {
        let limit = |connections| TargetLimit { connections, reads_per_minute: 0 };
        TargetTable::new(TargetLimits {
            address: limit(address),
            network: limit(network),
            total: limit(total),
        })
    }

    #[tokio::test]
    async fn leases_count_by_address_by_network_and_in_total() {
        let table = table(2, 3, 4);
        let take =
            |text: &str| ConnectionLease::try_acquire(&table, text.parse().unwrap()).unwrap();
        let (one, two) = (take("192.0.2.1"), take("192.0.2.1"));
        assert!(one.is_some() && two.is_some());
        assert!(take("192.0.2.1").is_none(), "the address");
        let three = take("192.0.2.2");
        assert!(three.is_some());
        assert!(take("192.0.2.3").is_none(), "the network");
        let four = take("2001:db8::1");
        assert!(four.is_some());
        assert!(take("198.51.100.1").is_none(), "everything");
        drop(one);
        assert!(take("192.0.2.1").is_some(), "a closed connection makes room");
    }

    #[tokio::test]
    async fn a_read_waits_for_a_connection_and_others_see_it() {
        let table = table(1, 0, 0);
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let first = ConnectionLease::try_acquire(&table, address).unwrap().unwrap();
        assert!(!table.has_waiting_reads(address));
        let mut second = Box::pin(ConnectionLease::acquire(&table, address));
        let soon = Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, &mut second).await.is_err());
        assert!(table.has_waiting_reads(address));
        drop(first);
        assert!(tokio::time::timeout(soon, second).await.is_ok());
        assert!(!table.has_waiting_reads(address));
    }
}
