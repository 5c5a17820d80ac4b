//! The path and query parameters of a request, parsed as strictly as bodies.

use std::collections::BTreeMap;

use axum::{
    RequestPartsExt,
    extract::{FromRequestParts, Path},
};
use contract::errors::ErrorCode;
use http::{Uri, request::Parts};

use super::query_pairs::query_pairs;
use crate::response::ApiError;

/// Extractor: the one variable part of the path. 404 if it is not valid UTF-8.
#[derive(Debug)]
pub(crate) struct PathParameter(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathParameter {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let path = parts.extract::<Path<String>>().await;
        path.map(|Path(text)| Self(text)).map_err(|_| ApiError::not_found())
    }
}

/// The longest value of a query parameter. No address or name that we accept is longer.
pub(crate) const MAX_PARAMETER_CHARS: usize = 2_048;

/// Query parameters by name.
pub(crate) type QueryParameters = BTreeMap<&'static str, String>;

/// Parses the query. A parameter that is not in `known`, or is given twice, is refused, so that a
/// misspelled parameter is never silently ignored.
pub(crate) fn query_parameters(
    uri: &Uri,
    known: &[&'static str],
) -> Result<QueryParameters, ApiError> {
    let mut found = QueryParameters::new();
    for (name, value) in query_pairs(uri.query().unwrap_or_default()) {
        let Some(known) = known.iter().find(|known| **known == name) else {
            let shown: String = name.chars().take(64).collect();
            let sentence = format!("Unknown parameter `{shown}`.");
            return Err(ApiError::new(ErrorCode::UnknownField, sentence).param(shown));
        };
        if value.chars().count() > MAX_PARAMETER_CHARS {
            let sentence =
                format!("Parameter `{known}` is longer than {MAX_PARAMETER_CHARS} characters.");
            return Err(ApiError::bad_request(sentence).param(*known));
        }
        if found.insert(*known, value.into_owned()).is_some() {
            return Err(
                ApiError::bad_request(format!("Parameter `{known}` is given twice.")).param(*known)
            );
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<QueryParameters, String> {
        let uri: Uri = format!("/x?{query}").parse().unwrap();
        query_parameters(&uri, &["kind", "list"]).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn takes_known_parameters_once() {
        assert_eq!(read("kind=a%2Bb+c").unwrap()["kind"], "a+b c");
        assert!(read("").unwrap().is_empty());
        assert_eq!(read("kind=a&kind=a").unwrap_err(), "Parameter `kind` is given twice.");
        assert_eq!(read("kind=a&knid=b").unwrap_err(), "Unknown parameter `knid`.");
        assert!(read(&format!("kind={}", "a".repeat(2_048))).is_ok());
        let long = read(&format!("kind={}", "a".repeat(2_049))).unwrap_err();
        assert_eq!(long, "Parameter `kind` is longer than 2048 characters.");
    }
}
