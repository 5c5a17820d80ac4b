//! Why a text was not parsed, and where.

use std::fmt;

use super::pointer::Pointer;

/// Why a text was not parsed, and where. The text that it shows is `serde_json`'s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub kind: ErrorKind,
    /// More exact than the kind, in the words of `serde_json`: `trailing comma`.
    pub reason: &'static str,
    /// The byte at which the error is; a duplicate's is where its name starts.
    pub offset: usize,
    /// The line where parsing stopped, from 1.
    pub line: usize,
    /// How many bytes of that line were read.
    pub column: usize,
    /// Duplicate members before the error, if duplicates are kept.
    pub duplicates: Vec<Pointer>,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    TooLarge,
    /// The offset is the first byte that is not UTF-8. Reason, line and column are those of the first
    /// error of any kind.
    NotUtf8,
    TooDeep,
    TooManyValues,
    DuplicateMember,
    UnexpectedEnd,
    ExpectedValue,
    ExpectedName,
    ExpectedColon,
    ExpectedArrayEnd,
    ExpectedObjectEnd,
    ControlCharacter,
    UnterminatedString,
    UnknownEscape,
    ExpectedHexDigits,
    UnpairedSurrogate,
    ExpectedDigit,
    IntegerTooLarge,
    NumberTooLarge,
    TrailingData,
}

impl ErrorKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "too large",
            Self::NotUtf8 => "not UTF-8",
            Self::TooDeep => "nested too deeply",
            Self::TooManyValues => "too many values",
            Self::DuplicateMember => "repeated member name",
            Self::UnexpectedEnd => "unexpected end, expected a value",
            Self::ExpectedValue => "expected a value",
            Self::ExpectedName => "expected a member name",
            Self::ExpectedColon => "expected a colon",
            Self::ExpectedArrayEnd => "expected a comma or the end of the array",
            Self::ExpectedObjectEnd => "expected a comma or the end of the object",
            Self::ControlCharacter => "control character in a string",
            Self::UnterminatedString => "unterminated string",
            Self::UnknownEscape => "unknown escape",
            Self::ExpectedHexDigits => "expected four hex digits",
            Self::UnpairedSurrogate => "unpaired surrogate",
            Self::ExpectedDigit => "expected a digit",
            Self::IntegerTooLarge => "integer too large",
            Self::NumberTooLarge => "number too large for a double",
            Self::TrailingData => "unexpected data after the value",
        }
    }
}

impl Error {
    #[cold]
    pub(super) fn new(bytes: &[u8], failure: Failure) -> Self {
        let read = bytes.get(..failure.stop).unwrap_or(bytes);
        let line_start = read.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        Self {
            kind: failure.kind,
            reason: failure.reason,
            offset: failure.offset,
            line: 1 + read.iter().filter(|byte| **byte == b'\n').count(),
            column: read.len() - line_start,
            duplicates: Vec::new(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.reason, self.line, self.column)
    }
}

impl std::error::Error for Error {}

/// An error before its line and column are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure {
    pub(super) kind: ErrorKind,
    pub(super) reason: &'static str,
    pub(super) offset: usize,
    /// How many bytes `serde_json` reads before it reports this error.
    pub(super) stop: usize,
}

impl Failure {
    pub(super) fn too_large(limit: usize) -> Self {
        Self { kind: ErrorKind::TooLarge, reason: "too large", offset: limit, stop: 0 }
    }

    /// Invalid UTF-8 at `offset`, in a text that failed to parse with `first`.
    pub(super) fn not_utf8(offset: usize, first: Option<Self>) -> Self {
        let kind = ErrorKind::NotUtf8;
        match first {
            Some(first) => Self { kind, offset, ..first },
            None => Self { kind, reason: "not UTF-8", offset, stop: offset },
        }
    }
}
