//! robots.txt.

use super::SiteFacts;

/// Nothing is there. Whoever follows robots.txt never asks for it: the conduct record counts who does.
pub(crate) const TRAP_PREFIX: &str = "/not-for-agents/";

/// What robots.txt disallows to everybody: the trap, and the addresses of forms and running scans.
pub(crate) const DISALLOWED_PREFIXES: [&str; 2] = [TRAP_PREFIX, "/scan/"];

pub(super) fn render(facts: &SiteFacts) -> String {
    let mut text = String::from(
        "# Agents are welcome: /agents.md says what they can do here, /llms.txt lists the pages.\n\
         # /not-for-agents/ is empty. The record at /api/v1/conduct counts who asks for it.\n\
         User-agent: *\n",
    );
    for prefix in DISALLOWED_PREFIXES {
        text.push_str(&format!("Disallow: {prefix}\n"));
    }
    text.push_str("Allow: /\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\n\n");
    text.push_str(&format!("Sitemap: {}\n", facts.url("/sitemap.xml")));
    text
}
