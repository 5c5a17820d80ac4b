//! What an address says: its path and its query, read as strictly as bodies.

use std::collections::BTreeMap;

use axum::{
    RequestPartsExt,
    extract::{FromRequestParts, Path},
};
use contract::errors::ErrorCode;
use http::{Uri, request::Parts};

use crate::errors::ApiError;

/// The one part of the path that is left open. Where that is not text, there is nothing.
#[derive(Debug)]
pub(crate) struct PathText(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let path = parts.extract::<Path<String>>().await;
        path.map(|Path(text)| Self(text)).map_err(|_| ApiError::not_found())
    }
}

/// Parameters by name.
pub(crate) type Parameters = BTreeMap<&'static str, String>;

/// The parameters by name. One that is not known, or given twice, is refused: whoever misspells a
/// wish must not believe it was heard.
pub(crate) fn parameters(uri: &Uri, known: &[&'static str]) -> Result<Parameters, ApiError> {
    let mut found = BTreeMap::new();
    for (name, value) in url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        let Some(known) = known.iter().find(|known| **known == name) else {
            let shown: String = name.chars().take(64).collect();
            let sentence = format!("`{shown}` is not a parameter this address knows.");
            return Err(ApiError::new(ErrorCode::UnknownField, sentence).param(shown));
        };
        if found.insert(*known, value.into_owned()).is_some() {
            return Err(ApiError::bad_request(format!("`{known}` is given twice.")).param(*known));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<BTreeMap<&'static str, String>, String> {
        let uri: Uri = format!("/x?{query}").parse().unwrap();
        parameters(&uri, &["kind", "list"]).map_err(|error| error.sentence().to_owned())
    }

    #[test]
    fn takes_known_parameters_once() {
        assert_eq!(read("kind=a%2Bb+c").unwrap()["kind"], "a+b c");
        assert!(read("").unwrap().is_empty());
        assert_eq!(read("kind=a&kind=a").unwrap_err(), "`kind` is given twice.");
        assert_eq!(
            read("kind=a&knid=b").unwrap_err(),
            "`knid` is not a parameter this address knows."
        );
    }
}
