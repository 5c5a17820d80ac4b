//! Where robots.txt and what was served do not fit, in both directions.

use contract::records::{AccessConflict, AgentRow};
use declared::robots::Scope;

use super::look::Look;
use super::served::{is_ai, is_measured, is_served};

pub(super) fn conflicts(look: &Look<'_>, rows: &[AgentRow]) -> Vec<AccessConflict> {
    let Some((reading, robots)) = look.robots.reading.zip(look.robots.robots.as_ref()) else {
        return Vec::new();
    };
    rows.iter()
        .filter(|row| is_ai(row) && is_measured(row))
        .filter_map(|row| {
            let token = look.catalogue.get(&row.id)?.robots_token.as_deref()?;
            let access = robots.access(token, "/");
            let served = is_served(row);
            // A general permission says little about one crawler; only a named one is a promise.
            let promised = access.allowed && access.scope == Scope::Named;
            let clash = (!access.allowed && served) || (promised && !served);
            clash.then(|| AccessConflict {
                identity: row.id.clone(),
                declared: match (access.allowed, access.line) {
                    (true, Some(line)) => format!("allowed by line {line} of robots.txt"),
                    (true, None) => "allowed by a robots.txt group of its own".to_owned(),
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
                    "The policy file invites a crawler that the server turns away. A copy of its name \
                     from our network was refused; the crawler itself may be treated otherwise."
                }
                .to_owned(),
                evidence: std::iter::once(reading.id.clone()).chain(row.reading.clone()).collect(),
            })
        })
        .collect()
}
