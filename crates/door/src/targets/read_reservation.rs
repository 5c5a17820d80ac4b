//! A visit's share of an address: a place among those that read it, and the reads that it has counted
//! ahead, so that other visits cannot stop it halfway.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::limits::TargetRefusal;
use super::target_table::TargetTable;

/// One of the visits of an address, and reads that are counted already. Those that did not take place are given back when it is dropped.
#[derive(Debug)]
pub(crate) struct ReadReservation {
    table: Arc<TargetTable>,
    address: IpAddr,
    left: u32,
    counted_at: Duration,
}

impl ReadReservation {
    pub(crate) fn new(
        table: &Arc<TargetTable>,
        address: IpAddr,
        reads: u32,
    ) -> Result<Self, TargetRefusal> {
        table.begin_visit(address)?;
        let counted = table.count_reads(address, reads);
        let (left, counted_at) = counted.inspect_err(|_| table.end_visit(address))?;
        Ok(Self { table: Arc::clone(table), address, left, counted_at })
    }

    /// Uses one of the reserved reads. False if this is another address, or none is left.
    pub(crate) fn use_one(&mut self, address: IpAddr) -> bool {
        let usable = self.address == address && self.left > 0;
        self.left -= u32::from(usable);
        usable
    }
}

impl Drop for ReadReservation {
    fn drop(&mut self) {
        self.table.end_visit(self.address);
        if self.left > 0 {
            self.table.remove_reads(self.address, self.left, self.counted_at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{TargetLimit, TargetLimits};

    #[tokio::test]
    async fn only_so_many_visits_read_an_address_at_a_time() {
        let limit = |connections| TargetLimit { connections, reads_per_minute: 0 };
        let limits = TargetLimits { address: limit(8), network: limit(12), ..TargetLimits::none() };
        let table = Arc::new(TargetTable::new(limits));
        let begin = |address: &str| ReadReservation::new(&table, address.parse().unwrap(), 1);
        let (one, two) = (begin("192.0.2.1"), begin("192.0.2.1"));
        assert!(one.is_ok() && two.is_ok());
        assert!(begin("192.0.2.1").is_err(), "the address");
        let three = begin("192.0.2.2");
        assert!(three.is_ok());
        assert!(begin("192.0.2.3").is_err(), "the network");
        assert!(begin("198.51.100.1").is_ok());
        drop(one);
        assert!(begin("192.0.2.1").is_ok());
    }

    #[tokio::test]
    async fn a_reservation_holds_its_reads_and_gives_back_the_rest() {
        let limit = TargetLimit { connections: 0, reads_per_minute: 10 };
        let limits = TargetLimits { address: limit, ..TargetLimits::none() };
        let table = Arc::new(TargetTable::new(limits));
        let (ours, theirs): (IpAddr, IpAddr) =
            ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let mut first = ReadReservation::new(&table, ours, 8).unwrap();
        assert!(ReadReservation::new(&table, ours, 8).is_err());
        assert!(first.use_one(ours) && first.use_one(ours));
        assert!(!first.use_one(theirs));
        drop(first);
        let mut second = ReadReservation::new(&table, ours, 8).unwrap();
        assert!(ReadReservation::new(&table, ours, 8).is_err());
        assert!(table.count_reads(ours, 1).is_err());
        for _ in 0..8 {
            assert!(second.use_one(ours));
        }
        assert!(!second.use_one(ours));
    }
}
