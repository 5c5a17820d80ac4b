//! Entry points for the fuzz targets.

use super::parser::{Event, EventParser};

/// Parses a stream that arrives in pieces of `piece` bytes. `None` if an event exceeds the limit.
#[must_use]
pub fn parse_events(bytes: &[u8], piece: usize, max_event_bytes: usize) -> Option<Vec<Event>> {
    let mut parser = EventParser::new(max_event_bytes);
    let mut events = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        events.extend(parser.feed(piece).ok()?);
    }
    Some(events)
}
