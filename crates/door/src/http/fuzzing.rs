//! Entry points for the fuzz targets.

use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue};

use super::decode::{CappedBuffer, ContentCoding, Decoder, RatioCap};

/// Decodes a body that arrives in chunks of `chunk` bytes: what was decoded, and whether it is
/// complete. `None` if the coding is unknown.
#[must_use]
pub fn decode_body(
    content_encoding: &[u8],
    body: &[u8],
    chunk: usize,
    cap: u64,
) -> Option<(Vec<u8>, bool)> {
    let mut headers = HeaderMap::new();
    headers.append(CONTENT_ENCODING, HeaderValue::from_bytes(content_encoding).ok()?);
    let coding = ContentCoding::from_headers(&headers)?;
    let mut sink = CappedBuffer::new(cap, body.len() as u64);
    let mut decoder = Decoder::new(coding, RatioCap { ratio: 200, from_bytes: 1 << 20 }).ok()?;
    let mut complete = true;
    for piece in body.chunks(chunk.max(1)) {
        let fed = match &mut decoder {
            Some(decoder) => decoder.feed(piece, &mut sink),
            None => sink.push_slice(piece),
        };
        if fed.is_err() {
            complete = false;
            break;
        }
    }
    complete = complete && decoder.is_none_or(|decoder| decoder.finish().is_ok());
    Some((sink.into_bytes().to_vec(), complete))
}
