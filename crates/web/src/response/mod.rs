//! Writing a response: documents with validators, errors, media types and cache lifetimes.

mod api_error;
mod cache_control;
mod compressed;
mod document;
mod media_types;

pub use api_error::ApiError;

pub(crate) use api_error::{attached_error, to_sentence};
pub(crate) use cache_control::{
    CACHE_FIVE_MINUTES, CACHE_FIVE_SECONDS, CACHE_FOREVER, CACHE_ONE_DAY_IMMUTABLE, CACHE_ONE_HOUR,
    CACHE_ONE_MINUTE, CACHE_ONE_MINUTE_STALE_OK, CACHE_PRIVATE_ONE_DAY_IMMUTABLE,
    CACHE_THIRTY_SECONDS, NO_STORE, PRIVATE_NO_STORE,
};
pub(crate) use compressed::{Coding, CompressedForms, encode_off_worker};
pub(crate) use document::{CONTENT_DIGEST, HttpDocument, content_digest_header};
pub(crate) use media_types::{CSV, HTML, JSON, JSON_LINES, MARKDOWN, OCTET_STREAM, TEXT, ZIP};
