//! Which further files belong to a file that was read: pure lists of URLs, for the reader to vet and fetch.
//!
//! The site chose every URL, so the reader must still decide which of them it may request.

use data_encoding::BASE64URL_NOPAD;
use serde_json::Value;
use url::Url;

use super::inspect::inspect;
use super::json::parse_unreported;
use super::kind::FileKind;
use super::model::{Inspection, ServedFile};

/// How many further files of one file are listed.
const MAX_FURTHER: usize = 20;
const MAX_URL_BYTES: usize = 2_048;
const MAX_PROTECTED_BYTES: usize = 8_192;

/// Why a further file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A sitemap that an index lists.
    SitemapChild,
    /// Metadata of a protected resource (RFC 9728), with the resource's path inserted.
    OauthResource,
    /// Metadata of an authorization server (RFC 8414), with the issuer's path inserted.
    OauthServer,
    /// A skill, with the digest that the index gives for it (64 hex digits).
    Skill { sha256: String },
    /// A key set that a signature of an agent card refers to.
    SigningKeys,
}

/// A file that belongs to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FurtherRead {
    pub url: String,
    pub purpose: Purpose,
}

/// The further files of a file that was read successfully, in its order, each once.
#[must_use]
pub fn further_reads(kind: FileKind, served: &ServedFile<'_>) -> Vec<FurtherRead> {
    let mut found = Vec::new();
    match kind {
        FileKind::Sitemap => {
            let inspection = inspect(kind, served);
            add_all(&mut found, sitemap_children(&inspection), &Purpose::SitemapChild);
        }
        FileKind::OauthResource => {
            let root = parse_unreported(served.body).unwrap_or_default();
            let urls = texts(root.get("authorization_servers"))
                .filter_map(|issuer| well_known_url(issuer, OAUTH_SERVER));
            add_all(&mut found, urls, &Purpose::OauthServer);
        }
        FileKind::McpServerCard => {
            let root = parse_unreported(served.body).unwrap_or_default();
            let remotes = root.get("remotes").and_then(Value::as_array);
            let urls = remotes
                .into_iter()
                .flatten()
                .take(MAX_FURTHER)
                .filter_map(|remote| remote.get("url")?.as_str())
                .filter_map(|endpoint| well_known_url(endpoint, OAUTH_RESOURCE))
                // Without a path this is the file that is read anyway.
                .filter(|url| !url.ends_with(OAUTH_RESOURCE));
            add_all(&mut found, urls, &Purpose::OauthResource);
        }
        FileKind::AgentSkills => {
            for (url, sha256) in skill_digests(served.body, served.final_url) {
                add_all(&mut found, [url], &Purpose::Skill { sha256 });
            }
        }
        FileKind::AgentCard => {
            add_all(&mut found, signing_key_urls(served.body), &Purpose::SigningKeys);
        }
        _ => {}
    }
    found
}

fn add_all(
    found: &mut Vec<FurtherRead>,
    urls: impl IntoIterator<Item = String>,
    purpose: &Purpose,
) {
    for url in urls {
        if found.len() < MAX_FURTHER && !found.iter().any(|known| known.url == url) {
            found.push(FurtherRead { url, purpose: purpose.clone() });
        }
    }
}

const OAUTH_RESOURCE: &str = "/.well-known/oauth-protected-resource";
const OAUTH_SERVER: &str = "/.well-known/oauth-authorization-server";

/// The address of metadata about an issuer or a resource: the well-known part goes between host and path
/// (RFC 8414, 3.1; RFC 9728, 3.1).
#[must_use]
pub fn well_known_url(identifier: &str, well_known: &str) -> Option<String> {
    let url = parse_https(identifier)?;
    let path = url.path().trim_end_matches('/');
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(format!("{}{well_known}{path}{query}", url.origin().ascii_serialization()))
}

/// The sitemaps that an inspected index lists; none for other sitemaps.
fn sitemap_children(inspection: &Inspection) -> Vec<String> {
    if inspection.version.as_deref() == Some("sitemapindex") {
        inspection.addresses.clone()
    } else {
        Vec::new()
    }
}

/// The skills of an index with the digests it gives, as absolute URLs and hex digits. Entries without a
/// valid digest are left out: there is nothing to compare.
#[must_use]
pub fn skill_digests(body: &[u8], index_url: &str) -> Vec<(String, String)> {
    let Some(base) = Url::parse(index_url).ok() else { return Vec::new() };
    let root = parse_unreported(body).unwrap_or_default();
    let skills = root.get("skills").and_then(Value::as_array);
    skills
        .into_iter()
        .flatten()
        .take(MAX_FURTHER)
        .filter_map(|skill| {
            let digest = skill.get("digest")?.as_str()?.strip_prefix("sha256:")?;
            let is_hex = digest.len() == 64
                && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            let url = base.join(skill.get("url")?.as_str()?).ok()?;
            (is_hex && url.scheme() == "https" && url.as_str().len() <= MAX_URL_BYTES)
                .then(|| (url.into(), digest.to_owned()))
        })
        .collect()
}

/// The key sets that the signatures of an agent card refer to.
fn signing_key_urls(body: &[u8]) -> Vec<String> {
    let root = parse_unreported(body).unwrap_or_default();
    let signatures = root.get("signatures").and_then(Value::as_array);
    signatures
        .into_iter()
        .flatten()
        .take(MAX_FURTHER)
        .filter_map(|signature| {
            let header = protected_header(signature.get("protected")?.as_str()?)?;
            parse_https(header.get("jku")?.as_str()?).map(String::from)
        })
        .collect()
}

/// A protected header of a signature, decoded.
#[must_use]
pub fn protected_header(protected: &str) -> Option<Value> {
    let bytes = (protected.len() <= MAX_PROTECTED_BYTES)
        .then(|| BASE64URL_NOPAD.decode(protected.as_bytes()).ok())
        .flatten()?;
    contract::json::parse_value(&bytes).ok().filter(Value::is_object)
}

fn parse_https(text: &str) -> Option<Url> {
    let url = (text.len() <= MAX_URL_BYTES).then(|| Url::parse(text).ok()).flatten()?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    (url.scheme() == "https" && url.has_host() && is_plain).then_some(url)
}

fn texts(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().take(MAX_FURTHER).filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn further(kind: FileKind, body: &str) -> Vec<String> {
        let served = ServedFile {
            requested_url: "https://shop.example/x/index.json",
            final_url: "https://shop.example/x/index.json",
            redirects: 0,
            status: 200,
            headers: &[],
            body: body.as_bytes(),
            truncated: false,
            read_at_s: 0,
        };
        further_reads(kind, &served).into_iter().map(|further| further.url).collect()
    }

    #[test]
    fn well_known_parts_go_between_host_and_path() {
        for (identifier, url) in [
            ("https://a.example", Some("https://a.example/.well-known/oauth-authorization-server")),
            (
                "https://a.example/",
                Some("https://a.example/.well-known/oauth-authorization-server"),
            ),
            (
                "https://a.example/t/1",
                Some("https://a.example/.well-known/oauth-authorization-server/t/1"),
            ),
            (
                "https://a.example:8443/t/",
                Some("https://a.example:8443/.well-known/oauth-authorization-server/t"),
            ),
            ("http://a.example/t", None),
            ("/t", None),
            ("https://u:p@a.example/t", None),
        ] {
            assert_eq!(well_known_url(identifier, OAUTH_SERVER).as_deref(), url, "{identifier}");
        }
    }

    #[test]
    fn files_lead_to_further_files() {
        let index = "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
            <sitemap><loc>https://shop.example/x/a.xml</loc></sitemap><sitemap><loc>https://shop.example/x/b.xml</loc></sitemap></sitemapindex>";
        assert_eq!(
            further(FileKind::Sitemap, index),
            ["https://shop.example/x/a.xml", "https://shop.example/x/b.xml"]
        );
        let pages = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://shop.example/x/a</loc></url></urlset>";
        assert_eq!(further(FileKind::Sitemap, pages), [""; 0]);
        let resource =
            r#"{"authorization_servers":["https://login.example/t","https://login.example/t",7]}"#;
        assert_eq!(
            further(FileKind::OauthResource, resource),
            ["https://login.example/.well-known/oauth-authorization-server/t"]
        );
        let card = r#"{"remotes":[{"url":"https://shop.example/mcp"},{"url":"https://shop.example/"},{"url":"/mcp"}]}"#;
        assert_eq!(
            further(FileKind::McpServerCard, card),
            ["https://shop.example/.well-known/oauth-protected-resource/mcp"]
        );
        let digest = "0".repeat(64);
        let skills = format!(
            r#"{{"skills":[{{"url":"a/SKILL.md","digest":"sha256:{digest}"}},{{"url":"b.md","digest":"md5:1"}}]}}"#
        );
        assert_eq!(further(FileKind::AgentSkills, &skills), ["https://shop.example/x/a/SKILL.md"]);
        let protected = BASE64URL_NOPAD
            .encode(br#"{"alg":"ES256","kid":"k","jku":"https://shop.example/keys.json"}"#);
        let signed = format!(
            r#"{{"signatures":[{{"protected":"{protected}","signature":"x"}},{{"protected":"!"}}]}}"#
        );
        assert_eq!(further(FileKind::AgentCard, &signed), ["https://shop.example/keys.json"]);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_lead_somewhere_or_nowhere(body in "[\\[\\]{}\",:a-z/0-9]{0,80}", identifier in "\\PC{0,40}") {
            for kind in [FileKind::Sitemap, FileKind::OauthResource, FileKind::McpServerCard, FileKind::AgentSkills, FileKind::AgentCard] {
                proptest::prop_assert!(further(kind, &body).len() <= MAX_FURTHER);
            }
            let _ = well_known_url(&identifier, OAUTH_SERVER);
        }
    }
}
