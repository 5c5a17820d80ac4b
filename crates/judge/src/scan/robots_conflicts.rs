//! Finds crawlers for which the server does not follow robots.txt, in both directions.

use contract::records::{AccessConflict, AgentRow, RowCause};
use declared::robots::Scope;

use super::agent_rows::{browser_row, is_ai, is_kept_out, is_measured, is_served};
use super::parsed_evidence::ParsedEvidence;

pub(super) fn find_robots_conflicts(
    parsed: &ParsedEvidence<'_>,
    rows: &[AgentRow],
) -> Vec<AccessConflict> {
    let Some((reading, robots)) = parsed.robots.reading.zip(parsed.robots.rules.as_ref()) else {
        return Vec::new();
    };
    let browser_served = browser_row(rows).is_some_and(is_served);
    rows.iter()
        .filter(|row| is_ai(row) && is_measured(row))
        .filter_map(|row| {
            let token = parsed.catalogue.get(&row.id)?.robots_token.as_deref()?;
            let access = robots.access(token, "/");
            let served = is_served(row);
            // A permission for everyone conflicts only if the browser is served and this crawler is
            // blocked. A permission by name conflicts whenever the crawler is not served.
            let named = access.scope == Scope::Named;
            let general = access.scope == Scope::Everyone && browser_served && is_kept_out(row);
            // A page that stands in for the content for everybody is no refusal of this crawler.
            let stand_in = matches!(row.cause, RowCause::Gated | RowCause::Empty)
                && browser_row(rows).is_some_and(|browser| browser.cause == row.cause);
            let clash = match access.allowed {
                true => !served && !stand_in && (named || general),
                false => served,
            };
            clash.then(|| AccessConflict {
                identity: row.id.clone(),
                declared: match (access.allowed, access.line) {
                    (true, Some(line)) => format!("allowed by line {line} of robots.txt"),
                    (true, None) if named => "allowed by its own group in robots.txt".to_owned(),
                    (true, None) => "allowed by robots.txt, like all crawlers".to_owned(),
                    (false, Some(line)) => format!("disallowed by line {line} of robots.txt"),
                    (false, None) => "disallowed by robots.txt".to_owned(),
                },
                served: match row.status {
                    _ if row.cause == RowCause::Stalled => "kept waiting".to_owned(),
                    Some(status) => format!("answered {status}"),
                    None => "got no answer".to_owned(),
                },
                why: if served {
                    "robots.txt disallows this crawler, but the server gives it the page. Only crawlers that obey robots.txt \
                     stay away."
                } else {
                    "robots.txt allows this crawler, but the server does not give it the page. We sent the request from our own \
                     network under the crawler's name; the real crawler may be treated differently."
                }
                .to_owned(),
                evidence: std::iter::once(reading.id.clone()).chain(row.reading.clone()).collect(),
            })
        })
        .collect()
}
