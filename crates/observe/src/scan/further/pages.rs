//! Chooses the further pages of a scan: two from the sitemap, one linked deep on the home page, one
//! that llms.txt names.

use contract::evidence::PageSource;
use url::Url;

use super::documents::SiteDocuments;
use super::page_urls::{PageSite, is_same_path};

/// The pages to read, at most one for each of the four slots. `may_read` says what robots.txt lets us
/// read.
pub(super) fn choose_pages(
    documents: &SiteDocuments,
    site: &PageSite,
    may_read: &dyn Fn(&Url) -> bool,
) -> Vec<(PageSource, Url)> {
    let listed = listed_pages(documents, site);
    let (before, after) = listed.split_at_checked(listed.len() / 2).unwrap_or((&listed, &[]));
    let mut linked: Vec<Url> = documents
        .home
        .iter()
        .flat_map(|home| home.anchors.iter())
        .filter_map(|anchor| site.page_url(anchor, false))
        .collect();
    // Stable, so that the first of equally deep links is chosen.
    linked.sort_by_key(|url| std::cmp::Reverse(depth(url)));
    let named: Vec<Url> =
        documents.llms_txt.iter().filter_map(|url| site.page_url(url, true)).collect();
    let slots: [(PageSource, Vec<&Url>); 4] = [
        (PageSource::Sitemap, listed.iter().collect()),
        (PageSource::Sitemap, after.iter().chain(before.iter().rev()).collect()),
        (PageSource::Linked, linked.iter().collect()),
        (PageSource::LlmsTxt, named.iter().collect()),
    ];
    let mut chosen: Vec<(PageSource, Url)> = Vec::new();
    for (source, candidates) in slots {
        let is_new =
            |url: &Url| !chosen.iter().any(|(_, known)| is_same_path(known.path(), url.path()));
        let found = candidates.into_iter().find(|url| is_new(url) && may_read(url)).cloned();
        chosen.extend(found.map(|url| (source, url)));
    }
    chosen
}

/// All pages that sitemaps list, in their order.
fn listed_pages(documents: &SiteDocuments, site: &PageSite) -> Vec<Url> {
    documents
        .sitemaps
        .iter()
        .filter(|sitemap| !sitemap.is_index)
        .flat_map(|sitemap| &sitemap.addresses)
        .filter_map(|url| site.page_url(url, false))
        .collect()
}

/// How deep a page is: its segments, then its length.
fn depth(url: &Url) -> (usize, usize) {
    let path = url.path().trim_end_matches('/');
    (path.split('/').count(), path.len())
}

#[cfg(test)]
mod tests {
    use super::super::documents::{HomeDocument, SitemapDocument};
    use super::*;

    fn urls(paths: &[&str]) -> Vec<Url> {
        let base = Url::parse("https://shop.example/").unwrap();
        paths.iter().map(|path| base.join(path).unwrap()).collect()
    }

    fn site() -> PageSite {
        PageSite {
            host: "shop.example".into(),
            scheme: "https".into(),
            hosts: vec!["shop.example".into()],
            home: Url::parse("https://shop.example/").unwrap(),
        }
    }

    fn documents(listed: &[&str], linked: &[&str], llms: &[&str]) -> SiteDocuments {
        SiteDocuments {
            home: Some(HomeDocument { anchors: urls(linked), ..HomeDocument::default() }),
            sitemaps: vec![
                SitemapDocument { is_index: true, addresses: urls(&["/child.html"]) },
                SitemapDocument { is_index: false, addresses: urls(listed) },
            ],
            llms_txt: urls(llms),
            ..SiteDocuments::default()
        }
    }

    fn chosen(documents: &SiteDocuments, may_read: &dyn Fn(&Url) -> bool) -> Vec<(String, String)> {
        choose_pages(documents, &site(), may_read)
            .into_iter()
            .map(|(source, url)| (source.to_string(), url.path().to_owned()))
            .collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn one_page_is_chosen_for_each_slot() {
        let documents = documents(
            &["/", "/a", "/b", "/c.pdf", "/d", "/e"],
            &["/short", "/a/b/c", "/a/b/cc", "/x/y/z/logout", "https://other.example/1/2/3/4/5"],
            &["https://other.example/x", "/start.md", "/more"],
        );
        let expected = pairs(&[
            ("sitemap", "/a"),
            ("sitemap", "/d"),
            ("linked", "/a/b/cc"),
            ("llms_txt", "/start.md"),
        ]);
        assert_eq!(chosen(&documents, &|_| true), expected);
    }

    #[test]
    fn a_page_is_chosen_once_and_the_next_one_takes_its_place() {
        let all = documents(&["/a/b/"], &["/a/b", "/c"], &["/c", "/a/b", "/d"]);
        let expected = pairs(&[("sitemap", "/a/b/"), ("linked", "/c"), ("llms_txt", "/d")]);
        assert_eq!(chosen(&all, &|_| true), expected);
        // Two entries are the first and the one in the middle.
        let two = documents(&["/a", "/b"], &[], &[]);
        assert_eq!(chosen(&two, &|_| true), pairs(&[("sitemap", "/a"), ("sitemap", "/b")]));
    }

    #[test]
    fn what_robots_txt_disallows_is_not_chosen() {
        let all =
            documents(&["/private/1", "/a", "/private/2"], &["/private/x/y"], &["/private/z"]);
        let may_read = |url: &Url| !url.path().starts_with("/private");
        assert_eq!(chosen(&all, &may_read), pairs(&[("sitemap", "/a")]));
        assert_eq!(chosen(&all, &|_| false), []);
        assert_eq!(chosen(&SiteDocuments::default(), &|_| true), []);
    }

    #[test]
    fn hostile_lists_give_four_pages_at_most() {
        let many: Vec<String> =
            (0..5000).map(|n| format!("/{n}/{}", "x".repeat(n % 300))).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(chosen(&documents(&many, &many, &many), &|_| true).len(), 4);
    }
}
