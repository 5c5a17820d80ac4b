//! The steps of a raw connection, for sites that do not speak correct HTTP.

use std::time::Duration;

use bytes::Bytes;

/// One step on a connection. After the last step it is closed properly.
#[derive(Debug, Clone)]
pub(crate) enum ScriptStep {
    Send(Bytes),
    /// The same bytes, this many times.
    Repeat(Bytes, u64),
    /// One byte at a time, with this pause before each.
    Drip(Bytes, Duration),
    /// Sends nothing more until the other side gives up.
    Stall,
    /// Waits for the first bytes of the other side, whatever they are.
    Read,
    /// Ends the connection with a TCP reset.
    Reset,
}
