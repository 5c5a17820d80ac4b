//! Compresses responses for clients that accept it (gzip, brotli). Documents that are the same for the life
//! of the process ([`CompressedForms`]) are compressed once, and better.
//!
//! Inside the deadline and the cap of requests, so that a body that waits for its turn is counted. An own layer, because `tower-http` compresses on the async workers and streams, so that a response would
//! have no length and no `Content-Digest`.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY},
};
use http_body_util::BodyExt;

use crate::response::{CONTENT_DIGEST, Coding, CompressedForms, encode_off_worker};

/// Shorter bodies gain nothing. Longer ones than the second are sent as they are.
const MIN_BYTES: u64 = 1_024;
const MAX_BYTES: u64 = 8 << 20;

pub(super) async fn compress(request: Request, next: Next) -> Response {
    let coding = preferred_coding(request.headers());
    let mut response = next.run(request).await;
    let length = response.body().size_hint().exact();
    let Some(length) = length.filter(|_| response.status() == StatusCode::OK) else {
        return response;
    };
    if !add_vary(response.headers_mut(), length) {
        return response;
    }
    match coding {
        Some(coding) if length <= MAX_BYTES => compress_response(response, coding).await,
        _ => response,
    }
}

/// Says that the response depends on Accept-Encoding, if it may be compressed. Returns whether it may.
pub(crate) fn add_vary(headers: &mut HeaderMap, length: u64) -> bool {
    let may = length >= MIN_BYTES && is_text(headers) && !headers.contains_key(CONTENT_ENCODING);
    if may {
        headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    }
    may
}

fn is_text(headers: &HeaderMap) -> bool {
    let media_type =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = media_type.split(';').next().unwrap_or_default().trim();
    name.starts_with("text/") && name != "text/event-stream"
        || name == "application/json"
        || name.ends_with("+json")
        || name == "image/svg+xml"
}

async fn compress_response(response: Response, coding: Coding) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(body) = body.collect().await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let plain = body.to_bytes();
    let compressed = match parts.extensions.get::<CompressedForms>() {
        Some(forms) => forms.get(&plain, coding).await,
        None => encode_off_worker(&plain, coding, false).await,
    };
    // If it cannot be compressed, the plain bytes are as good.
    let Some(compressed) = compressed.filter(|compressed| compressed.len() < plain.len()) else {
        return Response::from_parts(parts, Body::from(plain));
    };
    let word = match coding {
        Coding::Brotli => "br",
        Coding::Gzip => "gzip",
    };
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static(word));
    parts.headers.remove(CONTENT_LENGTH);
    // It would be the digest of the plain bytes.
    parts.headers.remove(CONTENT_DIGEST);
    weaken_etag(&mut parts.headers);
    Response::from_parts(parts, Body::from(compressed))
}

/// The same content in other bytes: the tag is a weak one (RFC 9110, 8.8.3).
fn weaken_etag(headers: &mut HeaderMap) {
    let strong = headers.get(ETAG).map(|tag| tag.as_bytes().to_vec());
    if let Some(tag) = strong.filter(|tag| tag.starts_with(b"\""))
        && let Ok(weak) = HeaderValue::from_bytes(&[b"W/", tag.as_slice()].concat())
    {
        headers.insert(ETAG, weak);
    }
}

/// The coding that the client prefers, brotli if it likes both alike. `None` if it accepts neither.
fn preferred_coding(headers: &HeaderMap) -> Option<Coding> {
    let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    let (mut brotli, mut gzip) = (0, 0);
    for choice in lines.flat_map(|line| line.split(',')).take(32) {
        let mut parts = choice.split(';');
        let name = parts.next().unwrap_or_default().trim();
        let weight = parts.find_map(|part| part.trim().strip_prefix("q=")?.parse::<f64>().ok());
        let weight = (weight.unwrap_or(1.0).clamp(0.0, 1.0) * 1_000.0) as u32;
        if name.eq_ignore_ascii_case("br") {
            brotli = weight;
        } else if name.eq_ignore_ascii_case("gzip") {
            gzip = weight;
        }
    }
    match (brotli, gzip) {
        (0, 0) => None,
        (brotli, gzip) if brotli >= gzip => Some(Coding::Brotli),
        _ => Some(Coding::Gzip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_chooses_the_coding() {
        for (header, expected) in [
            ("gzip, deflate, br, zstd", Some(Coding::Brotli)),
            ("gzip", Some(Coding::Gzip)),
            ("br;q=0.1, gzip;q=0.9", Some(Coding::Gzip)),
            ("br;q=0, gzip;q=0", None),
            ("identity", None),
            ("GZIP;Q=1", Some(Coding::Gzip)),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, header.parse().unwrap());
            assert_eq!(preferred_coding(&headers), expected, "{header}");
        }
        assert_eq!(preferred_coding(&HeaderMap::new()), None);
    }

    #[test]
    fn only_texts_of_some_length_depend_on_the_coding() {
        let check = |media_type: &'static str, length| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
            add_vary(&mut headers, length) && headers[VARY] == "accept-encoding"
        };
        assert!(check("text/html; charset=utf-8", 5_000));
        assert!(check("application/problem+json", 5_000) && check("image/svg+xml", 5_000));
        assert!(!check("text/html", 1_000) && !check("image/png", 5_000));
        assert!(!check("text/event-stream", 5_000));
    }
}
