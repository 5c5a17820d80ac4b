//! Reads the events of one answer, bounded in the bytes of an event, in the bytes of all events, and
//! in time.

use std::collections::VecDeque;
use std::time::Duration;

use contract::evidence::{Failure, FailureKind, FailurePhase};
use tokio::time::Instant;

use super::parser::{Event, EventParser};
use crate::failure::new_failure;
use crate::http::streamed_body::{Pace, StreamedBody};

/// The events of one answer. Dropping it closes the connection, unless the stream was read to its
/// end.
#[derive(Debug)]
pub struct EventStream {
    body: StreamedBody,
    parser: EventParser,
    waiting: VecDeque<Event>,
    /// Set once an event was too large: what follows cannot be told apart from its rest.
    broken: bool,
}

impl EventStream {
    pub(crate) fn new(body: StreamedBody, max_event_bytes: usize) -> Self {
        let parser = EventParser::new(max_event_bytes);
        Self { body, parser, waiting: VecDeque::new(), broken: false }
    }

    /// The next event, or `None` at the end of the stream. `within` limits this wait only: if it
    /// passes, the stream can be asked again. The deadline of the whole answer applies as well.
    pub async fn next(&mut self, within: Duration) -> Result<Option<Event>, Failure> {
        let deadline = self.body.deadline();
        let until = Instant::now().checked_add(within).map_or(deadline, |at| at.min(deadline));
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            if self.broken {
                return Err(event_too_large_failure());
            }
            let Some(bytes) = self.body.next_bytes(Pace::Until(until)).await? else {
                return Ok(None);
            };
            match self.parser.feed(&bytes) {
                Ok(events) => self.waiting.extend(events),
                Err(_) => {
                    self.broken = true;
                    return Err(event_too_large_failure());
                }
            }
        }
    }

    /// Waits a moment for the end of a stream whose last event was read, so that the connection can
    /// serve the next request. Further events are dropped.
    pub async fn finish(mut self) {
        const MOST: Duration = Duration::from_millis(50);
        const MOST_EVENTS: usize = 8;
        for _ in 0..MOST_EVENTS {
            if !matches!(self.next(MOST).await, Ok(Some(_))) {
                return;
            }
        }
    }

    /// How many bytes were received so far, before decoding.
    #[must_use]
    pub fn wire_bytes(&self) -> u64 {
        self.body.wire_bytes()
    }

    /// How many bytes they are after decoding.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.body.decoded_bytes()
    }
}

fn event_too_large_failure() -> Failure {
    new_failure(
        FailureKind::TooLarge,
        FailurePhase::Body,
        "event_too_large",
        "An event of the stream exceeds the size limit.",
    )
}
