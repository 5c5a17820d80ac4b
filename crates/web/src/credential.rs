//! The licence key a request shows: in the brand's own header or as a bearer token.

use axum::{RequestPartsExt, extract::FromRequestParts};
use contract::{Brand, errors::ErrorCode};
use http::{HeaderMap, header::AUTHORIZATION, request::Parts};
use service::{Licence, LicenceError, LicenceKey, Presented};

use crate::{errors::ApiError, limits, state::AppState};

/// A request of a licence holder, within the rate of the licence. Anything else is refused before
/// the body is read.
#[derive(Debug)]
pub(crate) struct Holder(pub(crate) Licence);

impl FromRequestParts<AppState> for Holder {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let presented = presented(&parts.headers, &state.site.brand)?;
        let licence = state.service.licensed(&presented).await.map_err(refusal)?;
        let Ok(told) = parts.extract().await;
        limits::may_scan_keyed(&state.rates, proof::sha256(licence.id.as_bytes()), &told)?;
        Ok(Self(licence))
    }
}

/// Tells apart what requests show, without keeping any of it: no reply made for one key is given to
/// whoever shows another.
pub(crate) fn shown_digest(headers: &HeaderMap, brand: &Brand) -> proof::Digest {
    let mut hasher = proof::Hasher::new();
    let own = headers.get_all(brand.key_header()).iter().map(|line| (b'k', line));
    let bearer = headers.get_all(AUTHORIZATION).iter().map(|line| (b'a', line));
    for (which, line) in own.chain(bearer) {
        hasher.update(&[which]);
        hasher.update(&(line.len() as u64).to_be_bytes());
        hasher.update(line.as_bytes());
    }
    hasher.finish()
}

/// What a request shows. Two different keys are no key: whoever sends both must say which one
/// they mean.
pub(crate) fn presented(headers: &HeaderMap, brand: &Brand) -> Result<Presented, ApiError> {
    let own = headers.get_all(brand.key_header()).iter().map(|line| line.as_bytes());
    let bearer = headers.get_all(AUTHORIZATION).iter().filter_map(|line| bearer(line.as_bytes()));
    let mut keys = own.chain(bearer).map(<[u8]>::trim_ascii);
    let Some(first) = keys.next() else { return Ok(Presented::Nothing) };
    if keys.any(|other| other != first) {
        return Err(ApiError::bad_request("Two different licence keys are given; send one."));
    }
    let key = std::str::from_utf8(first).ok().and_then(LicenceKey::read);
    Ok(key.map_or(Presented::NoKeyOfOurs, Presented::Key))
}

/// The token behind `Bearer`; nothing for another scheme, which is none of our business.
fn bearer(line: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = line.split_at_checked(6)?;
    let apart = token.is_empty() || token.starts_with(b" ");
    (scheme.eq_ignore_ascii_case(b"bearer") && apart).then_some(token)
}

/// As the caller is told.
pub(crate) fn refusal(error: LicenceError) -> ApiError {
    match error {
        LicenceError::NoKey => ApiError::new(ErrorCode::Unauthorized, "This needs a licence key."),
        LicenceError::UnknownKey => {
            ApiError::new(ErrorCode::Unauthorized, "This licence key is not in force.")
        }
        LicenceError::Store(error) => {
            ApiError::new(ErrorCode::StoreUnreadable, "Licences cannot be read now; try again.")
                .retry_after(5)
                .because(error.to_string())
        }
        LicenceError::NoChance(error) => ApiError::internal(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const ONE: &str = "wl_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const TWO: &str = "wl_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn shown(headers: &[(&'static str, &[u8])]) -> Option<Presented> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        presented(&map, &Brand::default()).ok()
    }

    fn key(text: &str) -> Option<Presented> {
        Some(Presented::Key(LicenceKey::read(text).unwrap()))
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
        let beside = [("authorization", b"Basic eDp5".as_slice()), ("x-svc-key", TWO.as_bytes())];
        assert_eq!(shown(&beside), key(TWO));
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
        assert_eq!(shown(&[]), Some(Presented::Nothing));
        for scheme in ["Basic eDp5", "Bearerx", "Digest x", "B", ""] {
            let found = shown(&[("authorization", scheme.as_bytes())]);
            assert_eq!(found, Some(Presented::Nothing), "{scheme}");
        }
        assert_eq!(shown(&[("x-other-key", ONE.as_bytes())]), Some(Presented::Nothing));
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
            assert_eq!(shown(&[("x-svc-key", text)]), Some(Presented::NoKeyOfOurs), "{text:?}");
        }
        for text in ["Bearer", "Bearer ", "Bearer x y"] {
            let found = shown(&[("authorization", text.as_bytes())]);
            assert_eq!(found, Some(Presented::NoKeyOfOurs), "{text}");
        }
    }
}
