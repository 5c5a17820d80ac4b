//! Entry points for the fuzz targets.

use super::url::{CheckedTarget, PortSet};
use crate::Policy;

/// A URL that passed the guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedUrl {
    pub url: String,
    pub host: String,
    pub port: u16,
    pub authority: String,
    pub path_and_query: String,
}

/// Checks a URL and then a `Location` relative to it: both results, as far as they passed.
#[must_use]
pub fn parse_redirect(
    url: &str,
    location: &str,
    policy: &Policy,
) -> (Option<ParsedUrl>, Option<ParsedUrl>) {
    let Ok(first) = CheckedTarget::parse(url, policy, PortSet::Web) else { return (None, None) };
    let second = first.join_location(location, policy, PortSet::Web).ok();
    (Some(describe(&first)), second.as_ref().map(describe))
}

fn describe(target: &CheckedTarget) -> ParsedUrl {
    ParsedUrl {
        url: target.url.to_string(),
        host: target.host.as_str().to_owned(),
        port: target.port,
        authority: target.authority(),
        path_and_query: target.path_and_query().to_owned(),
    }
}
