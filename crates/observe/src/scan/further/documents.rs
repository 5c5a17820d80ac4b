//! The documents of the first reads that name further addresses, parsed. Pure: bytes in, addresses out.

use bytes::Bytes;
use contract::evidence::{ReadTarget, Reading, Response};
use declared::capability;
use declared::files::{FileKind, Inspection, ServedFile, further_reads, inspect};
use declared::link::{self, Link};
use declared::page::{Page, anchor_targets};
use declared::rights::rsl_references;
use url::Url;

/// A read whose body may name further addresses.
#[derive(Debug, Clone)]
pub(super) struct ReadDocument {
    pub(super) target: ReadTarget,
    pub(super) path: String,
    pub(super) requested_url: String,
    pub(super) response: Response,
    pub(super) redirects: usize,
    pub(super) read_at_s: i64,
    pub(super) body: Bytes,
}

impl ReadDocument {
    /// The document of a successful read.
    pub(super) fn new(reading: &Reading, body: impl FnOnce(&str) -> Option<Bytes>) -> Option<Self> {
        let response =
            reading.exchange.response().filter(|response| (200..300).contains(&response.status))?;
        Some(Self {
            target: reading.target.clone(),
            path: reading.path.clone(),
            requested_url: reading.exchange.url.clone(),
            redirects: reading.exchange.hops.len().saturating_sub(1),
            read_at_s: reading.exchange.started_at.as_millis() / 1_000,
            body: body(&response.body.sha256)?,
            response: response.clone(),
        })
    }

    fn inspect(&self, kind: FileKind) -> Inspection {
        self.with_file(|file| inspect(kind, file))
    }

    /// The files that belong to this one.
    fn further_files(&self, kind: FileKind) -> Vec<Url> {
        let further = self.with_file(|file| further_reads(kind, file));
        further.iter().filter_map(|file| Url::parse(&file.url).ok()).collect()
    }

    fn with_file<T>(&self, read: impl FnOnce(&ServedFile<'_>) -> T) -> T {
        let headers: Vec<(String, String)> = self
            .response
            .headers
            .iter()
            .map(|line| (line.name.clone(), line.value.clone()))
            .collect();
        read(&ServedFile {
            requested_url: &self.requested_url,
            final_url: &self.response.url,
            redirects: self.redirects,
            status: self.response.status,
            headers: &headers,
            body: &self.body,
            truncated: self.response.body.cut.is_some(),
            read_at_s: self.read_at_s,
        })
    }
}

/// What the first reads name.
#[derive(Debug, Default)]
pub(in crate::scan) struct SiteDocuments {
    pub(super) home: Option<HomeDocument>,
    pub(super) sitemaps: Vec<SitemapDocument>,
    /// The links of llms.txt, in their order.
    pub(super) llms_txt: Vec<Url>,
    /// The authorization servers that OAuth metadata names.
    pub(super) issuers: Vec<Url>,
    /// The addresses of MCP servers and of protected resources.
    pub(super) resources: Vec<Url>,
    /// The licences that a feed names.
    pub(super) feed_licences: Vec<Url>,
    /// The skills for which an index gives a digest.
    pub(super) skills: Vec<Url>,
    /// The key sets that the signatures of an agent card name.
    pub(super) key_sets: Vec<Url>,
    /// The descriptions of APIs that the API catalog links to.
    pub(super) descriptions: Vec<Url>,
}

/// The addresses that the home page names, resolved.
#[derive(Debug, Default)]
pub(super) struct HomeDocument {
    pub(super) style_sheets: Vec<Url>,
    pub(super) feeds: Vec<Url>,
    pub(super) licences: Vec<Url>,
    pub(super) anchors: Vec<Url>,
    /// Descriptions of APIs (`service-desc`, RFC 8631).
    pub(super) descriptions: Vec<Url>,
}

#[derive(Debug)]
pub(super) struct SitemapDocument {
    pub(super) is_index: bool,
    pub(super) addresses: Vec<Url>,
}

impl SiteDocuments {
    /// Parses the documents. The first `Home` among them counts as the home page.
    pub(super) fn parse(reads: &[ReadDocument]) -> Self {
        let mut documents = Self::default();
        for read in reads {
            match (&read.target, read.path.as_str()) {
                (ReadTarget::Home, _) if documents.home.is_none() => {
                    documents.home = HomeDocument::parse(read);
                }
                (ReadTarget::Sitemap | ReadTarget::SitemapChild, _)
                | (ReadTarget::MachineFile, "/sitemap.xml") => {
                    let inspection = read.inspect(FileKind::Sitemap);
                    documents.sitemaps.push(SitemapDocument {
                        is_index: inspection.version.as_deref() == Some("sitemapindex"),
                        addresses: parse_all(&inspection.addresses),
                    });
                }
                (ReadTarget::MachineFile, "/llms.txt") => {
                    documents.llms_txt = parse_all(&read.inspect(FileKind::LlmsTxt).addresses);
                }
                (ReadTarget::MachineFile, "/.well-known/oauth-protected-resource") => {
                    documents.issuers.extend(parse_all(&capability::oauth_issuers(&read.body)));
                    let resource = capability::protected_resource(&read.body);
                    documents.resources.extend(parse_all(resource.as_slice()));
                }
                (ReadTarget::MachineFile, "/.well-known/oauth-authorization-server") => {
                    documents.issuers.extend(parse_all(&capability::oauth_issuers(&read.body)));
                }
                (ReadTarget::MachineFile, "/.well-known/mcp/server-card.json") => {
                    let declared = capability::read_capabilities(
                        FileKind::McpServerCard,
                        &read.response.url,
                        &read.body,
                    );
                    let endpoints: Vec<String> =
                        declared.items.into_iter().filter_map(|item| item.endpoint).collect();
                    documents.resources.extend(parse_all(&endpoints));
                }
                (ReadTarget::MachineFile, "/.well-known/agent-skills/index.json") => {
                    documents.skills = read.further_files(FileKind::AgentSkills);
                }
                (ReadTarget::MachineFile, "/.well-known/agent-card.json") => {
                    documents.key_sets = read.further_files(FileKind::AgentCard);
                }
                (ReadTarget::MachineFile, "/.well-known/api-catalog") => {
                    let named = capability::service_descriptions(&read.body, &read.response.url);
                    documents.descriptions = parse_all(&named);
                }
                (ReadTarget::Feed, _) => {
                    documents.feed_licences.extend(feed_licences(&read.response, &read.body));
                }
                _ => {}
            }
        }
        documents
    }

    /// Whether any document names a page on this host.
    pub(super) fn names_host(&self, host: &str) -> bool {
        let anchors = self.home.iter().flat_map(|home| &home.anchors);
        let listed = self.sitemaps.iter().flat_map(|sitemap| &sitemap.addresses);
        anchors.chain(listed).chain(&self.llms_txt).any(|url| url.host_str() == Some(host))
    }
}

/// The licences that a feed names: in its elements and in the header fields of its response.
fn feed_licences(response: &Response, body: &[u8]) -> Vec<Url> {
    let mut named = rsl_references::feed_links(body);
    named.extend(rsl_references::license_links(response.headers_named("link")));
    let Ok(base) = Url::parse(&response.url) else { return Vec::new() };
    named.iter().filter_map(|target| base.join(target).ok()).collect()
}

/// The licences that responses to requests for the home page name in header fields. Those who refuse an
/// agent name the licence it needs, so every status and every identity counts.
pub(super) fn header_licences(reads: &[Reading]) -> Vec<Url> {
    let mut found: Vec<Url> = Vec::new();
    let responses = reads
        .iter()
        .filter(|reading| reading.target == ReadTarget::Home)
        .filter_map(|reading| reading.exchange.response());
    for response in responses {
        let Ok(base) = Url::parse(&response.url) else { continue };
        for target in rsl_references::license_links(response.headers_named("link")) {
            if let Ok(url) = base.join(&target)
                && !found.contains(&url)
            {
                found.push(url);
            }
        }
    }
    found
}

impl HomeDocument {
    fn parse(read: &ReadDocument) -> Option<Self> {
        let media_type = read.response.header("content-type");
        let page = Page::read(&read.body, media_type);
        // An address on the page, without its fragment.
        let resolve_url = |target: &str| {
            let mut url = page.resolve(&read.response.url, target)?;
            url.set_fragment(None);
            Some(url)
        };
        let header_links = link::parse(read.response.headers_named("link"));
        let elements = page.links.iter().map(|link| NamedLink {
            rels: link.rel.split_ascii_whitespace().map(str::to_ascii_lowercase).collect(),
            media_type: link.media_type.as_deref().unwrap_or_default(),
            target: &link.href,
        });
        let fields = header_links.iter().filter(|link| link.anchor.is_none()).map(NamedLink::new);
        let links: Vec<NamedLink<'_>> = elements.chain(fields).collect();
        let resolve = |of: &dyn Fn(&NamedLink<'_>) -> bool| -> Vec<Url> {
            let targets = links.iter().filter(|link| of(link));
            targets.filter_map(|link| resolve_url(link.target)).collect()
        };
        Some(Self {
            style_sheets: page.style_sheets.iter().filter_map(|href| resolve_url(href)).collect(),
            feeds: resolve(&|link| {
                link.has("alternate")
                    && (link.is_of("application/rss+xml") || link.is_of("application/atom+xml"))
            }),
            licences: resolve(&|link| {
                link.has("license") && link.is_of(declared::rights::rsl::MEDIA_TYPE)
            }),
            descriptions: resolve(&|link| link.has("service-desc")),
            anchors: anchor_targets(&read.body, media_type)
                .iter()
                .filter_map(|target| resolve_url(target))
                .collect(),
        })
    }
}

/// A link of the page's head or of its response.
struct NamedLink<'a> {
    rels: Vec<String>,
    media_type: &'a str,
    target: &'a str,
}

impl<'a> NamedLink<'a> {
    fn new(link: &'a Link) -> Self {
        Self {
            rels: link.rels.clone(),
            media_type: link.media_type.as_deref().unwrap_or_default(),
            target: &link.target,
        }
    }

    fn has(&self, rel: &str) -> bool {
        self.rels.iter().any(|found| found == rel)
    }

    fn is_of(&self, media_type: &str) -> bool {
        let essence = self.media_type.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case(media_type)
    }
}

fn parse_all(addresses: &[String]) -> Vec<Url> {
    addresses.iter().filter_map(|address| Url::parse(address).ok()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use contract::evidence::{BodyFacts, HeaderLine};

    use super::*;

    pub(in super::super) fn served(
        target: ReadTarget,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> ReadDocument {
        let url = format!("https://shop.example{path}");
        let headers = headers
            .iter()
            .map(|(name, value)| HeaderLine { name: (*name).into(), value: (*value).into() });
        ReadDocument {
            target,
            path: path.to_owned(),
            requested_url: url.clone(),
            redirects: 0,
            read_at_s: 1_763_000_000,
            response: Response {
                url,
                status: 200,
                http: "2".into(),
                headers: headers.collect(),
                body: BodyFacts {
                    sha256: String::new(),
                    bytes: body.len() as u64,
                    wire_bytes: body.len() as u64,
                    encoding: None,
                    cut: None,
                },
                tls: None,
            },
            body: Bytes::copy_from_slice(body.as_bytes()),
        }
    }

    fn texts(urls: &[Url]) -> Vec<&str> {
        urls.iter().map(Url::as_str).collect()
    }

    #[test]
    fn the_home_page_names_sheets_feeds_licences_and_links() {
        let html = "<link rel=stylesheet href=/a.css?v=1><link rel='alternate stylesheet' href=/no.css>\
            <link rel=alternate type='application/rss+xml; charset=utf-8' href=feed.xml>\
            <link rel=alternate hreflang=de href=/de/><link rel=license href=/cc.html>\
            <link rel=LICENSE type=application/rsl+xml href=/rsl.xml><a href='/deep/page#x'>x</a><a href='data:x'>y</a>";
        let link = "</terms.xml>; rel=license; type=\"application/rsl+xml\", </x>; rel=license; \
                    type=\"application/rsl+xml\"; anchor=\"/other\"";
        let home = served(ReadTarget::Home, "/", &[("link", link)], html);
        let home = SiteDocuments::parse(&[home]).home.unwrap();
        assert_eq!(texts(&home.style_sheets), ["https://shop.example/a.css?v=1"]);
        assert_eq!(texts(&home.feeds), ["https://shop.example/feed.xml"]);
        assert_eq!(
            texts(&home.licences),
            ["https://shop.example/rsl.xml", "https://shop.example/terms.xml"]
        );
        assert_eq!(texts(&home.anchors), ["https://shop.example/deep/page", "data:x"]);
    }

    #[test]
    fn files_name_pages_sitemaps_issuers_and_resources() {
        let index = "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap>\
                     <loc>https://shop.example/s1.xml</loc></sitemap></sitemapindex>";
        let list = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>\
                    <loc>https://shop.example/a</loc></url></urlset>";
        let file = |path, body| served(ReadTarget::MachineFile, path, &[], body);
        let reads = [
            file("/sitemap.xml", index),
            served(ReadTarget::Sitemap, "https://shop.example/b.xml", &[], list),
            file(
                "/llms.txt",
                "# Shop\n\n> A shop.\n\n## Docs\n\n- [Start](/start.md): how to start\n",
            ),
            file(
                "/.well-known/oauth-protected-resource",
                "{\"resource\":\"https://shop.example/mcp\",\"authorization_servers\":[\"https://shop.example/t1\"]}",
            ),
            file(
                "/.well-known/mcp/server-card.json",
                "{\"name\":\"a/b\",\"version\":\"1\",\"remotes\":[{\"type\":\"sse\",\"url\":\"https://shop.example/mcp2\"}]}",
            ),
        ];
        let documents = SiteDocuments::parse(&reads);
        let shapes: Vec<bool> = documents.sitemaps.iter().map(|map| map.is_index).collect();
        assert_eq!(shapes, [true, false]);
        assert_eq!(texts(&documents.llms_txt), ["https://shop.example/start.md"]);
        assert_eq!(texts(&documents.issuers), ["https://shop.example/t1"]);
        assert_eq!(
            texts(&documents.resources),
            ["https://shop.example/mcp", "https://shop.example/mcp2"]
        );
    }

    #[test]
    fn feeds_name_licences_and_indexes_and_cards_name_files() {
        let feed = "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='license' \
                    type='application/rsl+xml' href='/feed-licence.xml'/></feed>";
        let link = "</more.xml>; rel=license; type=\"application/rsl+xml\"";
        let skills = format!(
            r#"{{"skills":[{{"url":"book/SKILL.md","digest":"sha256:{}"}}]}}"#,
            "0".repeat(64)
        );
        // {"alg":"EdDSA","kid":"k","jku":"https://shop.example/keys.json"}
        let card = r#"{"signatures":[{"protected":"eyJhbGciOiJFZERTQSIsImtpZCI6ImsiLCJqa3UiOiJodHRwczovL3Nob3AuZXhhbXBsZS9rZXlzLmpzb24ifQ","signature":"x"}]}"#;
        let index = "/.well-known/agent-skills/index.json";
        let documents = SiteDocuments::parse(&[
            served(ReadTarget::Feed, "/feed.xml", &[("link", link)], feed),
            served(ReadTarget::MachineFile, index, &[], &skills),
            served(ReadTarget::MachineFile, "/.well-known/agent-card.json", &[], card),
        ]);
        assert_eq!(
            texts(&documents.feed_licences),
            ["https://shop.example/feed-licence.xml", "https://shop.example/more.xml"]
        );
        assert_eq!(
            texts(&documents.skills),
            ["https://shop.example/.well-known/agent-skills/book/SKILL.md"]
        );
        assert_eq!(texts(&documents.key_sets), ["https://shop.example/keys.json"]);
    }

    #[test]
    fn pages_in_place_of_files_name_nothing() {
        let html = "<!doctype html><p>Not here. <a href=https://shop.example/a>a</a>";
        for path in ["/sitemap.xml", "/llms.txt", "/.well-known/oauth-protected-resource"] {
            let documents =
                SiteDocuments::parse(&[served(ReadTarget::MachineFile, path, &[], html)]);
            let named = documents.sitemaps.iter().map(|map| map.addresses.len()).sum::<usize>()
                + documents.llms_txt.len()
                + documents.issuers.len();
            assert_eq!(named, 0, "{path}");
        }
    }
}
