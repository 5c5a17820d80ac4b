//! Entry points for the fuzz targets in `fuzz/`. Not part of the interface.

use std::net::IpAddr;

use contract::Brand;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::de::DeserializeOwned;

use super::{
    body::parse_strict_json_here, client_address, content_negotiation, idempotency, licence_key,
    parameters, query_parameters,
};
use crate::ApiError;

/// Header lines, `name: value` each. Lines that HTTP does not allow are left out.
fn header_map(lines: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let name = parts.next().and_then(|name| HeaderName::from_bytes(name).ok());
        let value = parts.next().and_then(|value| HeaderValue::from_bytes(value).ok());
        if let (Some(name), Some(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    headers
}

/// The client's address, if `trusted` are the networks of our proxies.
#[must_use]
pub fn parse_client_address(peer: IpAddr, header_lines: &[u8], trusted: &[&str]) -> IpAddr {
    let trusted: Vec<ipnet::IpNet> = trusted.iter().filter_map(|net| net.parse().ok()).collect();
    client_address::client_address(peer, &header_map(header_lines), &trusted).0
}

/// The weight of a media type, from 0 to 1000.
#[must_use]
pub fn accept_weight(header_lines: &[u8], wanted: &str) -> u16 {
    content_negotiation::accept_weight(&header_map(header_lines), wanted)
}

/// A JSON body; `content_type` may be wrong.
pub fn parse_json_body<T: DeserializeOwned>(
    content_type: &[u8],
    body: &[u8],
) -> Result<T, ApiError> {
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_bytes(content_type) {
        headers.insert(http::header::CONTENT_TYPE, value);
    }
    parse_strict_json_here(&headers, body)
}

/// An `Idempotency-Key`.
#[must_use]
pub fn parse_idempotency_key(line: &[u8]) -> Option<String> {
    idempotency::parse_key(line)
}

/// The licence key of a request.
pub fn parse_licence_key(header_lines: &[u8]) -> Result<service::PresentedKey, ApiError> {
    licence_key::presented_key(&header_map(header_lines), &Brand::default())
}

/// The query of a URI, with the parameters `domain` and `limit`.
pub fn parse_query(uri: &[u8]) -> Result<(Option<String>, Option<u64>), ApiError> {
    let uri = http::Uri::try_from(uri).map_err(|_| ApiError::not_found())?;
    let parameters = query_parameters(&uri, &["domain", "limit"])?;
    let limit = parameters.get("limit").and_then(|text| parameters::parse_whole_number(text));
    Ok((parameters.get("domain").cloned(), limit))
}
