//! Chooses the further files of a scan from those that the first documents name: style sheets, parts
//! of sitemap indexes, a feed, licences, OAuth metadata at inserted paths, skills, key sets.

use contract::evidence::ReadTarget;
use url::Url;

use super::documents::SiteDocuments;
use crate::scan::same_site::is_on_site;

const MAX_STYLE_SHEETS: usize = 3;
const MAX_SITEMAP_CHILDREN: usize = 2;
const MAX_FEEDS: usize = 1;
/// Together with those that robots.txt names.
const MAX_LICENCES: usize = 2;
/// In addition to those.
const MAX_FEED_LICENCES: usize = 1;
const MAX_OAUTH_FILES: usize = 2;
/// Skills whose digests are verified, and key sets to verify signatures of an agent card with.
const MAX_SKILLS: usize = 3;
const MAX_KEY_SETS: usize = 1;
/// Descriptions of APIs, in addition to those at the usual paths.
const MAX_DESCRIPTIONS: usize = 2;
const MAX_URL_BYTES: usize = 2048;

/// The well-known paths that are inserted between host and path (RFC 8414 section 3.1, RFC 9728
/// section 3.1).
const OAUTH_SERVER_PATH: &str = "/.well-known/oauth-authorization-server";
const OAUTH_RESOURCE_PATH: &str = "/.well-known/oauth-protected-resource";

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FurtherFile {
    pub(super) target: ReadTarget,
    /// The path as recorded.
    pub(super) path: String,
    pub(super) url: String,
}

/// What was read already.
#[derive(Debug, Default)]
pub(super) struct KnownReads {
    /// The requested addresses.
    pub(super) urls: Vec<String>,
    /// How many licences.
    pub(super) licences: usize,
    /// The licences that responses name in header fields, some of which may be refusals.
    pub(super) header_licences: Vec<Url>,
}

/// The files to read on the site of this host, each once. `base` is the scheme and host that answer.
pub(super) fn choose_files(
    documents: &SiteDocuments,
    host: &str,
    base: &str,
    known: &KnownReads,
) -> Vec<FurtherFile> {
    let by_address = |target: ReadTarget, urls: &[Url], most: usize| -> Vec<FurtherFile> {
        let chosen = choose_new(urls.iter(), host, known, most);
        chosen
            .into_iter()
            .map(|url| FurtherFile { target: target.clone(), path: url.clone(), url })
            .collect()
    };
    let home = documents.home.as_ref();
    let of_home = |urls: fn(&super::documents::HomeDocument) -> &Vec<Url>| {
        home.map(|home| urls(home).as_slice()).unwrap_or_default()
    };
    let mut files = by_address(
        ReadTarget::SitemapChild,
        &first_and_middle(documents, host),
        MAX_SITEMAP_CHILDREN,
    );
    files.extend(by_address(
        ReadTarget::StyleSheet,
        of_home(|home| &home.style_sheets),
        MAX_STYLE_SHEETS,
    ));
    files.extend(by_address(ReadTarget::Feed, of_home(|home| &home.feeds), MAX_FEEDS));
    let licences = of_home(|home| &home.licences).iter().chain(&known.header_licences);
    files.extend(by_address(
        ReadTarget::Licence,
        &licences.cloned().collect::<Vec<Url>>(),
        MAX_LICENCES.saturating_sub(known.licences),
    ));
    let descriptions = documents.descriptions.iter().chain(of_home(|home| &home.descriptions));
    files.extend(by_address(
        ReadTarget::ServiceDescription,
        &descriptions.cloned().collect::<Vec<Url>>(),
        MAX_DESCRIPTIONS,
    ));
    for (urls, most) in [
        (&oauth_metadata_urls(documents), MAX_OAUTH_FILES),
        (&documents.skills, MAX_SKILLS),
        (&documents.key_sets, MAX_KEY_SETS),
    ] {
        let chosen = choose_new(urls.iter(), host, known, most);
        files.extend(chosen.into_iter().map(|url| {
            // Recorded like the other machine files, by the path alone, if it is on the host that
            // answers.
            let path = url.strip_prefix(base).unwrap_or(&url).to_owned();
            FurtherFile { target: ReadTarget::MachineFile, path, url }
        }));
    }
    files
}

/// The licences to read that a feed names.
pub(super) fn choose_feed_licences(
    documents: &SiteDocuments,
    host: &str,
    known: &KnownReads,
) -> Vec<FurtherFile> {
    let chosen = choose_new(documents.feed_licences.iter(), host, known, MAX_FEED_LICENCES);
    chosen
        .into_iter()
        .map(|url| FurtherFile { target: ReadTarget::Licence, path: url.clone(), url })
        .collect()
}

/// The first addresses on the site of this host that were not read, each once.
fn choose_new<'u>(
    urls: impl Iterator<Item = &'u Url>,
    host: &str,
    known: &KnownReads,
    most: usize,
) -> Vec<String> {
    let mut chosen: Vec<String> = Vec::new();
    for url in urls {
        if chosen.len() >= most {
            break;
        }
        let is_new = is_on_site(url, host)
            && url.as_str().len() <= MAX_URL_BYTES
            && !known.urls.iter().chain(&chosen).any(|read| read == url.as_str());
        if is_new {
            chosen.push(url.as_str().to_owned());
        }
    }
    chosen
}

/// The sitemaps that indexes list: first the first and the one in the middle, then the others.
fn first_and_middle(documents: &SiteDocuments, host: &str) -> Vec<Url> {
    let listed: Vec<&Url> = documents
        .sitemaps
        .iter()
        .filter(|sitemap| sitemap.is_index)
        .flat_map(|sitemap| &sitemap.addresses)
        .filter(|url| is_on_site(url, host))
        .collect();
    let middle = listed.get(listed.len() / 2);
    listed.first().into_iter().chain(middle).chain(&listed).map(|url| (*url).clone()).collect()
}

/// Where clients look for the metadata of issuers and resources that have a path: first of an issuer,
/// then of a resource.
fn oauth_metadata_urls(documents: &SiteDocuments) -> Vec<Url> {
    let inserted = |well_known: &str, urls: &[Url]| -> Vec<Url> {
        let with_path = urls
            .iter()
            .filter(|url| url.scheme() == "https" && url.path().len() > 1 && url.query().is_none());
        with_path
            .map(|url| {
                let mut metadata = url.clone();
                metadata.set_fragment(None);
                metadata.set_path(&format!("{well_known}{}", url.path()));
                metadata
            })
            .collect()
    };
    let issuers = inserted(OAUTH_SERVER_PATH, &documents.issuers);
    let resources = inserted(OAUTH_RESOURCE_PATH, &documents.resources);
    let mut found: Vec<Url> = Vec::new();
    let first = issuers.first().into_iter().chain(resources.first());
    for url in first.chain(&issuers).chain(&resources) {
        if !found.contains(url) {
            found.push(url.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::documents::{HomeDocument, SitemapDocument};
    use super::*;

    const BASE: &str = "https://shop.example";

    fn urls(addresses: &[&str]) -> Vec<Url> {
        let base = Url::parse(BASE).unwrap();
        addresses.iter().map(|address| base.join(address).unwrap()).collect()
    }

    fn read(documents: &SiteDocuments, known: &KnownReads) -> Vec<(String, String)> {
        choose_files(documents, "shop.example", BASE, known)
            .into_iter()
            .map(|file| (file.target.to_string(), file.path))
            .collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn few_of_each_kind_are_read_and_only_on_the_site() {
        let documents = SiteDocuments {
            home: Some(HomeDocument {
                style_sheets: urls(&[
                    "https://cdn.other.example/x.css",
                    "/1.css",
                    "/1.css",
                    "/2.css",
                    "//cdn.shop.example/3.css",
                    "/4.css",
                ]),
                feeds: urls(&["/feed", "/comments/feed"]),
                licences: urls(&["/l1.xml", "/l2.xml"]),
                anchors: vec![],
                descriptions: vec![],
            }),
            sitemaps: vec![SitemapDocument {
                is_index: true,
                addresses: urls(&[
                    "/s1.xml",
                    "/s2.xml",
                    "/s3.xml",
                    "/s4.xml",
                    "https://other.example/s.xml",
                ]),
            }],
            ..SiteDocuments::default()
        };
        let known = KnownReads {
            urls: vec![format!("{BASE}/2.css")],
            licences: 1,
            header_licences: vec![],
        };
        let expected = pairs(&[
            ("sitemap_child", "https://shop.example/s1.xml"),
            ("sitemap_child", "https://shop.example/s3.xml"),
            ("style_sheet", "https://shop.example/1.css"),
            ("style_sheet", "https://cdn.shop.example/3.css"),
            ("style_sheet", "https://shop.example/4.css"),
            ("feed", "https://shop.example/feed"),
            ("licence", "https://shop.example/l1.xml"),
        ]);
        assert_eq!(read(&documents, &known), expected);
    }

    #[test]
    fn a_list_of_pages_has_no_parts_and_an_index_may_have_one() {
        let map = |is_index| SiteDocuments {
            sitemaps: vec![SitemapDocument { is_index, addresses: urls(&["/s1.xml"]) }],
            ..SiteDocuments::default()
        };
        assert_eq!(read(&map(false), &KnownReads::default()), []);
        let expected = pairs(&[("sitemap_child", "https://shop.example/s1.xml")]);
        assert_eq!(read(&map(true), &KnownReads::default()), expected);
    }

    #[test]
    fn oauth_paths_are_inserted_for_issuers_and_resources_with_a_path() {
        let documents = SiteDocuments {
            issuers: urls(&["https://shop.example", "/t1", "https://login.shop.example/t2"]),
            resources: urls(&["/mcp", "/mcp?x=1", "https://other.example/mcp"]),
            ..SiteDocuments::default()
        };
        let expected = pairs(&[
            ("machine_file", "/.well-known/oauth-authorization-server/t1"),
            ("machine_file", "/.well-known/oauth-protected-resource/mcp"),
        ]);
        assert_eq!(read(&documents, &KnownReads::default()), expected);
        let login = SiteDocuments {
            issuers: urls(&["https://login.shop.example/t2/"]),
            ..SiteDocuments::default()
        };
        let expected = pairs(&[(
            "machine_file",
            "https://login.shop.example/.well-known/oauth-authorization-server/t2/",
        )]);
        assert_eq!(read(&login, &KnownReads::default()), expected);
        let root = SiteDocuments { issuers: urls(&["/"]), ..SiteDocuments::default() };
        assert_eq!(read(&root, &KnownReads::default()), []);
    }

    #[test]
    fn licences_of_refusals_and_feeds_and_files_to_verify_are_read() {
        let documents = SiteDocuments {
            feed_licences: urls(&["https://other.example/l.xml", "/l.xml", "/f.xml", "/g.xml"]),
            skills: urls(&["/a.md", "https://other.example/b.md", "/c.md", "/d.md", "/e.md"]),
            key_sets: urls(&["/keys.json", "/more.json"]),
            ..SiteDocuments::default()
        };
        let mut known = KnownReads {
            header_licences: urls(&["https://other.example/l.xml", "/l.xml"]),
            ..KnownReads::default()
        };
        let expected = pairs(&[
            ("licence", "https://shop.example/l.xml"),
            ("machine_file", "/a.md"),
            ("machine_file", "/c.md"),
            ("machine_file", "/d.md"),
            ("machine_file", "/keys.json"),
        ]);
        assert_eq!(read(&documents, &known), expected);
        known.urls.push(format!("{BASE}/l.xml"));
        let chosen = choose_feed_licences(&documents, "shop.example", &known);
        assert_eq!(chosen.len(), 1);
        assert_eq!(chosen[0].url, "https://shop.example/f.xml");
    }

    #[test]
    fn hostile_lists_stay_limited() {
        let many: Vec<String> = (0..3000).map(|n| format!("/{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let documents = SiteDocuments {
            home: Some(HomeDocument {
                style_sheets: urls(&many),
                feeds: urls(&many),
                licences: urls(&many),
                anchors: vec![],
                descriptions: vec![],
            }),
            sitemaps: vec![SitemapDocument { is_index: true, addresses: urls(&many) }],
            issuers: urls(&many),
            resources: urls(&many),
            skills: urls(&many),
            key_sets: urls(&many),
            ..SiteDocuments::default()
        };
        assert_eq!(read(&documents, &KnownReads::default()).len(), 2 + 3 + 1 + 2 + 2 + 3 + 1);
    }
}
