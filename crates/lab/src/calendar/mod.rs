//! A timestamp calendar and the small chain it writes to: `POST /digest`, `GET /timestamp/{hex}`,
//! `GET /tip`, and below [`EXPLORER`] the blocks in the form of the widespread explorers.
//!
//! Blocks are mined when a test says so ([`Calendar::mine`]), or by themselves
//! ([`Calendar::mine_every`]). Both sides can be told to misbehave ([`Mood`]).

mod chain;
mod serve;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{
    LabError, ports,
    world::{Tasks, breathe},
};
use chain::Chain;

/// Where the explorer is, below the calendar's address.
const EXPLORER: &str = "/explorer";

/// How a server behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mood {
    #[default]
    Well,
    /// 503 to everything.
    Down,
    /// Connections are closed without a word.
    Closed,
    /// 200, and bytes that mean nothing.
    Garbage,
    /// 200, and more than any client reads.
    TooLong,
    /// 200, and what would be right for another question.
    Mistaken,
    /// No answer, ever.
    Silent,
}

/// A running calendar. A cheap handle: all copies are of the same one.
#[derive(Debug, Clone)]
pub struct Calendar {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    address: SocketAddr,
    tasks: Tasks,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    chain: Chain,
    calendar: Mood,
    explorer: Mood,
    requests: u64,
}

impl Calendar {
    /// On a port of its own of 127.0.0.1.
    pub(crate) fn start(tasks: &Tasks) -> Result<Self, LabError> {
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let failed = |source| LabError::Listen { address, source };
        let listener = ports::listen(address).map_err(failed)?;
        let shared = Arc::new(Shared {
            address: listener.local_addr().map_err(failed)?,
            tasks: tasks.clone(),
            state: Mutex::new(State::default()),
        });
        let calendar = Self { shared };
        let open = calendar.clone();
        tasks.spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        open.shared.tasks.spawn(serve::connection(stream, open.clone()));
                    }
                    Err(_) => breathe().await,
                }
            }
        });
        Ok(calendar)
    }

    /// The calendar's address, as it stands in its promises.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.shared.address)
    }

    /// The explorer's address.
    #[must_use]
    pub fn explorer_url(&self) -> String {
        format!("http://{}{EXPLORER}", self.shared.address)
    }

    pub fn set_mood(&self, mood: Mood) {
        self.state().calendar = mood;
    }

    pub fn set_explorer_mood(&self, mood: Mood) {
        self.state().explorer = mood;
    }

    /// Requests that came so far, to both.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.state().requests
    }

    /// Puts everything that waits into a block and returns its height; nothing when nothing waits.
    pub fn mine(&self) -> Option<u64> {
        self.state().chain.mine()
    }

    /// Mines again and again, for as long as the lab runs.
    pub fn mine_every(&self, pause: Duration) {
        let calendar = self.clone();
        self.shared.tasks.spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                calendar.mine();
            }
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whatever was done to it was done whole.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
