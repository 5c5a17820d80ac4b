//! Splits a stream of bytes into server-sent events, as the HTML standard says (section
//! "Interpreting an event stream"): lines end with CR, LF or both, a byte order mark may come first,
//! lines that begin with a colon are comments, and several `data` lines make one text.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// `message` if the server gave no name.
    pub name: String,
    /// The `data` lines, joined by LF. Bytes that are not valid UTF-8 are replaced.
    pub data: String,
    /// The id of the last event that had one, if any had.
    pub id: Option<String>,
    /// The time to wait before connecting again, in milliseconds, if this event came with one.
    pub retry_ms: Option<u64>,
}

/// An event, or a line of one, is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventTooLarge;

/// The state between two pieces of a stream.
#[derive(Debug)]
pub(crate) struct EventParser {
    max_event_bytes: usize,
    /// The bytes of the line that is not complete yet.
    line: Vec<u8>,
    /// A CR was the last byte: an LF right after it belongs to the same line end.
    after_cr: bool,
    is_first_line: bool,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    last_id: Option<String>,
    retry_ms: Option<u64>,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl EventParser {
    /// Events with more than so many bytes are an error. Comments count only line by line.
    pub(crate) fn new(max_event_bytes: usize) -> Self {
        Self {
            max_event_bytes,
            line: Vec::new(),
            after_cr: false,
            is_first_line: true,
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            last_id: None,
            retry_ms: None,
        }
    }

    /// Reads the next piece of the stream and returns the events that it completes. After an error
    /// the parser must not be used again. What follows the last complete event is dropped, as the
    /// standard has it.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, EventTooLarge> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr)
                && let Some(after) = rest.strip_prefix(b"\n")
            {
                rest = after;
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
                self.extend_line(rest)?;
                break;
            };
            let (piece, ended) = rest.split_at(end);
            self.extend_line(piece)?;
            self.after_cr = ended.first() == Some(&b'\r');
            rest = ended.get(1..).unwrap_or_default();
            let line = std::mem::take(&mut self.line);
            events.extend(self.take_line(&line)?);
        }
        Ok(events)
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        if self.line.len() + bytes.len() > self.max_event_bytes {
            return Err(EventTooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) -> Result<Option<Event>, EventTooLarge> {
        let line = match std::mem::take(&mut self.is_first_line) {
            true => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
            false => line,
        };
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(0) => return Ok(None),
            Some(at) => {
                let (field, value) = line.split_at(at);
                let value = value.get(1..).unwrap_or_default();
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, [].as_slice()),
        };
        match field {
            b"event" => self.name = value.to_vec(),
            b"data" => {
                let joined = self.data.len() + value.len() + usize::from(self.has_data);
                if joined > self.max_event_bytes {
                    return Err(EventTooLarge);
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"id" if !value.contains(&0) => {
                self.last_id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry_ms = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
            }
            _ => {}
        }
        Ok(None)
    }

    /// An empty line ends an event. Without a `data` line there is none.
    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        let name = match name.is_empty() {
            true => "message".to_owned(),
            false => String::from_utf8_lossy(&name).into_owned(),
        };
        Some(Event {
            name,
            data: String::from_utf8_lossy(&data).into_owned(),
            id: self.last_id.clone(),
            retry_ms: self.retry_ms.take(),
        })
    }
}

#[cfg(test)]
mod tests;
