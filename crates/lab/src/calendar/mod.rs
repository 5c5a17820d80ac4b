//! A timestamp calendar and its small block chain: `POST /digest`, `GET /timestamp/{hex}`, `GET
//! /tip`, and below [`EXPLORER_PATH`] the blocks in the format of common block explorers.
//!
//! Blocks are mined when a test asks for it ([`TimestampCalendar::mine`]) or periodically
//! ([`TimestampCalendar::mine_every`]). Calendar and explorer can be made to misbehave
//! ([`CalendarBehaviour`]).

mod chain;
mod serve;
mod state;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use crate::{
    LabError,
    lab_state::{LabTasks, pause_after_error},
    ports,
};
pub use state::CalendarBehaviour;
use state::{CalendarShared, EXPLORER_PATH};

/// A running calendar. Cheap to clone: all clones share one state.
#[derive(Debug, Clone)]
pub struct TimestampCalendar {
    shared: Arc<CalendarShared>,
}

impl TimestampCalendar {
    /// Starts a calendar on a free port of 127.0.0.1.
    pub(crate) fn start(tasks: &LabTasks) -> Result<Self, LabError> {
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        let failed = |source| LabError::Listen { address, source };
        let listener = ports::listen(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(CalendarShared::new(address, tasks.clone()));
        let accepting = Arc::clone(&shared);
        tasks.spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let connection = serve::serve_connection(stream, Arc::clone(&accepting));
                        accepting.tasks.spawn(connection);
                    }
                    Err(_) => pause_after_error().await,
                }
            }
        });
        Ok(Self { shared })
    }

    /// The calendar's URL, as it appears in its pending timestamps.
    #[must_use]
    pub fn url(&self) -> String {
        self.shared.url()
    }

    /// The explorer's URL.
    #[must_use]
    pub fn explorer_url(&self) -> String {
        format!("http://{}{EXPLORER_PATH}", self.shared.address)
    }

    pub fn set_behaviour(&self, mood: CalendarBehaviour) {
        self.shared.state().calendar = mood;
    }

    pub fn set_explorer_behaviour(&self, mood: CalendarBehaviour) {
        self.shared.state().explorer = mood;
    }

    /// The requests received so far by calendar and explorer together.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.shared.state().requests
    }

    /// Puts all pending commitments into a block and returns its height. `None` if nothing is
    /// pending.
    pub fn mine(&self) -> Option<u64> {
        self.shared.state().chain.mine()
    }

    /// Mines periodically for as long as the lab runs.
    pub fn mine_every(&self, pause: Duration) {
        let calendar = self.clone();
        self.shared.tasks.spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                calendar.mine();
            }
        });
    }
}
