//! Strict JSON bodies: anything not understood is refused, never ignored.

use axum::{extract::FromRequest, extract::Request};
use bytes::Bytes;
use contract::{errors::ErrorCode, text::display_safe};
use http::{
    HeaderMap,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};
use serde::de::DeserializeOwned;

use super::{
    bounded_body,
    json_tree::{self, JsonParseError},
    json_tree_deserializer::{TypeMismatch, TypeMismatchKind},
};
use crate::{off_worker::run_off_worker, response::ApiError};

/// Extractor: a JSON body, parsed into a type. A body that is too large, not JSON, nested too deeply,
/// has a duplicate member or an unknown one, is refused with a message that says which.
#[derive(Debug, Clone, Copy)]
pub struct StrictJson<T>(pub T);

impl<T: DeserializeOwned + Send + 'static, S: Sync> FromRequest<S> for StrictJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let bytes = bounded_body::read_body(&parts.headers, body).await?;
        parse_strict_json(&parts.headers, bytes).await.map(Self)
    }
}

/// Larger bodies are not parsed on an async worker: a mebibyte takes tens of milliseconds.
const MAX_BYTES_ON_WORKER: usize = 32 * 1_024;

/// Parses a complete body into a type.
pub(crate) async fn parse_strict_json<T: DeserializeOwned + Send + 'static>(
    headers: &HeaderMap,
    bytes: Bytes,
) -> Result<T, ApiError> {
    check_is_json(headers, &bytes)?;
    if bytes.len() <= MAX_BYTES_ON_WORKER {
        return parse(&bytes);
    }
    run_off_worker(move || parse(&bytes)).await?
}

/// The same on this thread.
pub(crate) fn parse_strict_json_here<T: DeserializeOwned>(
    headers: &HeaderMap,
    bytes: &[u8],
) -> Result<T, ApiError> {
    check_is_json(headers, bytes)?;
    parse(bytes)
}

fn check_is_json(headers: &HeaderMap, bytes: &[u8]) -> Result<(), ApiError> {
    // Checked before the media type: for an empty body that would be the wrong complaint.
    if bytes.is_empty() {
        return Err(ApiError::bad_request("The request has no body. Send JSON."));
    }
    check_media_type(headers)
}

fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    if headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        return Err(ApiError::unsupported_media_type(
            "Compressed request bodies are not supported.",
        ));
    }
    let mut given = headers.get_all(CONTENT_TYPE).iter();
    let Some(first) = given.next() else {
        return Err(ApiError::bad_request(
            "The Content-Type header is missing. Send application/json.",
        ));
    };
    let good = given.next().is_none() && first.to_str().is_ok_and(is_json);
    if good {
        Ok(())
    } else {
        Err(ApiError::unsupported_media_type("The request body must be application/json in UTF-8."))
    }
}

/// `application/json` or `application/…+json`, in UTF-8 if it names a charset.
fn is_json(media_type: &str) -> bool {
    let mut parts = media_type.split(';');
    let name = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let subtype = name.strip_prefix("application/").unwrap_or_default();
    let json = subtype == "json" || subtype.strip_suffix("+json").is_some_and(|s| !s.is_empty());
    json && parts.all(|parameter| match parameter.split_once('=') {
        Some((key, value)) if key.trim().eq_ignore_ascii_case("charset") => {
            let value = value.trim().trim_matches('"');
            value.eq_ignore_ascii_case("utf-8") || value.eq_ignore_ascii_case("utf8")
        }
        _ => true,
    })
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(ApiError::bad_request("The body is not valid UTF-8."));
    };
    let node = json_tree::parse(text).map_err(|fault| match fault {
        JsonParseError::Syntax { line, column } => ApiError::bad_request(format!(
            "The body is not valid JSON (line {line}, column {column})."
        )),
        JsonParseError::TooDeep => ApiError::bad_request(format!(
            "The body is nested deeper than {} levels.",
            json_tree::MAX_DEPTH
        )),
        JsonParseError::TooManyValues => ApiError::bad_request(format!(
            "The body has more than {} values.",
            json_tree::MAX_VALUES
        )),
        JsonParseError::DuplicateMember(name) => {
            let (param, shown) = (truncate_name(&name), display_safe(&name, SHOWN_NAME_CHARS));
            ApiError::bad_request(format!("Member `{shown}` is given twice.")).param(param)
        }
    })?;
    T::deserialize(node).map_err(to_api_error)
}

fn to_api_error(misfit: TypeMismatch) -> ApiError {
    let path = misfit.path();
    let (param, shown) = (truncate_name(&path), display_safe(&path, SHOWN_NAME_CHARS));
    match misfit.kind {
        TypeMismatchKind::UnknownField(_) => {
            let sentence = format!("Unknown member `{shown}`.");
            ApiError::new(ErrorCode::UnknownField, sentence).param(param)
        }
        TypeMismatchKind::MissingField(_) => {
            ApiError::bad_request(format!("Member `{shown}` is missing.")).param(param)
        }
        TypeMismatchKind::Length(why) => {
            let sentence = format!("Member `{shown}`: {why}.");
            ApiError::new(ErrorCode::BatchSize, sentence).param(param)
        }
        TypeMismatchKind::Other(why) if path.is_empty() => {
            ApiError::bad_request(format!("The body: {why}."))
        }
        TypeMismatchKind::Other(why) => {
            ApiError::bad_request(format!("Member `{shown}`: {why}.")).param(param)
        }
    }
}

/// Characters of a name that an error repeats, and one for the mark where it was cut.
const SHOWN_NAME_CHARS: usize = MAX_NAME_CHARS + 1;
const MAX_NAME_CHARS: usize = 128;

/// The start of a name from the request, as it was sent: programs look it up in what they sent.
fn truncate_name(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_CHARS {
        return name.to_owned();
    }
    let mut short: String = name.chars().take(MAX_NAME_CHARS).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Ask {
        domain: String,
        #[serde(default)]
        policy: Option<Policy>,
        #[serde(default)]
        visitors: Vec<Policy>,
        #[serde(default)]
        counts: BTreeMap<String, f64>,
        #[serde(default)]
        mode: Option<Mode>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Policy {
        max_age_hours: u8,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        Quick,
        Within { seconds: u8 },
    }

    fn check(body: &str, code: &str, param: Option<&str>, sentence: &str) {
        let error = parse::<Ask>(body.as_bytes()).unwrap_err();
        let shown: String = body.chars().take(80).collect();
        assert_eq!(error.code().as_str(), code, "{shown}: {}", error.message());
        assert_eq!(error.message(), sentence, "{shown}");
        let written = format!("{error:?}");
        match param {
            Some(param) => {
                assert!(written.contains(&format!("param: Some({param:?})")), "{written}")
            }
            None => assert!(written.contains("param: None"), "{written}"),
        }
    }

    #[test]
    fn accepts_known_members() {
        let full = parse::<Ask>(
            br#" {"domain":"a\u00e9\ud83d\ude00","policy":{"max_age_hours":7},"visitors":
                [{"max_age_hours":0}],"counts":{"a":1,"b":-2.5},"mode":{"within":{"seconds":3}}} "#,
        )
        .unwrap();
        assert_eq!(full.domain, "aé😀");
        assert_eq!(full.policy, Some(Policy { max_age_hours: 7 }));
        assert_eq!(full.counts["b"], -2.5);
        assert_eq!(full.mode, Some(Mode::Within { seconds: 3 }));
        for whole in ["7.0", "70e-1", "0.7e1"] {
            let body = format!(r#"{{"domain":"a","policy":{{"max_age_hours":{whole}}}}}"#);
            let policy = parse::<Ask>(body.as_bytes()).unwrap().policy;
            assert_eq!(policy, Some(Policy { max_age_hours: 7 }), "{whole}");
        }
        let spare = parse::<Ask>(br#"{"domain":"a","policy":null,"mode":"quick"}"#).unwrap();
        assert_eq!((spare.policy, spare.mode), (None, Some(Mode::Quick)));
    }

    #[test]
    fn names_the_member_that_is_wrong() {
        let unknown = "unknown_field";
        check(
            r#"{"domain":"a","domian":"b"}"#,
            unknown,
            Some("domian"),
            "Unknown member `domian`.",
        );
        check(
            r#"{"domain":"a","policy":{"max_age_hourz":1}}"#,
            unknown,
            Some("policy.max_age_hourz"),
            "Unknown member `policy.max_age_hourz`.",
        );
        check(
            r#"{"domain":"a","visitors":[{"max_age_hours":1},{"x":1}]}"#,
            unknown,
            Some("visitors[1].x"),
            "Unknown member `visitors[1].x`.",
        );
        check("{}", "bad_request", Some("domain"), "Member `domain` is missing.");
        check(
            r#"{"domain":"a","policy":{}}"#,
            "bad_request",
            Some("policy.max_age_hours"),
            "Member `policy.max_age_hours` is missing.",
        );
        check(
            r#"{"domain":5}"#,
            "bad_request",
            Some("domain"),
            "Member `domain`: expected a string.",
        );
        check(
            r#"{"domain":"a","policy":{"max_age_hours":300}}"#,
            "bad_request",
            Some("policy.max_age_hours"),
            "Member `policy.max_age_hours`: expected a non-negative whole number in range.",
        );
        check(
            r#"{"domain":"a","policy":{"max_age_hours":7.5}}"#,
            "bad_request",
            Some("policy.max_age_hours"),
            "Member `policy.max_age_hours`: expected a non-negative whole number in range.",
        );
        for body in ["[]", "[\"a\"]", "null", "\"a\"", "7", "true"] {
            check(body, "bad_request", None, "The body: expected an object.");
        }
    }

    #[test]
    fn refuses_names_given_twice_at_any_depth() {
        let twice = |body, name: &str| {
            check(body, "bad_request", Some(name), &format!("Member `{name}` is given twice."));
        };
        twice(r#"{"domain":"a","domain":"a"}"#, "domain");
        twice(r#"{"domain":"a","\u0064omain":"b"}"#, "domain");
        twice(r#"{"domain":"a","counts":{"x":1,"y":2,"x":3}}"#, "x");
    }

    #[test]
    fn refuses_what_is_not_json() {
        for (body, line, column) in [
            ("{", 1, 1),
            ("{\"domain\":\"a\"} x", 1, 16),
            ("{\"domain\":\"a\",}", 1, 15),
            ("{'domain':'a'}", 1, 2),
            ("{\"domain\":1e9999}", 1, 16),
            ("{\"domain\":\"\\ud800\"}", 1, 18),
            ("{\"domain\":\"\u{1}\"}", 1, 12),
            ("\u{feff}{\"domain\":\"a\"}", 1, 1),
            ("{\"domain\":NaN}", 1, 11),
            ("{\"domain\":\"a\"}{\"domain\":\"b\"}", 1, 15),
        ] {
            let sentence = format!("The body is not valid JSON (line {line}, column {column}).");
            check(body, "bad_request", None, &sentence);
        }
        assert_eq!(
            parse::<Ask>(b"{\"domain\":\"\xff\"}").unwrap_err().message(),
            "The body is not valid UTF-8."
        );
        for depth in [65, 128, 129, 1_000, 500_000] {
            let deep = format!("{{\"domain\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
            check(&deep, "bad_request", None, "The body is nested deeper than 64 levels.");
        }
        let many = format!("{{\"domain\":[{}]}}", ["{}"; 50_000].join(","));
        check(&many, "bad_request", None, "The body has more than 50000 values.");
        let long = "x".repeat(10_000);
        let error = parse::<Ask>(format!("{{\"{long}\":1}}").as_bytes()).unwrap_err();
        assert!(error.message().len() < 300);
    }

    #[test]
    fn accepts_json_media_types_only() {
        for good in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf8\"",
            "application/ld+json",
            "application/vnd.x+json; profile=y",
        ] {
            assert!(is_json(good), "{good}");
        }
        for bad in [
            "",
            "text/json",
            "text/plain",
            "application/jsonp",
            "application/+json",
            "application/json; charset=utf-16",
            "application/json, text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
        ] {
            assert!(!is_json(bad), "{bad}");
        }
    }
}
