//! Chooses which queued scans run next, so that nobody waits for the whole queue of somebody else: the
//! clients that asked take turns, and so do the networks that are read.

use std::collections::{HashMap, HashSet};

use crate::answers::resolve::QueuedScan;

/// Scans of the queue that run at the same time.
pub(super) const MAX_RUNNING: usize = 8;
/// Of these: of one client and of one network.
const MAX_RUNNING_PER_CLIENT: usize = 3;
const MAX_RUNNING_PER_NETWORK: usize = 2;

/// The scans of the queue that run, and those that were started since it was last empty, by who asked
/// and by what is read.
#[derive(Debug, Default)]
pub(super) struct QueueTurns {
    by_client: HashMap<String, Turns>,
    by_network: HashMap<String, Turns>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Turns {
    running: usize,
    started: usize,
}

impl QueueTurns {
    pub(super) fn begin(&mut self, scan: &QueuedScan) {
        for turns in self.turns_of(scan) {
            turns.running += 1;
            turns.started += 1;
        }
    }

    pub(super) fn end(&mut self, scan: &QueuedScan) {
        for turns in self.turns_of(scan) {
            turns.running = turns.running.saturating_sub(1);
        }
    }

    /// Forgets clients and networks that have neither a running nor a due scan.
    pub(super) fn forget_others(&mut self, due: &[QueuedScan]) {
        let clients: HashSet<&str> = due.iter().map(|scan| scan.client.as_str()).collect();
        let networks: HashSet<&str> = due.iter().map(|scan| scan.network.as_str()).collect();
        self.by_client
            .retain(|client, turns| turns.running > 0 || clients.contains(client.as_str()));
        self.by_network
            .retain(|network, turns| turns.running > 0 || networks.contains(network.as_str()));
    }

    fn turns_of(&mut self, scan: &QueuedScan) -> [&mut Turns; 2] {
        [
            self.by_client.entry(scan.client.clone()).or_default(),
            self.by_network.entry(scan.network.clone()).or_default(),
        ]
    }
}

/// The index of the scan to run next, of those that are due, the one that waits longest first: the one
/// whose client and network have had the fewest turns. `None` if each has to wait for a running scan of
/// its client or network.
pub(super) fn choose_next(due: &[QueuedScan], turns: &QueueTurns) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    for (index, scan) in due.iter().enumerate() {
        let of_client = turns.by_client.get(&scan.client).copied().unwrap_or_default();
        let of_network = turns.by_network.get(&scan.network).copied().unwrap_or_default();
        let has_room = of_client.running < MAX_RUNNING_PER_CLIENT
            && of_network.running < MAX_RUNNING_PER_NETWORK;
        let had = of_client.started + of_network.started;
        if has_room && best.is_none_or(|(least, _)| had < least) {
            best = Some((had, index));
        }
    }
    best.map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(client: &str, network: &str) -> QueuedScan {
        QueuedScan { client: client.to_owned(), network: network.to_owned() }
    }

    /// Runs everything in the order of choice, with all slots in use, and returns that order.
    fn order_of(mut due: Vec<QueuedScan>) -> Vec<QueuedScan> {
        let (mut turns, mut queue) = (QueueTurns::default(), Vec::new());
        let mut order = Vec::new();
        while !due.is_empty() || !queue.is_empty() {
            while queue.len() < MAX_RUNNING
                && let Some(index) = choose_next(&due, &turns)
            {
                let next = due.remove(index);
                turns.begin(&next);
                queue.push(next.clone());
                order.push(next);
            }
            turns.end(&queue.remove(0));
        }
        turns.forget_others(&[]);
        assert!(turns.by_client.is_empty() && turns.by_network.is_empty());
        order
    }

    fn position(order: &[QueuedScan], network: &str) -> usize {
        order.iter().position(|scan| scan.network == network).unwrap()
    }

    #[test]
    fn a_client_with_one_scan_does_not_wait_for_clients_with_many() {
        let mut due: Vec<_> =
            (0..60).map(|n| scan(&format!("c{}", n / 10), &format!("n{n}"))).collect();
        due.push(scan("good", "good"));
        let order = order_of(due);
        assert_eq!(order.len(), 61);
        assert!(position(&order, "good") <= 6, "after one of each of the six clients");
    }

    #[test]
    fn a_network_with_one_site_does_not_wait_for_networks_with_many() {
        // Every scan was asked for by another client, or all by the same one.
        for client in [|n: usize| format!("c{n}"), |_| "c".to_owned()] {
            let mut due: Vec<_> =
                (0..60).map(|n| scan(&client(n), &format!("n{}", n % 6))).collect();
            due.push(scan(&client(60), "good"));
            let order = order_of(due);
            assert!(position(&order, "good") <= 6, "{}", position(&order, "good"));
        }
    }

    #[test]
    fn one_client_and_one_network_never_have_all_slots() {
        let mut turns = QueueTurns::default();
        let due: Vec<_> = (0..20).map(|n| scan("c", &format!("n{n}"))).collect();
        let mut started = 0;
        while let Some(index) = choose_next(&due, &turns) {
            turns.begin(&due[index]);
            started += 1;
        }
        assert_eq!(started, MAX_RUNNING_PER_CLIENT);
        assert!(choose_next(&[scan("other", "other")], &turns).is_some());
        let mut turns = QueueTurns::default();
        for n in 0..MAX_RUNNING_PER_NETWORK {
            turns.begin(&scan(&format!("c{n}"), "n"));
        }
        assert_eq!(choose_next(&[scan("other", "n")], &turns), None);
    }

    #[test]
    fn scans_of_one_client_run_in_the_order_they_were_due() {
        let due: Vec<_> = (0..5).map(|n| scan("c", &format!("n{n}"))).collect();
        assert_eq!(order_of(due.clone()), due);
    }
}
