//! Which AI crawlers the site's robots.txt keeps out of the home page.
//!
//! A crawler that the owner declares unwanted is not counted as shut out when the server refuses it:
//! the site does what it says. What the closed door costs users is counted by `policy.open` and the cap
//! `declared_closed`, not by Reach.

use contract::records::AgentRow;

use super::parsed_evidence::ParsedEvidence;

/// Whether robots.txt disallows the home page for the crawler of this row. False if there is no
/// readable robots.txt: nothing is declared then.
pub(super) fn is_declared_unwanted(parsed: &ParsedEvidence<'_>, row: &AgentRow) -> bool {
    let Some(robots) = parsed.robots.rules.as_ref() else { return false };
    let token = parsed.catalogue.get(&row.id).and_then(|identity| identity.robots_token.as_deref());
    token.is_some_and(|token| !robots.access(token, "/").allowed)
}
