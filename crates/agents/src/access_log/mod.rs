//! Lines of access logs, as web servers write them: the combined format of nginx and Apache with what
//! distributions put around it, the JSON of Caddy, and the W3C extended format of IIS and CloudFront.
//!
//! A line is split without being copied: texts are decoded when somebody asks for them. Which format a line
//! has is decided for each line, because logs of several servers are often joined.

mod caddy;
mod cells;
mod combined;
mod log_text;
mod log_time;
mod request;
#[cfg(test)]
mod tests;
mod w3c;

pub use log_text::LogText;
pub use request::LogRequest;

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub enum LogLine<'a> {
    Request(LogRequest<'a>),
    /// A line about the log, or an empty one.
    Comment,
    /// In no format that is known.
    Unreadable,
}

/// Reads the lines of one log, in their order: the W3C format names its columns in a line of its own.
#[derive(Debug, Clone, Default)]
pub struct LogParser {
    columns: Option<w3c::Columns>,
}

impl LogParser {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses a line, with or without its end.
    pub fn parse<'a>(&mut self, line: &'a [u8]) -> LogLine<'a> {
        let line = trim_end(line);
        let request = match line.first() {
            None => return LogLine::Comment,
            Some(b'#') => {
                if let Some(columns) = w3c::Columns::parse(line) {
                    self.columns = Some(columns);
                }
                return LogLine::Comment;
            }
            Some(b'{') => caddy::parse(line),
            Some(_) => {
                let by_columns = self.columns.as_ref().and_then(|columns| columns.request(line));
                by_columns.or_else(|| combined::parse(line))
            }
        };
        request.map_or(LogLine::Unreadable, LogLine::Request)
    }
}

fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
