//! The state that the handle of a calendar and its connections share.

use std::{
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::chain::Chain;
use crate::lab_state::LabTasks;

/// The path of the explorer below the calendar's URL.
pub(super) const EXPLORER_PATH: &str = "/explorer";

/// How the calendar or the explorer behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CalendarBehaviour {
    #[default]
    Normal,
    /// Answers everything with 503.
    Down,
    /// Closes connections without an answer.
    Closed,
    /// Answers 200 with meaningless bytes.
    Garbage,
    /// Answers 200 with more bytes than any client reads.
    TooLong,
    /// Answers 200 with the correct answer to a different question.
    WrongAnswer,
    /// Never answers.
    Silent,
}

/// Connections and the handle change `state`. Its mutex guards it and is never held across an
/// await.
#[derive(Debug)]
pub(super) struct CalendarShared {
    pub(super) address: SocketAddr,
    pub(super) tasks: LabTasks,
    state: Mutex<CalendarState>,
}

#[derive(Debug, Default)]
pub(super) struct CalendarState {
    pub(super) chain: Chain,
    pub(super) calendar: CalendarBehaviour,
    pub(super) explorer: CalendarBehaviour,
    pub(super) requests: u64,
}

impl CalendarShared {
    pub(super) fn new(address: SocketAddr, tasks: LabTasks) -> Self {
        Self { address, tasks, state: Mutex::default() }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Locks the state also after a panic elsewhere: every change to it is a single step.
    pub(super) fn state(&self) -> MutexGuard<'_, CalendarState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
