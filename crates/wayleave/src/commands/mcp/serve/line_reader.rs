//! Lines of bounded length.

use std::io::{self, BufRead};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Text(Vec<u8>),
    /// It was longer than allowed and was skipped.
    TooLong,
}

/// The next line without its end; `None` at the end.
pub(super) fn read_line(input: &mut impl BufRead, max_bytes: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let (mut is_too_long, mut is_empty) = (false, true);
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        if line.len() + part.len() > max_bytes {
            is_too_long = true;
            line = Vec::new();
        } else if !is_too_long {
            line.extend_from_slice(part);
        }
        let has_ended = bytes.is_empty();
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        is_empty &= has_ended;
        if has_ended && is_empty {
            return Ok(None);
        }
        if has_ended || end.is_some() {
            return Ok(Some(if is_too_long { Line::TooLong } else { Line::Text(line) }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_skipped_and_the_next_is_read() {
        let input = format!("ab\n{}\ncd\n\nef", "x".repeat(20_000));
        let mut input = io::BufReader::with_capacity(100, input.as_bytes());
        let mut next = || read_line(&mut input, 10_000).unwrap();
        let text = |text: &str| Some(Line::Text(text.as_bytes().to_vec()));
        assert_eq!(next(), text("ab"));
        assert_eq!(next(), Some(Line::TooLong));
        assert_eq!(next(), text("cd"));
        assert_eq!(next(), text(""));
        assert_eq!(next(), text("ef"));
        assert_eq!(next(), None);
    }
}
