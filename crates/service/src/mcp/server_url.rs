//! The address of an MCP server that a caller names.

use contract::{Domain, NamePolicy, NameRefusal};
use url::Url;

const MAX_URL_BYTES: usize = 2_048;

/// The address of a server, without query and fragment: they may contain secrets, and scans are public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpUrl {
    pub url: String,
    pub domain: Domain,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpUrlError {
    #[error("This is not the URL of an MCP server. Pass one such as https://example.com/mcp.")]
    Invalid,
    #[error(
        "The URL has a user name or a password. Pass it without: no credentials are ever sent."
    )]
    UserInfo,
    #[error("The host is not a public one ({0}), and only public servers are read.")]
    NotPublic(NameRefusal),
}

impl McpUrl {
    pub fn parse(text: &str, names: &NamePolicy) -> Result<Self, McpUrlError> {
        let text = text.trim();
        if text.len() > MAX_URL_BYTES || text.chars().any(char::is_control) {
            return Err(McpUrlError::Invalid);
        }
        let mut url = Url::parse(text).map_err(|_| McpUrlError::Invalid)?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(McpUrlError::Invalid);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(McpUrlError::UserInfo);
        }
        url.set_query(None);
        url.set_fragment(None);
        let host = url.host_str().unwrap_or_default();
        let domain = Domain::parse(host, names).map_err(McpUrlError::NotPublic)?;
        Ok(Self { url: url.into(), domain })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_servers_without_secrets_are_accepted() {
        let parse = |text: &str| McpUrl::parse(text, &NamePolicy::default());
        for (text, url) in [
            ("https://Shop.org/mcp", "https://shop.org/mcp"),
            (" https://shop.org:8000/mcp?key=secret#x ", "https://shop.org:8000/mcp"),
            ("http://mcp.shop.org", "http://mcp.shop.org/"),
        ] {
            assert_eq!(parse(text).unwrap().url, url, "{text}");
        }
        for text in
            ["", "shop.org", "ftp://shop.org/", "https://", "https://shop.org/\u{7}", "data:x"]
        {
            assert_eq!(parse(text).unwrap_err(), McpUrlError::Invalid, "{text:?}");
        }
        assert_eq!(parse("https://me:pw@shop.org/mcp").unwrap_err(), McpUrlError::UserInfo);
        for text in ["http://127.0.0.1:3001/mcp", "https://localhost/mcp", "https://[::1]/mcp"] {
            assert!(matches!(parse(text), Err(McpUrlError::NotPublic(_))), "{text}");
        }
    }
}
