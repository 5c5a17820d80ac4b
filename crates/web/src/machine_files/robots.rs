//! robots.txt.

use super::site_facts::SiteFacts;

/// What robots.txt disallows to everybody: a folder with one page, which says just that and which nobody who
/// follows robots.txt ever asks for, and the addresses of running scans.
const DISALLOWED_PREFIXES: [&str; 2] = ["/not-for-agents/", "/scan/"];

pub(super) fn render(facts: &SiteFacts) -> String {
    let mut text = String::from(
        "# Agents are welcome: /agents.md says what they can do here, /llms.txt lists the pages.\n\
         # The page in /not-for-agents/ only says that it is disallowed; /conduct says who fetched it.\n\
         User-agent: *\n",
    );
    for prefix in DISALLOWED_PREFIXES {
        text.push_str(&format!("Disallow: {prefix}\n"));
    }
    text.push_str("Allow: /\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\n\n");
    text.push_str(&format!("Sitemap: {}\n", facts.url("/sitemap.xml")));
    text
}
