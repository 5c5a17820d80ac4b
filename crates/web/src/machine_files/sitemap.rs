//! The sitemap: the pages that people and crawlers read. Reports are not in it: they are about other sites.

use super::site_facts::SiteFacts;

const PAGES: [&str; 9] =
    ["/", "/docs", "/method", "/agents", "/conduct", "/visitor", "/preflight", "/log", "/proof"];

pub(super) fn render(facts: &SiteFacts, docs_pages: &[String]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    let docs = docs_pages.iter().filter(|page| !page.is_empty());
    let pages = PAGES.iter().map(|page| (*page).to_owned());
    for page in pages.chain(docs.map(|page| format!("/docs/{page}"))) {
        text.push_str(&format!("  <url><loc>{}</loc></url>\n", escape(&facts.url(&page))));
    }
    text.push_str("</urlset>\n");
    text
}

fn escape(url: &str) -> String {
    url.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
