//! A reader that stops, and can be asked afterwards why.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// Gives out at most so many bytes of what is inside.
pub(super) struct Bounded<R> {
    inner: R,
    left: u64,
    state: Rc<State>,
}

/// How the reading ended.
#[derive(Default)]
pub(super) struct State {
    stopped: Cell<bool>,
    failed: Cell<bool>,
}

impl State {
    /// There was more than allowed.
    pub(super) fn stopped(&self) -> bool {
        self.stopped.get()
    }

    /// What is inside could not be read.
    pub(super) fn failed(&self) -> bool {
        self.failed.get()
    }
}

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, bound: u64) -> Self {
        Self { inner, left: bound, state: Rc::default() }
    }

    pub(super) fn state(&self) -> Rc<State> {
        Rc::clone(&self.state)
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            // One byte more tells an end from a stop.
            let more = self.inner.read(&mut [0]).unwrap_or(0);
            if more > 0 {
                self.state.stopped.set(true);
            }
            return Ok(0);
        }
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(into.len());
        let Some(into) = into.get_mut(..room) else { return Ok(0) };
        match self.inner.read(into) {
            Ok(read) => {
                self.left = self.left.saturating_sub(u64::try_from(read).unwrap_or(0));
                Ok(read)
            }
            Err(error) => {
                self.state.failed.set(true);
                Err(error)
            }
        }
    }
}
