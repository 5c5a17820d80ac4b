//! `wayleave robots`: checks what a robots.txt file allows an agent, and which line decides.

use std::path::PathBuf;

use anyhow::{Result, bail};
use declared::fault::{Fault, Weight};
use declared::robots::{Access, Robots, Scope};
use serde::Serialize;

use super::canonical::read_file_or_stdin;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, output};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Parses the file by RFC 9309, as leniently as the large crawlers do. Prints one line per agent and URL \
                  with the rule that decides, then the faults of the file; faults do not change the exit \
                  code.\n\n\
                  Exit codes: 0 everything is allowed, 1 something is disallowed, 2 the file or a URL cannot be \
                  read."
)]
pub(crate) struct Args {
    /// A robots.txt file; `-` reads standard input
    file: PathBuf,
    /// Product token of an agent (GPTBot) or its whole User-Agent; can be repeated
    #[arg(long = "agent", value_name = "AGENT", default_value = "*")]
    agents: Vec<String>,
    /// URL or path to check; can be repeated
    #[arg(long = "url", value_name = "URL|PATH", default_value = "/")]
    urls: Vec<String>,
    /// Print decisions and faults as JSON
    #[arg(long)]
    json: bool,
}

/// The result for one agent and one URL.
#[derive(Debug, Serialize)]
struct RobotsDecision {
    agent: String,
    url: String,
    /// What the rules are matched against: path and query, percent-encoded.
    path: String,
    allowed: bool,
    /// The group that applied: `named`, `everyone` or `nobody`.
    scope: &'static str,
    line: Option<u32>,
    rule: Option<String>,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let bytes = read_file_or_stdin(&args.file)?;
    let robots = Robots::parse(&bytes);
    let mut decisions = Vec::new();
    for agent in &args.agents {
        let token = product_token(agent)?;
        for url in &args.urls {
            let path = path_and_query(url)?;
            let access = robots.access(&token, &path);
            decisions.push(build_decision(&robots, &token, url, path, access));
        }
    }
    let faults = declared::robots_lint::find_faults(&robots);
    if args.json {
        let faults: Vec<_> = faults.iter().map(fault_to_json).collect();
        output::print_json(&serde_json::json!({
            "truncated": robots.truncated,
            "decisions": decisions,
            "faults": faults,
        }))?;
    } else {
        decisions.iter().for_each(print_decision);
        faults.iter().for_each(print_fault);
        if robots.truncated {
            output::print_note("The file exceeds the size limit; the rest was ignored.");
        }
    }
    let all = decisions.iter().all(|decision| decision.allowed);
    Ok(if all { exit::PASSED } else { exit::CHECK_FAILED })
}

fn build_decision(
    robots: &Robots,
    agent: &str,
    url: &str,
    path: String,
    access: Access,
) -> RobotsDecision {
    RobotsDecision {
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

fn print_decision(decision: &RobotsDecision) {
    let (tone, word) = match decision.allowed {
        true => (Tone::Good, "allowed   "),
        false => (Tone::Bad, "disallowed"),
    };
    let group = match decision.scope {
        "named" => "group for this agent",
        "everyone" => "group for *",
        _ => "no group applies",
    };
    let because = match (decision.line, &decision.rule) {
        (Some(line), Some(rule)) => format!("line {line}: {}", sanitize_for_terminal(rule)),
        (Some(line), None) => format!("line {line}"),
        (None, _) => "no rule matches".to_owned(),
    };
    output::print_line(&format!(
        "{} {} {} ({group}; {because})",
        colour_for_terminal(tone, word),
        sanitize_for_terminal(&decision.agent),
        sanitize_for_terminal(&decision.path)
    ));
}

fn print_fault(fault: &Fault) {
    let (tone, word) = match fault.weight {
        Weight::Error => (Tone::Bad, "error  "),
        Weight::Warning => (Tone::Warning, "warning"),
        Weight::Note => (Tone::Faint, "note   "),
    };
    let at = if fault.at.is_empty() {
        String::new()
    } else {
        format!("{}: ", sanitize_for_terminal(&fault.at))
    };
    output::print_line(&format!(
        "{} {at}{}",
        colour_for_terminal(tone, word),
        sanitize_for_terminal(&fault.problem)
    ));
    output::print_line(&format!("        fix: {}", sanitize_for_terminal(&fault.fix)));
}

fn fault_to_json(fault: &Fault) -> serde_json::Value {
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

/// The product token of a User-Agent: the part before the version.
fn product_token(agent: &str) -> Result<String> {
    let token = agent.split(|c: char| c == '/' || c.is_whitespace()).next().unwrap_or_default();
    if token.is_empty() {
        bail!("--agent {}: no product token found", sanitize_for_terminal(agent));
    }
    Ok(token.to_owned())
}

/// Path and query of a URL, as a crawler would send them.
fn path_and_query(url: &str) -> Result<String> {
    let refused = || {
        format!(
            "--url {}: expected an http or https URL, or a path starting with /",
            sanitize_for_terminal(url)
        )
    };
    // Rules do not contain host names, so any host works for a bare path.
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
    fn urls_are_reduced_to_path_and_query() {
        for (url, expected) in [
            ("https://a.example/x/../y?q=1#part", "/y?q=1"),
            ("https://a.example", "/"),
            ("/caf\u{e9}", "/caf%C3%A9"),
            ("/a b", "/a%20b"),
            ("/", "/"),
        ] {
            assert_eq!(path_and_query(url).unwrap(), expected, "{url}");
        }
        for bad in ["ftp://a.example/", "x", "", "file:///etc/passwd"] {
            assert!(path_and_query(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_token_is_taken_from_the_user_agent() {
        assert_eq!(product_token("GPTBot/1.3 (+https://a.example)").unwrap(), "GPTBot");
        assert_eq!(product_token("Claude-SearchBot").unwrap(), "Claude-SearchBot");
        assert_eq!(product_token("AI2Bot/1.0").unwrap(), "AI2Bot");
        assert_eq!(product_token("*").unwrap(), "*");
        assert!(product_token("").is_err() && product_token("/1.0").is_err());
    }
}
