//! `wayleave robots`: what a robots.txt says to an agent, and which line says it.

use std::path::PathBuf;

use anyhow::{Result, bail};
use declared::fault::{Fault, Weight};
use declared::robots::{Access, Robots, Scope};
use serde::Serialize;

use super::canonical::read;
use crate::output::{Tone, harmless, toned};
use crate::{exit, output};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Read as RFC 9309 says, and as leniently as the large crawlers read. What is wrong in the \
                  file is told and does not change the exit code.\n\n\
                  Exit codes: 0 everything asked for is allowed, 1 something is not, \
                  2 the file or an address cannot be read."
)]
pub(crate) struct Args {
    /// A robots.txt file; `-` reads standard input
    file: PathBuf,
    /// Product token of an agent (GPTBot), or its whole user agent; again for further ones
    #[arg(long = "agent", value_name = "AGENT", default_value = "*")]
    agents: Vec<String>,
    /// Address or path to ask for; again for further ones
    #[arg(long = "url", value_name = "URL|PATH", default_value = "/")]
    urls: Vec<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// The answer for one agent and one path.
#[derive(Debug, Serialize)]
struct Decision {
    agent: String,
    url: String,
    /// What is matched: the path with its query, percent-encoded.
    path: String,
    allowed: bool,
    /// Whose rules were looked at: `named`, `everyone`, `nobody`.
    scope: &'static str,
    line: Option<u32>,
    rule: Option<String>,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let bytes = read(&args.file)?;
    let robots = Robots::parse(&bytes);
    let mut decisions = Vec::new();
    for agent in &args.agents {
        let token = token(agent)?;
        for url in &args.urls {
            let path = path(url)?;
            let access = robots.access(&token, &path);
            decisions.push(decision(&robots, &token, url, path, access));
        }
    }
    let faults = robots.faults();
    if args.json {
        let faults: Vec<_> = faults.iter().map(fault_as_json).collect();
        output::json(&serde_json::json!({
            "truncated": robots.truncated,
            "decisions": decisions,
            "faults": faults,
        }))?;
    } else {
        decisions.iter().for_each(show);
        faults.iter().for_each(show_fault);
        if robots.truncated {
            output::note("The file is longer than is read of it; the rest says nothing.");
        }
    }
    let all = decisions.iter().all(|decision| decision.allowed);
    Ok(if all { exit::GOOD } else { exit::BAD })
}

fn decision(robots: &Robots, agent: &str, url: &str, path: String, access: Access) -> Decision {
    Decision {
        agent: agent.to_owned(),
        url: url.to_owned(),
        path,
        allowed: access.allowed,
        scope: match access.scope {
            Scope::Named => "named",
            Scope::Everyone => "everyone",
            Scope::Nobody => "nobody",
        },
        line: access.line,
        rule: access.line.and_then(|line| robots.rule_text(line)),
    }
}

fn show(decision: &Decision) {
    let (tone, word) = match decision.allowed {
        true => (Tone::Good, "allowed   "),
        false => (Tone::Bad, "disallowed"),
    };
    let spoken = match decision.scope {
        "named" => "a group names it",
        "everyone" => "by the group for everyone",
        _ => "no group is for it",
    };
    let because = match (decision.line, &decision.rule) {
        (Some(line), Some(rule)) => format!("line {line}: {}", harmless(rule)),
        (Some(line), None) => format!("line {line}"),
        (None, _) => "no rule matches".to_owned(),
    };
    output::line(&format!(
        "{} {} {} ({spoken}; {because})",
        toned(tone, word),
        harmless(&decision.agent),
        harmless(&decision.path)
    ));
}

fn show_fault(fault: &Fault) {
    let (tone, word) = match fault.weight {
        Weight::Error => (Tone::Bad, "error  "),
        Weight::Warning => (Tone::Doubt, "warning"),
        Weight::Note => (Tone::Faint, "note   "),
    };
    let at = if fault.at.is_empty() { String::new() } else { format!("{}: ", harmless(&fault.at)) };
    output::line(&format!("{} {at}{}", toned(tone, word), harmless(&fault.problem)));
    output::line(&format!("        fix: {}", harmless(&fault.fix)));
}

fn fault_as_json(fault: &Fault) -> serde_json::Value {
    let weight = match fault.weight {
        Weight::Error => "error",
        Weight::Warning => "warning",
        Weight::Note => "note",
    };
    serde_json::json!({
        "code": fault.code,
        "weight": weight,
        "at": fault.at,
        "problem": fault.problem,
        "fix": fault.fix,
    })
}

/// The product token of a user agent: what stands before its version.
fn token(agent: &str) -> Result<String> {
    let token = agent.split(|c: char| c == '/' || c.is_whitespace()).next().unwrap_or_default();
    if token.is_empty() {
        bail!("--agent {}: there is no product token in it", harmless(agent));
    }
    Ok(token.to_owned())
}

/// Path and query of an address, as a crawler would send them.
fn path(url: &str) -> Result<String> {
    let refused =
        || format!("--url {}: expected an http or https address, or a path", harmless(url));
    // Rules do not speak of hosts, so any will do for a bare path.
    let whole =
        if url.starts_with('/') { format!("https://site.example{url}") } else { url.to_owned() };
    let Ok(parsed) = url::Url::parse(&whole) else { bail!(refused()) };
    if !matches!(parsed.scheme(), "http" | "https") {
        bail!(refused());
    }
    let query = parsed.query().map(|query| format!("?{query}")).unwrap_or_default();
    Ok(format!("{}{query}", parsed.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_what_rules_speak_of() {
        for (url, expected) in [
            ("https://a.example/x/../y?q=1#part", "/y?q=1"),
            ("https://a.example", "/"),
            ("/caf\u{e9}", "/caf%C3%A9"),
            ("/a b", "/a%20b"),
            ("/", "/"),
        ] {
            assert_eq!(path(url).unwrap(), expected, "{url}");
        }
        for bad in ["ftp://a.example/", "x", "", "file:///etc/passwd"] {
            assert!(path(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_user_agent_is_known_by_its_token() {
        assert_eq!(token("GPTBot/1.3 (+https://a.example)").unwrap(), "GPTBot");
        assert_eq!(token("Claude-SearchBot").unwrap(), "Claude-SearchBot");
        assert_eq!(token("AI2Bot/1.0").unwrap(), "AI2Bot");
        assert_eq!(token("*").unwrap(), "*");
        assert!(token("").is_err() && token("/1.0").is_err());
    }
}
