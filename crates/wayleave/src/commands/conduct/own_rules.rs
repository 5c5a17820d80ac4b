//! The robots.txt of the owner's site.

use std::path::Path;

use anyhow::{Result, bail};
use declared::robots::{Robots, path_of};
use service::Scanner;

use crate::commands::canonical::read_file_or_stdin;

/// Rules that the record names.
const MAX_PATTERNS: usize = 200;

/// What the owner's robots.txt disallows.
pub(super) struct OwnRules {
    robots: Option<Robots>,
}

impl OwnRules {
    pub(super) async fn load(
        file: Option<&Path>,
        site: Option<&str>,
        scanner: &Scanner,
    ) -> Result<Self> {
        let robots = match (file, site) {
            (Some(file), _) => Some(Robots::parse(&read_file_or_stdin(file)?)),
            (None, Some(site)) => Some(fetch(site, scanner).await?),
            (None, None) => None,
        };
        Ok(Self { robots })
    }

    pub(super) fn is_known(&self) -> bool {
        self.robots.is_some()
    }

    pub(super) fn patterns(&self) -> Vec<String> {
        self.robots
            .as_ref()
            .map(|robots| robots.disallowed_patterns(MAX_PATTERNS))
            .unwrap_or_default()
    }

    /// The line of the rule that forbids a request to the agent that robots.txt knows by these names.
    pub(super) fn broken_line(&self, tokens: &[String], target: &[u8]) -> Option<u32> {
        let robots = self.robots.as_ref()?;
        let path = path_of(&String::from_utf8_lossy(target));
        // An agent with several names may be addressed by any of them: what one of them allows is allowed.
        let mut line = None;
        for token in tokens {
            let access = robots.access(token, &path);
            if access.allowed {
                return None;
            }
            line = line.or(access.line);
        }
        line
    }

    /// The pattern of the rule in a line. Reads the file up to there.
    pub(super) fn pattern(&self, line: u32) -> Option<String> {
        let rule = self.robots.as_ref()?.rule_text(line)?;
        let (_, pattern) = rule.split_once(':')?;
        Some(pattern.trim().to_owned())
    }

    pub(super) fn sentence(&self) -> &'static str {
        if self.is_known() {
            "Disallowed paths are those of your robots.txt as it is now."
        } else {
            "Disallowed paths were not counted: give your robots.txt with --robots or --site."
        }
    }
}

async fn fetch(site: &str, scanner: &Scanner) -> Result<Robots> {
    let domain = scanner.parse_domain(site)?;
    let url = format!("https://{domain}/robots.txt");
    match scanner.read_file(&url).await {
        Ok(body) => Ok(Robots::parse(&body)),
        Err(why) => bail!("{url} could not be fetched: {why}"),
    }
}
