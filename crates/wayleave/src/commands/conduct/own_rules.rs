//! The robots.txt of the owner's site.

use std::path::Path;

use anyhow::{Result, bail};
use judge::conduct::SiteRules;
use service::Scanner;

use crate::commands::canonical::read_file_or_stdin;

/// Reads the file, or fetches that of the site; `None` if neither is given.
pub(super) async fn load(
    file: Option<&Path>,
    site: Option<&str>,
    scanner: &Scanner,
) -> Result<Option<SiteRules>> {
    Ok(match (file, site) {
        (Some(file), _) => Some(SiteRules::parse(&read_file_or_stdin(file)?)),
        (None, Some(site)) => Some(fetch(site, scanner).await?),
        (None, None) => None,
    })
}

async fn fetch(site: &str, scanner: &Scanner) -> Result<SiteRules> {
    let domain = scanner.parse_domain(site)?;
    let url = format!("https://{domain}/robots.txt");
    match scanner.read_file(&url).await {
        Ok(body) => Ok(SiteRules::parse(&body)),
        Err(why) => bail!(
            "{url} could not be fetched: {why} Give the file with --robots, or leave --site out if there is none."
        ),
    }
}
