//! `Idempotency-Key`: what is created is created once, however often it is asked for.
//!
//! The reply is kept for a day and given to the same request with the same key, byte for byte. What
//! failed created nothing: it is not kept, and the key is free again.

use std::{future::Future, sync::Arc};

use axum::{
    body::Body,
    extract::{FromRequest, Request},
    response::{IntoResponse, Response},
};
use contract::{errors::ErrorCode, limits::IDEMPOTENCY_KEY_MAX};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::BodyExt;
use proof::Digest;
use serde::de::DeserializeOwned;
use service::{AddressBlock, KeptReply, OnceAsk, OnceStep, Service};

use crate::{body, credential, documents, errors::ApiError, state::Site};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A strict body, and the key it came with.
#[derive(Debug)]
pub(crate) struct OnceJson<T> {
    pub(crate) request: T,
    pub(crate) keyed: Option<Keyed>,
}

/// A key, and the digest of the body it is for.
#[derive(Debug)]
pub(crate) struct Keyed {
    key: String,
    request: Digest,
}

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for OnceJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (parts, content) = request.into_parts();
        let key = key(&parts.headers)?;
        let bytes = body::read(&parts.headers, content).await?;
        let keyed = key.map(|key| Keyed { key, request: proof::sha256(&bytes) });
        Ok(Self { request: body::strict(&parts.headers, &bytes)?, keyed })
    }
}

/// The key of a request: a structured-field string, or the bare characters.
fn key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut lines = headers.get_all(KEY).iter();
    let Some(line) = lines.next() else { return Ok(None) };
    let key = if lines.next().is_some() { None } else { read_key(line.as_bytes()) };
    let sentence = || {
        format!("`Idempotency-Key` is one key of 1 to {IDEMPOTENCY_KEY_MAX} visible characters.")
    };
    match key {
        Some(key) => Ok(Some(key)),
        None => Err(ApiError::bad_request(sentence()).param("Idempotency-Key")),
    }
}

fn read_key(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?.trim_matches([' ', '\t']);
    let key = match line.strip_prefix('"') {
        Some(rest) => unquoted(rest)?,
        None if line.bytes().all(|byte| matches!(byte, 0x21..=0x7e)) => line.to_owned(),
        None => return None,
    };
    (1..=IDEMPOTENCY_KEY_MAX).contains(&key.len()).then_some(key)
}

/// What stands between the quotes of a structured-field string (RFC 9651, 4.2.5), which has to end
/// with its quote.
fn unquoted(rest: &str) -> Option<String> {
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

/// Whose request it is, and for what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Once<'a> {
    pub(crate) operation: &'static str,
    pub(crate) block: AddressBlock,
    pub(crate) site: &'a Site,
    pub(crate) headers: &'a HeaderMap,
}

impl Once<'_> {
    /// Does the work, or answers with what it was answered with before. Work under a key goes on when
    /// its asker hangs up: who asks again finds the reply.
    pub(crate) async fn run<F>(
        self,
        service: &Arc<Service>,
        keyed: Option<Keyed>,
        work: F,
    ) -> Result<Response, ApiError>
    where
        F: Future<Output = Result<Response, ApiError>> + Send + 'static,
    {
        let Some(Keyed { key, request }) = keyed else { return work.await };
        let shown = credential::shown_digest(self.headers, &self.site.brand);
        let (operation, block) = (self.operation, self.block);
        let ask = OnceAsk { operation, block, shown, key: &key, request };
        let step = service.begin_once(&ask).await.map_err(|error| {
            ApiError::new(ErrorCode::StoreUnreadable, "The key cannot be looked up now; try again.")
                .retry_after(5)
                .because(error.to_string())
        })?;
        let name = match step {
            OnceStep::First(name) => name,
            OnceStep::Replay(reply) => return Ok(replay(reply)),
            OnceStep::InFlight => {
                let sentence =
                    "A request with this key is under way; its answer will be this one's.";
                return Err(ApiError::new(ErrorCode::IdempotencyInFlight, sentence).retry_after(1));
            }
            OnceStep::Reused => {
                let sentence =
                    "This key was used with another body; a new request needs a new key.";
                return Err(
                    ApiError::new(ErrorCode::IdempotencyReused, sentence).param("Idempotency-Key")
                );
            }
        };
        let keeping = Arc::clone(service);
        let done = tokio::spawn(async move {
            let (answer, kept) = match work.await {
                Ok(response) => whole(response).await,
                Err(error) => (Err(error), None),
            };
            keeping.end_once(name, kept).await;
            answer
        });
        match done.await {
            Ok(answer) => answer,
            Err(error) => {
                service.end_once(name, None).await;
                Err(ApiError::internal(error.to_string()))
            }
        }
    }
}

/// A response, and what is kept of it: nothing of one that is no success.
async fn whole(response: Response) -> (Result<Response, ApiError>, Option<KeptReply>) {
    let (parts, content) = response.into_parts();
    let bytes = match content.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(error) => return (Err(ApiError::internal(error.to_string())), None),
    };
    let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kept = parts.status.is_success().then(|| KeptReply {
        status: parts.status.as_u16(),
        content_type: media_type.unwrap_or(documents::JSON).to_owned(),
        bytes: bytes.clone(),
    });
    (Ok(Response::from_parts(parts, Body::from(bytes))), kept)
}

fn replay(reply: KeptReply) -> Response {
    let mut response = Body::from(reply.bytes).into_response();
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    let media_type = HeaderValue::from_str(&reply.content_type);
    headers.insert(CONTENT_TYPE, media_type.unwrap_or(HeaderValue::from_static(documents::JSON)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(documents::NOT_AT_ALL));
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
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
            assert_eq!(read_key(line.as_bytes()).as_deref(), Some(key), "{line}");
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
            assert_eq!(read_key(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(read_key(b"a\xff"), None);
    }

    #[test]
    fn two_keys_are_none() {
        let mut headers = HeaderMap::new();
        assert_eq!(key(&headers).unwrap(), None);
        headers.append(KEY, HeaderValue::from_static("a"));
        assert_eq!(key(&headers).unwrap().as_deref(), Some("a"));
        headers.append(KEY, HeaderValue::from_static("a"));
        assert_eq!(key(&headers).unwrap_err().status(), 400);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_quoted_is_read_again(text in "[ -~]{1,255}") {
            let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            proptest::prop_assert_eq!(read_key(quoted.as_bytes()), Some(text));
        }

        #[test]
        fn no_bytes_are_too_much(bytes in proptest::collection::vec(0_u8.., 0..400)) {
            if let Some(key) = read_key(&bytes) {
                proptest::prop_assert!((1..=IDEMPOTENCY_KEY_MAX).contains(&key.len()));
                proptest::prop_assert!(key.bytes().all(|byte| matches!(byte, 0x20..=0x7e)));
            }
        }
    }
}
