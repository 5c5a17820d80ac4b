//! Which authorization servers OAuth metadata names.

use super::collector::absolute_url;
use super::fields::{text, texts};
use crate::files::parse_unreported;

/// How many authorization servers of one file are read.
const MAX_ISSUERS: usize = 20;

/// The issuers that a file names: the authorization servers of a protected resource (RFC 9728), or the
/// issuer of an authorization server's own metadata (RFC 8414). Absolute URLs, unchecked.
#[must_use]
pub fn oauth_issuers(body: &[u8]) -> Vec<String> {
    let Some(root) = parse_unreported(body) else { return Vec::new() };
    texts(&root, "authorization_servers")
        .chain(text(&root, "issuer"))
        .take(MAX_ISSUERS)
        .filter_map(|issuer| absolute_url(None, issuer))
        .map(String::from)
        .collect()
}

/// The URL that an OAuth protected resource metadata file (RFC 9728) is about: everything below it
/// needs a token.
#[must_use]
pub fn protected_resource(body: &[u8]) -> Option<String> {
    let root = parse_unreported(body)?;
    let resource = text(&root, "resource")?;
    absolute_url(None, resource).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuers_of_both_files_are_read() {
        let resource = br#"{"resource":"https://a.example/mcp","authorization_servers":["https://a.example/t1","x",7]}"#;
        assert_eq!(oauth_issuers(resource), ["https://a.example/t1"]);
        assert_eq!(
            oauth_issuers(br#"{"issuer":"https://a.example/t2"}"#),
            ["https://a.example/t2"]
        );
        for other in [&b"[]"[..], b"{", b"", br#"{"issuer":{}}"#] {
            assert_eq!(oauth_issuers(other), [""; 0]);
        }
    }
}
