//! `Idempotency-Key`: a request that creates something is carried out once, however often it is sent.
//!
//! The reply is stored for a day and returned, byte for byte, to the same request with the same key. A
//! failed request created nothing: its reply is not stored, and the key can be used again.

use std::{future::Future, sync::Arc};

use axum::{
    body::Body,
    extract::{FromRequest, Request},
    response::{IntoResponse, Response},
};
use contract::{Brand, errors::ErrorCode, limits::IDEMPOTENCY_KEY_MAX};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::BodyExt;
use proof::Digest;
use serde::de::DeserializeOwned;
use service::{AddressBlock, IdempotencyOutcome, IdempotencyRequest, Service, StoredReply};

use super::{body, licence_key};
use crate::response::{ApiError, JSON, NO_STORE};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A strictly parsed JSON body, and the idempotency key it came with.
#[derive(Debug)]
pub(crate) struct IdempotencyJson<T> {
    pub(crate) request: T,
    pub(crate) idempotency_key: Option<IdempotencyKey>,
}

/// An idempotency key, and the digest of the body it was sent with.
#[derive(Debug)]
pub(crate) struct IdempotencyKey {
    key: String,
    request_digest: Digest,
}

impl<T: DeserializeOwned + Send + 'static, S: Sync> FromRequest<S> for IdempotencyJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (parts, content) = request.into_parts();
        let key = parse_key_header(&parts.headers)?;
        let bytes = body::read_body(&parts.headers, content).await?;
        let keyed = key.map(|key| IdempotencyKey { key, request_digest: proof::sha256(&bytes) });
        Ok(Self {
            request: body::parse_strict_json(&parts.headers, bytes).await?,
            idempotency_key: keyed,
        })
    }
}

/// Whether a response is the stored reply of an earlier request.
pub(crate) fn is_replayed(response: &Response) -> bool {
    response.headers().contains_key(&IDEMPOTENCY_REPLAYED)
}

/// The key of a request: a structured-field string, or the bare characters. Two headers are an error.
fn parse_key_header(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut lines = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(line) = lines.next() else { return Ok(None) };
    let key = if lines.next().is_some() { None } else { parse_key(line.as_bytes()) };
    let sentence =
        || format!("Send one `Idempotency-Key` of 1 to {IDEMPOTENCY_KEY_MAX} visible characters.");
    match key {
        Some(key) => Ok(Some(key)),
        None => Err(ApiError::bad_request(sentence()).param("Idempotency-Key")),
    }
}

pub(super) fn parse_key(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.trim_matches([' ', '\t']);
    let key = match line.strip_prefix('"') {
        Some(rest) => parse_quoted_string(rest)?,
        None if line.bytes().all(|byte| matches!(byte, 0x21..=0x7e)) => line.to_owned(),
        None => return None,
    };
    (1..=IDEMPOTENCY_KEY_MAX).contains(&key.len()).then_some(key)
}

/// The content of a structured-field string (RFC 9651, 4.2.5) after its opening quote. The closing
/// quote must be the last character.
fn parse_quoted_string(rest: &str) -> Option<String> {
    let mut key = String::new();
    let mut letters = rest.chars();
    loop {
        match letters.next()? {
            '"' => return letters.next().is_none().then_some(key),
            '\\' => match letters.next()? {
                escaped @ ('"' | '\\') => key.push(escaped),
                _ => return None,
            },
            plain @ ' '..='~' => key.push(plain),
            _ => return None,
        }
    }
}

/// Who sends the request, and for which operation: a key is valid only within this scope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdempotencyScope<'a> {
    pub(crate) operation: &'static str,
    pub(crate) block: AddressBlock,
    pub(crate) brand: &'a Brand,
    pub(crate) headers: &'a HeaderMap,
}

impl IdempotencyScope<'_> {
    /// Runs `work`, or returns the stored reply of the first request with this key. With a key, `work`
    /// goes on when the client disconnects, so a repeated request finds the reply.
    pub(crate) async fn run<F>(
        self,
        service: &Arc<Service>,
        idempotency_key: Option<IdempotencyKey>,
        work: F,
    ) -> Result<Response, ApiError>
    where
        F: Future<Output = Result<Response, ApiError>> + Send + 'static,
    {
        let Some(IdempotencyKey { key, request_digest: request }) = idempotency_key else {
            return work.await;
        };
        let shown = licence_key::credentials_digest(self.headers, self.brand);
        let (operation, block) = (self.operation, self.block);
        let ask = IdempotencyRequest {
            operation,
            block,
            credentials_digest: shown,
            key: &key,
            request_digest: request,
        };
        let step = service.access.begin_idempotent(&ask).await.map_err(|error| {
            ApiError::new(
                ErrorCode::StoreUnreadable,
                "The idempotency key cannot be looked up at the moment. Try again in 5 s.",
            )
            .retry_after(5)
            .with_internal_message(error.to_string())
        })?;
        let name = match step {
            IdempotencyOutcome::First(name) => name,
            IdempotencyOutcome::Replay(reply) => {
                // The key that signed the first reply may have been compromised since.
                let replies = service.keys.make_servable(vec![reply.bytes]).await;
                let replies = replies.map_err(|error| ApiError::internal(error.to_string()))?;
                let bytes = replies.into_iter().next().unwrap_or_default();
                return Ok(replayed_response(StoredReply { bytes, ..reply }));
            }
            IdempotencyOutcome::InFlight => {
                let sentence = "A request with this idempotency key is still running. Repeat this \
                                request to get its answer.";
                return Err(ApiError::new(ErrorCode::IdempotencyInFlight, sentence).retry_after(1));
            }
            IdempotencyOutcome::Reused => {
                let sentence = "This idempotency key was used with a different body. Use a new key \
                                for a new request.";
                return Err(
                    ApiError::new(ErrorCode::IdempotencyReused, sentence).param("Idempotency-Key")
                );
            }
        };
        let storing = Arc::clone(service);
        let task = tokio::spawn(async move {
            let (answer, kept) = match work.await {
                Ok(response) => collect_response(response).await,
                Err(error) => (Err(error), None),
            };
            storing.access.finish_idempotent(name, kept).await;
            answer
        });
        match task.await {
            Ok(answer) => answer,
            Err(error) => {
                service.access.finish_idempotent(name, None).await;
                Err(ApiError::internal(error.to_string()))
            }
        }
    }
}

/// The complete response, and the reply to store: `None` unless the response is a success.
async fn collect_response(response: Response) -> (Result<Response, ApiError>, Option<StoredReply>) {
    let (parts, content) = response.into_parts();
    let bytes = match content.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(error) => return (Err(ApiError::internal(error.to_string())), None),
    };
    let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kept = parts.status.is_success().then(|| StoredReply {
        status: parts.status.as_u16(),
        content_type: media_type.unwrap_or(JSON).to_owned(),
        bytes: bytes.clone(),
    });
    (Ok(Response::from_parts(parts, Body::from(bytes))), kept)
}

fn replayed_response(reply: StoredReply) -> Response {
    let mut response = Body::from(reply.bytes).into_response();
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    let media_type = HeaderValue::from_str(&reply.content_type);
    headers.insert(CONTENT_TYPE, media_type.unwrap_or(HeaderValue::from_static(JSON)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(NO_STORE));
    headers.insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_string_or_bare() {
        let long = "x".repeat(255);
        for (line, key) in [
            ("abc", "abc"),
            ("\"abc\"", "abc"),
            ("  \"a b\"\t", "a b"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
            ("8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"),
            ("a\"b", "a\"b"),
            (&long, &long),
            (&format!("\"{long}\""), &long),
        ] {
            assert_eq!(parse_key(line.as_bytes()).as_deref(), Some(key), "{line}");
        }
        let longer = "x".repeat(256);
        for bad in [
            "",
            " ",
            "\"\"",
            "a b",
            "\"a",
            "\"a\" b",
            "\"a\";x=1",
            "\"a\\b\"",
            "\"a\u{7f}\"",
            "é",
            "\"é\"",
            "a\tb",
            &longer,
            &format!("\"{longer}\""),
        ] {
            assert_eq!(parse_key(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(parse_key(b"a\xff"), None);
    }

    #[test]
    fn two_keys_are_none() {
        let mut headers = HeaderMap::new();
        assert_eq!(parse_key_header(&headers).unwrap(), None);
        headers.append(IDEMPOTENCY_KEY, HeaderValue::from_static("a"));
        assert_eq!(parse_key_header(&headers).unwrap().as_deref(), Some("a"));
        headers.append(IDEMPOTENCY_KEY, HeaderValue::from_static("a"));
        assert_eq!(parse_key_header(&headers).unwrap_err().status(), 400);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_quoted_is_read_again(text in "[ -~]{1,255}") {
            let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            proptest::prop_assert_eq!(parse_key(quoted.as_bytes()), Some(text));
        }

        #[test]
        fn no_bytes_are_too_much(bytes in proptest::collection::vec(0_u8.., 0..400)) {
            if let Some(key) = parse_key(&bytes) {
                proptest::prop_assert!((1..=IDEMPOTENCY_KEY_MAX).contains(&key.len()));
                proptest::prop_assert!(key.bytes().all(|byte| matches!(byte, 0x20..=0x7e)));
            }
        }
    }
}
