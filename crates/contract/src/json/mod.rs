//! The one JSON parser for bytes that a stranger sent: bounded in size, depth and number of values, and
//! duplicate member names never go unnoticed.
//!
//! Values are the same as with `serde_json`, and so are the reasons, lines and columns of errors.
//! Unpaired surrogates and bytes after the value are errors.

mod builder;
mod error;
mod limits;
mod pointer;
mod reader;
mod string_scan;
#[cfg(test)]
mod tests;
mod value_builder;

use serde_json::Value;

pub use builder::{Builder, DuplicateMember, PathStep};
pub use error::{Error, ErrorKind};
pub use limits::{Bom, Limits, OnDuplicate, Parsed};
pub use pointer::Pointer;
pub use string_scan::plain_length;

use self::error::Failure;
use self::reader::Reader;
use self::value_builder::ValueBuilder;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Parses one JSON value with nothing after it.
pub fn parse(bytes: &[u8], limits: &Limits, on_duplicate: OnDuplicate) -> Result<Parsed, Error> {
    let mut builder = ValueBuilder::new(on_duplicate);
    match build(bytes, limits, &mut builder) {
        Ok(value) => Ok(Parsed {
            value,
            duplicates: builder.into_duplicates(),
            had_bom: without_bom(bytes, limits.bom).len() < bytes.len(),
        }),
        Err(error) => Err(Error { duplicates: builder.into_duplicates(), ..error }),
    }
}

/// The most values in a document that a site publishes.
pub const SITE_DOCUMENT_VALUES: usize = 250_000;

/// Parses as `serde_json::from_slice` does: at most 127 levels, and the last duplicate wins. At most
/// [`SITE_DOCUMENT_VALUES`] values. For bytes whose number the caller has bounded.
pub fn parse_value(bytes: &[u8]) -> Result<Value, Error> {
    const LIMITS: Limits = Limits {
        bytes: usize::MAX,
        depth: 127,
        values: SITE_DOCUMENT_VALUES,
        max_integer: None,
        bom: Bom::Reject,
    };
    parse(bytes, &LIMITS, OnDuplicate::KeepLast { report_at_most: 0 }).map(|parsed| parsed.value)
}

/// Parses one JSON value with nothing after it into the type that `builder` makes. Duplicates are for
/// the builder to find; [`Error::duplicates`] stays empty.
pub fn build<B: Builder>(
    bytes: &[u8],
    limits: &Limits,
    builder: &mut B,
) -> Result<B::Value, Error> {
    let bytes = without_bom(bytes, limits.bom);
    if bytes.len() > limits.bytes {
        return Err(Error::new(bytes, Failure::too_large(limits.bytes)));
    }
    let read = match std::str::from_utf8(bytes) {
        Ok(text) => Reader::of_text(text, limits, builder).document(),
        Err(error) => {
            let at = error.valid_up_to();
            let failure = Reader::of_bytes(bytes, limits, builder).document().err();
            Err(Failure::not_utf8(at, failure))
        }
    };
    read.map_err(|failure| Error::new(bytes, failure))
}

fn without_bom(bytes: &[u8], bom: Bom) -> &[u8] {
    match bom {
        Bom::Reject => bytes,
        Bom::Skip => bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes),
    }
}
