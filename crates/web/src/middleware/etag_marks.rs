//! ETags after a key was compromised.
//!
//! The ETag of most documents is the digest of what is signed, which stays the same when it is signed
//! anew. A copy that a compromised key signed must not be confirmed as current, so from then on every
//! ETag ends with a mark of the compromised keys, and a tag without that mark matches nothing.

use std::sync::Arc;

use axum::{extract::State, middleware::Next, response::Response};
use http::{
    HeaderMap, HeaderValue, Request,
    header::{ETAG, IF_NONE_MATCH},
};
use service::Service;

pub(crate) async fn mark_etags(
    State(service): State<Arc<Service>>,
    mut request: Request<axum::body::Body>,
    next: Next,
) -> Response {
    // Read before the document is made: a key that is compromised in between changes the mark.
    let Some(mark) = service.keys.compromise_mark() else { return next.run(request).await };
    unmark_known_tags(request.headers_mut(), &mark);
    let mut response = next.run(request).await;
    mark_etag(response.headers_mut(), &mark);
    response
}

/// Adds the mark to the ETag of a response.
pub(crate) fn mark_etag(headers: &mut HeaderMap, mark: &str) {
    let etag = headers.get(ETAG).and_then(|etag| etag.to_str().ok());
    let etag = etag.and_then(|etag| etag.strip_suffix('"'));
    let marked = etag.and_then(|etag| HeaderValue::from_str(&format!("{etag}.{mark}\"")).ok());
    if let Some(marked) = marked {
        headers.insert(ETAG, marked);
    }
}

/// Keeps the tags of If-None-Match that have the mark, as the handlers know them: without it.
fn unmark_known_tags(headers: &mut HeaderMap, mark: &str) {
    let suffix = format!(".{mark}\"");
    let lines = headers.get_all(IF_NONE_MATCH).iter();
    let tags = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    let known: Vec<String> =
        tags.filter_map(|tag| Some(format!("{}\"", tag.trim().strip_suffix(&suffix)?))).collect();
    headers.remove(IF_NONE_MATCH);
    if let Ok(known) = HeaderValue::from_str(&known.join(", "))
        && !known.is_empty()
    {
        headers.insert(IF_NONE_MATCH, known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(lines: &[&str], mark: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IF_NONE_MATCH, line.parse().unwrap());
        }
        unmark_known_tags(&mut headers, mark);
        headers.get(IF_NONE_MATCH).map(|line| line.to_str().unwrap().to_owned())
    }

    #[test]
    fn only_a_tag_with_the_mark_is_known() {
        let mut headers = HeaderMap::new();
        headers.insert(ETAG, "\"aa\"".parse().unwrap());
        mark_etag(&mut headers, "17");
        assert_eq!(headers[ETAG], "\"aa.17\"");
        assert_eq!(known(&["\"aa.17\""], "17").unwrap(), "\"aa\"");
        assert_eq!(known(&["\"x\", W/\"aa.17\"", "\"b.17\""], "17").unwrap(), "W/\"aa\", \"b\"");
        for unknown in ["\"aa\"", "\"aa.16\"", "*", "", "\"aa.17"] {
            assert_eq!(known(&[unknown], "17"), None, "{unknown}");
        }
        let mut without = HeaderMap::new();
        mark_etag(&mut without, "17");
        assert!(without.is_empty());
    }
}
