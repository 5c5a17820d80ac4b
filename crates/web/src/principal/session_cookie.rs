//! The cookie of a session: opaque, unreadable for scripts, for this host alone, and not sent with requests
//! that pages of other sites make, except when a visitor follows a link.

use axum::response::Response;
use contract::Issuer;
use http::{
    HeaderMap, HeaderValue,
    header::{COOKIE, SET_COOKIE},
};
use service::{SessionToken, access::sessions::LONGEST_HOURS};

/// The name of the cookie. Browsers take one with `__Host-` over HTTPS only, for this host only.
pub(crate) fn cookie_name(issuer: &Issuer) -> String {
    let prefix = if is_https(issuer) { "__Host-" } else { "" };
    format!("{prefix}{}_session", issuer.brand)
}

/// `Set-Cookie` for a new session.
pub(crate) fn set_cookie(issuer: &Issuer, token: &SessionToken) -> Option<HeaderValue> {
    cookie(issuer, &cookie_name(issuer), token.reveal(), LONGEST_HOURS.saturating_mul(3600))
}

/// `Set-Cookie` that removes the cookie.
pub(crate) fn clear_cookie(issuer: &Issuer) -> Option<HeaderValue> {
    cookie(issuer, &cookie_name(issuer), "", 0)
}

/// The name of the cookie of a domain's owner. It is another one, so that somebody can be signed in as both.
pub(crate) fn owner_cookie_name(issuer: &Issuer) -> String {
    let prefix = if is_https(issuer) { "__Host-" } else { "" };
    format!("{prefix}{}_owner", issuer.brand)
}

/// `Set-Cookie` for a new session of an owner.
pub(crate) fn set_owner_cookie(issuer: &Issuer, token: &SessionToken) -> Option<HeaderValue> {
    let seconds = LONGEST_HOURS.saturating_mul(3600);
    cookie(issuer, &owner_cookie_name(issuer), token.reveal(), seconds)
}

/// `Set-Cookie` that removes the cookie of an owner.
pub(crate) fn clear_owner_cookie(issuer: &Issuer) -> Option<HeaderValue> {
    cookie(issuer, &owner_cookie_name(issuer), "", 0)
}

/// Adds a `Set-Cookie` to a response.
pub(crate) fn with_cookie(mut response: Response, cookie: Option<HeaderValue>) -> Response {
    if let Some(cookie) = cookie {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

fn cookie(issuer: &Issuer, name: &str, value: &str, seconds: i64) -> Option<HeaderValue> {
    let secure = if is_https(issuer) { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The value of the session cookie. Of several the first counts: browsers send the most specific one first.
pub(crate) fn cookie_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(known, _)| known.trim() == name).map(|(_, value)| value.trim())
}

fn is_https(issuer: &Issuer) -> bool {
    issuer.base_url.starts_with("https://")
}

#[cfg(test)]
mod tests {
    use contract::Brand;

    use super::*;

    fn issuer(base_url: &str) -> Issuer {
        Issuer::new(Brand::default(), base_url)
    }

    #[test]
    fn the_cookie_is_for_this_host_and_not_for_scripts() {
        let token = SessionToken::parse(&"a".repeat(43)).unwrap();
        let text =
            |base_url| set_cookie(&issuer(base_url), &token).unwrap().to_str().unwrap().to_owned();
        let value = "a".repeat(43);
        let rest = "Path=/; Max-Age=604800; HttpOnly; SameSite=Lax";
        assert_eq!(
            text("https://svc.example"),
            format!("__Host-svc_session={value}; {rest}; Secure")
        );
        assert_eq!(text("http://127.0.0.1:1"), format!("svc_session={value}; {rest}"));
        let cleared = clear_cookie(&issuer("https://svc.example")).unwrap();
        assert!(cleared.to_str().unwrap().starts_with("__Host-svc_session=; Path=/; Max-Age=0;"));
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let found = |lines: &[&'static [u8]]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(COOKIE, HeaderValue::from_bytes(line).unwrap());
            }
            cookie_value(&headers, "svc_session").map(str::to_owned)
        };
        assert_eq!(found(&[b"svc_session=x"]).as_deref(), Some("x"));
        assert_eq!(found(&[b"a=b;  svc_session = x ; c"]).as_deref(), Some("x"));
        assert_eq!(found(&[b"a=b", b"svc_session=x"]).as_deref(), Some("x"));
        assert_eq!(found(&[b"svc_session=x; svc_session=y"]).as_deref(), Some("x"));
        for other in [&b""[..], b"svc_session", b"xsvc_session=x", b"\xff", b"a=svc_session=x"] {
            assert_eq!(found(&[other]), None);
        }
    }
}
