//! The licence key of a request: in the brand's own header or as a bearer token.

use contract::{Brand, errors::ErrorCode};
use http::{
    HeaderMap,
    header::{AUTHORIZATION, COOKIE},
};
use service::{ClaimSecret, LicenceError, LicenceKey, PresentedKey};

use crate::response::ApiError;

/// A digest of the credentials of a request. Stored replies are kept apart by it, so that a reply made
/// for one key is never returned to the holder of another. The credentials themselves are not stored.
pub(crate) fn credentials_digest(headers: &HeaderMap, brand: &Brand) -> proof::Digest {
    let mut hasher = proof::Hasher::new();
    let own = headers.get_all(brand.key_header()).iter().map(|line| (b'k', line));
    let bearer = headers.get_all(AUTHORIZATION).iter().map(|line| (b'a', line));
    let session = headers.get_all(COOKIE).iter().map(|line| (b'c', line));
    for (which, line) in own.chain(bearer).chain(session) {
        hasher.update(&[which]);
        hasher.update(&(line.len() as u64).to_be_bytes());
        hasher.update(line.as_bytes());
    }
    hasher.finish()
}

/// The licence key that a request presents. Two different keys are an error, because it is not clear
/// which one is meant.
pub(crate) fn presented_key(headers: &HeaderMap, brand: &Brand) -> Result<PresentedKey, ApiError> {
    let own = headers.get_all(brand.key_header()).iter().map(|line| line.as_bytes());
    let bearer =
        headers.get_all(AUTHORIZATION).iter().filter_map(|line| bearer_token(line.as_bytes()));
    // The secret of a claim is no licence key.
    let claim = ClaimSecret::prefix(brand);
    let is_key = |key: &&[u8]| !key.starts_with(claim.as_bytes());
    let mut keys = own.chain(bearer).map(<[u8]>::trim_ascii).filter(is_key);
    let Some(first) = keys.next() else { return Ok(PresentedKey::Missing) };
    if keys.any(|other| other != first) {
        return Err(ApiError::bad_request("The request has two different licence keys. Send one."));
    }
    let key = std::str::from_utf8(first).ok().and_then(LicenceKey::parse);
    Ok(key.map_or(PresentedKey::Malformed, PresentedKey::Key))
}

/// The token after `Bearer`; `None` for any other scheme, which is ignored.
pub(crate) fn bearer_token(line: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = line.split_at_checked(6)?;
    let apart = token.is_empty() || token.starts_with(b" ");
    (scheme.eq_ignore_ascii_case(b"bearer") && apart).then_some(token)
}

/// What the caller is told about a licence error.
pub(crate) fn to_api_error(error: LicenceError) -> ApiError {
    match error {
        LicenceError::NoKey => {
            ApiError::new(ErrorCode::Unauthorized, "This operation needs a licence key.")
        }
        LicenceError::UnknownKey => {
            ApiError::new(ErrorCode::Unauthorized, "This licence key is not valid.")
        }
        LicenceError::Store(error) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "Licences cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(error.to_string()),
        LicenceError::NoChance(error) => ApiError::internal(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const ONE: &str = "wl_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const TWO: &str = "wl_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn shown(headers: &[(&'static str, &[u8])]) -> Option<PresentedKey> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        presented_key(&map, &Brand::default()).ok()
    }

    fn key(text: &str) -> Option<PresentedKey> {
        Some(PresentedKey::Key(LicenceKey::parse(text).unwrap()))
    }

    #[test]
    fn a_key_is_taken_from_either_header() {
        let bearer = format!("Bearer {ONE}");
        let spaced = format!("bEARER    {ONE} ");
        assert_eq!(shown(&[("x-svc-key", ONE.as_bytes())]), key(ONE));
        assert_eq!(shown(&[("authorization", bearer.as_bytes())]), key(ONE));
        assert_eq!(shown(&[("authorization", spaced.as_bytes())]), key(ONE));
        let both = [("authorization", bearer.as_bytes()), ("x-svc-key", ONE.as_bytes())];
        assert_eq!(shown(&both), key(ONE));
        let with_basic =
            [("authorization", b"Basic eDp5".as_slice()), ("x-svc-key", TWO.as_bytes())];
        assert_eq!(shown(&with_basic), key(TWO));
    }

    #[test]
    fn two_keys_are_refused() {
        let bearer = format!("Bearer {ONE}");
        for headers in [
            [("authorization", bearer.as_bytes()), ("x-svc-key", TWO.as_bytes())],
            [("x-svc-key", ONE.as_bytes()), ("x-svc-key", TWO.as_bytes())],
            [("x-svc-key", ONE.as_bytes()), ("x-svc-key", b"".as_slice())],
            [("authorization", bearer.as_bytes()), ("authorization", b"Bearer x".as_slice())],
        ] {
            assert_eq!(shown(&headers), None, "{headers:?}");
        }
    }

    #[test]
    fn what_was_never_a_key_is_none() {
        assert_eq!(shown(&[]), Some(PresentedKey::Missing));
        for scheme in ["Basic eDp5", "Bearerx", "Digest x", "B", ""] {
            let found = shown(&[("authorization", scheme.as_bytes())]);
            assert_eq!(found, Some(PresentedKey::Missing), "{scheme}");
        }
        assert_eq!(shown(&[("x-other-key", ONE.as_bytes())]), Some(PresentedKey::Missing));
        let long = "a".repeat(60_000);
        let several = format!("{ONE},{ONE}");
        for text in [
            b"".as_slice(),
            b"wl_",
            b"\xff\xfe",
            "wl_é".as_bytes(),
            long.as_bytes(),
            several.as_bytes(),
            &ONE.as_bytes()[..45],
        ] {
            assert_eq!(shown(&[("x-svc-key", text)]), Some(PresentedKey::Malformed), "{text:?}");
        }
        for text in ["Bearer", "Bearer ", "Bearer x y"] {
            let found = shown(&[("authorization", text.as_bytes())]);
            assert_eq!(found, Some(PresentedKey::Malformed), "{text}");
        }
    }
}
