//! Whether a page of ours sent a request, as far as browsers say.

use http::{
    HeaderMap, HeaderName,
    header::{HOST, ORIGIN},
};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether a browser says that a page of another site sent the request. Browsers set these headers
/// themselves, and pages cannot change them. A request without them is not from a page, or from a browser
/// too old to tell.
pub(crate) fn is_cross_site(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get(&SEC_FETCH_SITE) {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    origin.map(|(_, host)| host) != host
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn forms_of_other_sites_are_recognised() {
        let check = |fields: &[(&'static str, &'static str)]| {
            let fields = fields.iter();
            let field = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            is_cross_site(&fields.map(field).collect())
        };
        let host = ("host", "svc.example:8080");
        for own in [
            vec![host],
            vec![host, ("sec-fetch-site", "same-origin")],
            vec![host, ("sec-fetch-site", "none")],
            vec![host, ("origin", "http://svc.example:8080")],
            vec![host, ("origin", "https://svc.example:8080")],
            // A proxy may rewrite Host; the browser's own word counts.
            vec![("host", "inner"), ("sec-fetch-site", "same-origin"), ("origin", "https://outer")],
        ] {
            assert!(!check(&own), "{own:?}");
        }
        for foreign in [
            vec![host, ("sec-fetch-site", "cross-site")],
            vec![host, ("sec-fetch-site", "same-site")],
            vec![host, ("sec-fetch-site", "cross-site"), ("origin", "http://svc.example:8080")],
            vec![host, ("origin", "http://other.example")],
            vec![host, ("origin", "http://svc.example")],
            vec![host, ("origin", "null")],
            vec![("origin", "http://svc.example")],
        ] {
            assert!(check(&foreign), "{foreign:?}");
        }
    }
}
