//! Where robots.txt and what was served do not fit, in both directions.

use contract::records::{AccessConflict, AgentRow};
use declared::robots::Scope;

use super::look::Look;
use super::served::{browser, is_ai, is_measured, is_served, is_turned_away};

pub(super) fn conflicts(look: &Look<'_>, rows: &[AgentRow]) -> Vec<AccessConflict> {
    let Some((reading, robots)) = look.robots.reading.zip(look.robots.robots.as_ref()) else {
        return Vec::new();
    };
    let people_served = browser(rows).is_some_and(is_served);
    rows.iter()
        .filter(|row| is_ai(row) && is_measured(row))
        .filter_map(|row| {
            let token = look.catalogue.get(&row.id)?.robots_token.as_deref()?;
            let access = robots.access(token, "/");
            let served = is_served(row);
            // A permission for everyone is broken only where the browser is served and this agent is
            // turned away; one by name is a promise whatever others get.
            let named = access.scope == Scope::Named;
            let general = access.scope == Scope::Everyone && people_served && is_turned_away(row);
            let clash = match access.allowed {
                true => !served && (named || general),
                false => served,
            };
            clash.then(|| AccessConflict {
                identity: row.id.clone(),
                declared: match (access.allowed, access.line) {
                    (true, Some(line)) => format!("allowed by line {line} of robots.txt"),
                    (true, None) if named => "allowed by a robots.txt group of its own".to_owned(),
                    (true, None) => "allowed by robots.txt, as everyone is".to_owned(),
                    (false, Some(line)) => format!("disallowed by line {line} of robots.txt"),
                    (false, None) => "disallowed by robots.txt".to_owned(),
                },
                served: match row.status {
                    Some(status) => format!("answered {status}"),
                    None => "not answered".to_owned(),
                },
                why: if served {
                    "A crawler that honours robots.txt stays away; one that does not is served."
                } else {
                    "The policy file lets an agent in that the server turns away. A copy of its name \
                     from our network was refused; the agent itself may be treated otherwise."
                }
                .to_owned(),
                evidence: std::iter::once(reading.id.clone()).chain(row.reading.clone()).collect(),
            })
        })
        .collect()
}
