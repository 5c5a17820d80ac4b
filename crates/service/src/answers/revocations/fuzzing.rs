//! For the fuzz targets in `fuzz/`. Not part of the interface.

use super::cursor::RevocationCursor;

/// A cursor as it is written; `None` if the text is not a cursor.
#[must_use]
pub fn parse_cursor(text: &str) -> Option<String> {
    RevocationCursor::parse(text).map(|cursor| cursor.to_string())
}
