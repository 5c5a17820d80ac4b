//! Sitemaps in all their forms, packed and not.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Answer, Cost, right, wrong};
use crate::files::FileKind;

const NS: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

fn sitemap(body: impl Into<Vec<u8>>) -> Answer {
    Answer::new(FileKind::Sitemap, "application/xml", body)
}

fn urlset(inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset {NS} xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">{inside}</urlset>"
    )
}

fn page(loc: &str) -> String {
    format!("<url><loc>{loc}</loc></url>")
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn lists_of_pages() {
    let body = urlset(
        "<url><loc> https://shop.example/a?x=1&amp;y=2 </loc><lastmod>2026-11-01</lastmod>\
         <image:image><image:loc>https://cdn.example/i.png</image:loc></image:image></url>\
         <url><loc><![CDATA[https://shop.example/b?x&y]]></loc><priority/></url>",
    );
    let found = right(&sitemap(body), &[]);
    assert_eq!(found.version.as_deref(), Some("urlset"));
    assert_eq!((found.counts["entries"], found.counts["with_lastmod"]), (2, 1));
    assert_eq!(found.addresses, ["https://shop.example/a?x=1&y=2", "https://shop.example/b?x&y"]);
    assert_eq!(found.summary, "2 URLs.");
    let prefixed = format!(
        "<s:urlset {}><s:url><s:loc>https://shop.example/a</s:loc></s:url></s:urlset>",
        NS.replace("xmlns", "xmlns:s")
    );
    assert_eq!(right(&sitemap(prefixed), &[]).counts["entries"], 1);
    use Cost::*;
    for (inside, code, at, cost) in [
        ("<url></url>".to_owned(), "no_loc", "entry 1", Part),
        (page(""), "no_loc", "entry 1", Part),
        (page("/a"), "bad_url", "entry 1", Part),
        (page("https://www.shop.example/a"), "other_host", "entry 1", Warning),
        (page("http://shop.example/a"), "other_scheme", "entry 1", Warning),
        (page(&format!("https://shop.example/{}", "a".repeat(2_048))), "long_url", "entry 1", Part),
        (
            page(&format!("https://shop.example/{}", "a".repeat(20_000))),
            "long_url",
            "entry 1",
            Part,
        ),
        (
            "<url><loc>https://shop.example/</loc><lastmod>01/11/2026</lastmod></url>".into(),
            "bad_lastmod",
            "entry 1",
            Warning,
        ),
        (
            "<sitemap><loc>https://shop.example/s.xml</loc></sitemap>".into(),
            "mixed_entries",
            "",
            Part,
        ),
        (String::new(), "no_entries", "", Warning),
        (page("https://shop.example/?a=1&b=2"), "bare_ampersand", "line 2", Whole),
        (page("https://shop.example/&nbsp;"), "unknown_entity", "", Part),
        ("<url><loc>https://shop.example/</url>".into(), "not_xml", "line 2", Whole),
    ] {
        wrong(&sitemap(urlset(&inside)), code, at, cost);
    }
    let text = urlset(&page("https://shop.example/"));
    wrong(&sitemap(text.replace(NS, "")), "no_namespace", "", Warning);
    wrong(
        &sitemap(text.replace("http://www.sitemaps.org", "https://www.sitemaps.org")),
        "wrong_namespace",
        "",
        Warning,
    );
    wrong(&sitemap(text.replace("</urlset>", "")), "not_closed", "", Whole);
    wrong(&sitemap("<?xml version=\"1.0\"?><plist/>"), "not_a_sitemap", "", Whole);
    wrong(&sitemap("<!-- nothing -->"), "not_a_sitemap", "", Whole);
    wrong(&sitemap(b"\xff\xfe<\0".to_vec()), "utf16", "", Whole);
    wrong(&sitemap(" \n"), "empty", "", Whole);
    let mut latin = urlset(&page("https://shop.example/caf")).into_bytes();
    let end = latin.windows(4).position(|w| w == b"</lo").unwrap();
    latin.insert(end, 0xe9);
    wrong(&sitemap(latin), "not_utf8", "", Whole);
    right(&sitemap(format!("\u{feff}{}", urlset(&page("https://shop.example/")))), &[]);
    let mut deep = sitemap(text.clone());
    deep.url = "https://shop.example/blog/sitemap.xml".into();
    wrong(&deep, "above_directory", "entry 1", Warning);
    let mut html = sitemap(text.clone());
    html.headers = vec![("content-type".into(), "text/html".into())];
    wrong(&html, "wrong_media_type", "Content-Type", Warning);
    let mut cut = sitemap(text.replace("</urlset>", "<url>"));
    cut.cut = true;
    let codes: Vec<&str> = cut.look().faults.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, ["not_read_whole"], "what was cut off is not its fault");
}

#[test]
fn entities_are_never_expanded() {
    let bomb = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE urlset [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><urlset {NS}><url><loc>https://shop.example/&b;</loc></url></urlset>"
    );
    let answer = sitemap(bomb);
    wrong(&answer, "doctype", "", Cost::Warning);
    wrong(&answer, "unknown_entity", "", Cost::Part);
    assert_eq!(answer.look().addresses, ["https://shop.example/"]);
}

#[test]
fn indexes_and_feeds_and_lists() {
    let index = |loc: &str| {
        format!(
            "<sitemapindex {NS}><sitemap><loc>{loc}</loc><lastmod>2026-11-01T00:00:00Z</lastmod></sitemap></sitemapindex>"
        )
    };
    let found = right(&sitemap(index("https://shop.example/pages.xml")), &[]);
    assert_eq!(found.version.as_deref(), Some("sitemapindex"));
    assert_eq!(found.summary, "1 sitemap in an index.");
    wrong(
        &sitemap(index("https://shop.example/sitemap.xml")),
        "index_lists_itself",
        "entry 1",
        Cost::Part,
    );
    wrong(
        &sitemap(index("https://shop.example/sitemap_index.xml")),
        "may_list_an_index",
        "entry 1",
        Cost::Note,
    );
    let rss = "<rss version=\"2.0\"><channel><link>https://shop.example/</link><item><link>https://shop.example/n1</link><pubDate>Sun, 01 Nov 2026 00:00:00 GMT</pubDate></item></channel></rss>";
    let found = right(&sitemap(rss), &[]);
    assert_eq!((found.version.as_deref(), found.counts["entries"]), (Some("rss"), 1));
    let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><link rel=\"alternate\" href=\"https://shop.example/n?a&amp;b\"/></entry></feed>";
    let found = right(&sitemap(atom), &[]);
    assert_eq!(
        (found.version.as_deref(), found.addresses),
        (Some("atom"), vec!["https://shop.example/n?a&b".to_owned()])
    );
    let list = |body: &str| Answer::new(FileKind::Sitemap, "text/plain", body);
    let found = right(&list("https://shop.example/a\r\n\r\nhttps://shop.example/b"), &[]);
    assert_eq!((found.version.as_deref(), found.counts["entries"]), (Some("text"), 2));
    wrong(&list("https://shop.example/a\nabout us"), "not_an_address", "line 2", Cost::Warning);
    let long = format!("https://shop.example/{}\nhttps://shop.example/b", "a".repeat(100_000));
    wrong(&list(&long), "long_url", "entry 1", Cost::Part);
    assert_eq!(list(&long).look().counts["entries"], 2);
    wrong(&list("Not found"), "not_a_sitemap", "", Cost::Whole);
}

#[test]
fn packed_sitemaps() {
    let text = urlset(&page("https://shop.example/"));
    let gz = Answer::new(FileKind::Sitemap, "application/gzip", packed(text.as_bytes()));
    assert_eq!(right(&gz, &[]).counts["entries"], 1);
    wrong(
        &gz.clone().with("content-encoding", "gzip"),
        "packed_twice",
        "Content-Encoding",
        Cost::Warning,
    );
    wrong(&gz.clone().body(packed(b"<!doctype html>")), "html_instead", "", Cost::Whole);
    let mut torn = gz.clone();
    torn.body.truncate(torn.body.len() / 2);
    wrong(&torn, "bad_gzip", "", Cost::Whole);
    wrong(&gz.clone().body(b"\x1f\x8bnonsense".to_vec()), "bad_gzip", "", Cost::Whole);
    torn.cut = true;
    let codes: Vec<&str> = torn.look().faults.iter().map(|fault| fault.code).collect();
    assert!(codes.contains(&"not_read_whole") && !codes.contains(&"bad_gzip"), "{codes:?}");
}

#[test]
fn decompression_bombs_are_stopped() {
    let bomb = packed(&vec![b' '; 4 * 1024 * 1024]);
    let gz = Answer::new(FileKind::Sitemap, "application/gzip", bomb);
    wrong(&gz, "too_large", "", Cost::Whole);
    let many = page("https://shop.example/").repeat(100_000);
    let gz = gz.body(packed(urlset(&many).as_bytes()));
    wrong(&gz, "too_large", "", Cost::Whole);
    let found = gz.look();
    assert!(found.summary.starts_with("At least "), "{}", found.summary);
    assert!(found.faults.iter().all(|fault| fault.code != "not_closed"), "we stopped, not it");
}

#[test]
fn the_limits_of_number() {
    let many: String = (0..50_001).map(|n| page(&format!("https://shop.example/{n}"))).collect();
    let answer = sitemap(urlset(&many));
    wrong(&answer, "too_many_entries", "", Cost::Part);
    let found = answer.look();
    assert_eq!(found.counts["entries"], 50_001);
    assert_eq!(found.addresses.len(), crate::files::MAX_ADDRESSES);
}
