//! How many proofs are read at a time, for all clients and for one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::access::AddressBlock;

/// Reads of proofs that clients asked for, at a time.
const AT_ONCE: usize = 32;
/// The same for one client, so that nobody with a slow site holds up the others.
const AT_ONCE_OF_ONE: usize = 2;

/// The clients whose proofs are being read. The mutex guards the map and is held for one operation only, never
/// across an await. Clones share the map.
#[derive(Debug, Default, Clone)]
pub(super) struct ClientSlots(Arc<Mutex<HashMap<AddressBlock, usize>>>);

/// One slot, until it is dropped.
#[derive(Debug)]
pub(super) struct ClientSlot {
    block: AddressBlock,
    slots: ClientSlots,
}

impl ClientSlots {
    /// `None` if this client, or all together, have as many as they may.
    pub(super) fn try_begin(&self, block: AddressBlock) -> Option<ClientSlot> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_client = running.get(&block).copied().unwrap_or(0);
        if of_client >= AT_ONCE_OF_ONE || running.values().sum::<usize>() >= AT_ONCE {
            return None;
        }
        running.insert(block, of_client + 1);
        Some(ClientSlot { block, slots: self.clone() })
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        let mut running = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        match running.get_mut(&self.block) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(running.remove(&self.block)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_never_has_all_slots() {
        let slots = ClientSlots::default();
        let block = |n: u8| AddressBlock::from_address([192, 0, 2, n].into());
        let first: Vec<_> = (0..9).map_while(|_| slots.try_begin(block(1))).collect();
        assert_eq!(first.len(), AT_ONCE_OF_ONE);
        let others: Vec<_> = (2..60).filter_map(|n| slots.try_begin(block(n))).collect();
        assert_eq!(first.len() + others.len(), AT_ONCE);
        drop(first);
        assert!(slots.try_begin(block(1)).is_some());
        drop(others);
        assert!(slots.0.lock().unwrap().is_empty());
    }
}
