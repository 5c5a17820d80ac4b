//! A text of a line, as it is written there.

use std::borrow::Cow;

/// How a log writes bytes that would end the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    /// As it is.
    Plain,
    /// `\"`, `\\` and `\x22`.
    Backslashes,
    /// `%20`; CloudFront writes the percent sign itself as `%25`.
    Percent,
    /// `+` for a space, which IIS writes.
    Plus,
}

/// A text that is decoded when somebody asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogText<'a> {
    written: Cow<'a, [u8]>,
    coding: Coding,
}

impl<'a> LogText<'a> {
    pub(super) fn new(written: &'a [u8], coding: Coding) -> Self {
        Self { written: Cow::Borrowed(written), coding }
    }

    pub(super) fn decoded(text: Cow<'a, str>) -> Self {
        let written = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        Self { written, coding: Coding::Plain }
    }

    /// The bytes as the log has them. Equal texts of one log are written equally.
    #[must_use]
    pub fn as_written(&self) -> &[u8] {
        &self.written
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// The text that the visitor sent.
    #[must_use]
    pub fn decode(&self) -> Cow<'_, [u8]> {
        self.decoded_copy().map_or(Cow::Borrowed(&self.written), Cow::Owned)
    }

    /// The same, for as long as the line lives.
    pub(super) fn into_decoded(self) -> Cow<'a, [u8]> {
        self.decoded_copy().map_or(self.written, Cow::Owned)
    }

    /// `None` if the text is written as it was sent.
    fn decoded_copy(&self) -> Option<Vec<u8>> {
        let mark = match self.coding {
            Coding::Plain => return None,
            Coding::Backslashes => b'\\',
            Coding::Percent => b'%',
            Coding::Plus => b'+',
        };
        memchr::memchr(mark, &self.written)?;
        Some(match self.coding {
            Coding::Backslashes => unescape(&self.written),
            Coding::Percent => percent_decode(&self.written),
            _ => self.written.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect(),
        })
    }
}

fn unescape(written: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(written.len());
    let mut rest = written;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            text.push(*first);
            continue;
        }
        match rest {
            [b'x', high, low, tail @ ..] if hex(*high).is_some() && hex(*low).is_some() => {
                text.push(hex(*high).unwrap_or(0) << 4 | hex(*low).unwrap_or(0));
                rest = tail;
            }
            [b't', tail @ ..] => {
                text.push(b'\t');
                rest = tail;
            }
            [b'n', tail @ ..] => {
                text.push(b'\n');
                rest = tail;
            }
            [b'r', tail @ ..] => {
                text.push(b'\r');
                rest = tail;
            }
            [escaped, tail @ ..] => {
                text.push(*escaped);
                rest = tail;
            }
            [] => text.push(b'\\'),
        }
    }
    text
}

fn percent_decode(written: &[u8]) -> Vec<u8> {
    let once = percent_decode_once(written);
    // CloudFront encodes a text that has percent signs a second time.
    if memchr::memmem::find(written, b"%25").is_some() { percent_decode_once(&once) } else { once }
}

fn percent_decode_once(written: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(written.len());
    let mut rest = written;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, rest) {
            (b'%', [high, low, tail @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                text.push(hex(*high).unwrap_or(0) << 4 | hex(*low).unwrap_or(0));
                rest = tail;
            }
            _ => text.push(*first),
        }
    }
    text
}

fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}
