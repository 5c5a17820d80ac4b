//! What robots.txt and the rights signals say, and whether the server acts on it.

use contract::evidence::NotReadWhy;
use contract::records::{AccessRule, FaultWeight, RobotsState, Severity};

use super::Readings;
use crate::scan::served::{is_ai, is_measured};
use crate::scan::verdicts::{Outcome, Verdicts, about, aside};

pub(super) fn judge(read: &Readings<'_>, out: &mut Verdicts) {
    open(read, out);
    readable(read, out);
    valid(read, out);
    consistent(read, out);
    signals(read, out);
    opted_out(read, out);
}

/// Of the agents, those that may read.
fn open(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "policy.open";
    let robots = &read.policy.robots;
    if !read.look.robots.is_definite() {
        return out.not_assessed(RULE, robots.why.clone());
    }
    let agents: Vec<&AccessRule> =
        read.policy.access.iter().filter(|rule| rule.purpose.is_some()).collect();
    if agents.is_empty() {
        // No file: nothing is forbidden.
        return out.passed(
            RULE,
            "There is no robots.txt, so nothing is forbidden.",
            robots.evidence.clone(),
        );
    }
    let closed: Vec<&AccessRule> = agents.iter().copied().filter(|rule| !rule.allowed).collect();
    let open = agents.len() - closed.len();
    out.rule(
        RULE,
        Outcome::Share { got: crate::scan::count(open), of: crate::scan::count(agents.len()) },
        format!("robots.txt lets {open} of {} AI agents read the home page.", agents.len()),
        robots.evidence.clone(),
    );
    if closed.is_empty() {
        return;
    }
    if open == 0 {
        out.cap("declared_closed", "Agents that honour it stay away.");
    }
    let mut finding = about(
        read.look.rules,
        RULE,
        "declared_closed",
        if open == 0 { Severity::High } else { Severity::Medium },
    );
    finding.title = if open == 0 {
        "robots.txt keeps every AI agent out".to_owned()
    } else {
        "robots.txt keeps some AI agents out".to_owned()
    };
    finding.seen = format!(
        "Not allowed to read the home page: {}.",
        closed.iter().map(|rule| decided(rule)).collect::<Vec<_>>().join("; ")
    );
    if !robots.managed_blocks.is_empty() {
        finding.seen.push_str(&format!(
            " Some lines were not written by you: {}.",
            robots.managed_blocks.join(", ")
        ));
    }
    finding.fix = Some(
        "If this is meant, nothing is to be done. If not, take these lines out, or let single agents in by \
         groups of their own; lines that a CDN put there are switched off in its settings."
            .to_owned(),
    );
    finding.paste = Some(
        closed.iter().map(|rule| format!("User-agent: {}\n", rule.agent)).collect::<String>()
            + "Allow: /\n",
    );
    finding.evidence = robots.evidence.clone();
    out.find(finding);
}

fn decided(rule: &AccessRule) -> String {
    match (rule.line, &rule.rule) {
        (Some(line), Some(text)) => format!("{} (line {line}: {text})", rule.agent),
        (Some(line), None) => format!("{} (line {line})", rule.agent),
        _ => rule.agent.clone(),
    }
}

fn readable(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "policy.robots_readable";
    let robots = &read.policy.robots;
    let evidence = robots.evidence.clone();
    match robots.state {
        RobotsState::Declared | RobotsState::Absent => {
            return out.passed(RULE, robots.why.clone(), evidence);
        }
        // A failure of the network says nothing about the site.
        RobotsState::NotRead => return out.not_assessed(RULE, robots.why.clone()),
        RobotsState::Unreachable if robots.http_status.is_none() => {
            return out.not_assessed(RULE, robots.why.clone());
        }
        _ => {}
    }
    out.failed(RULE, robots.why.clone(), evidence.clone());
    // Only of a server error does the standard say so; "too many requests" is no word about the site.
    if robots.http_status.is_some_and(|status| (500..600).contains(&status)) {
        out.cap("policy_unreadable", robots.why.clone());
    }
    let mut finding = about(read.look.rules, RULE, "robots_unreadable", Severity::Medium);
    finding.title = match robots.state {
        RobotsState::Refused => "robots.txt is refused",
        RobotsState::Unreachable => "robots.txt cannot be read",
        _ => "What is at robots.txt is no policy",
    }
    .to_owned();
    finding.seen = robots.why.clone();
    finding.fix = Some(
        "Serve /robots.txt to everybody as text/plain in UTF-8, exempt from bot rules and challenges; or answer 404 \
         when there is none."
            .to_owned(),
    );
    finding.paste = Some("User-agent: *\nAllow: /\n".to_owned());
    finding.evidence = evidence;
    out.find(finding);
}

fn valid(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "policy.robots_valid";
    let robots = &read.policy.robots;
    if robots.state != RobotsState::Declared {
        return out.not_applicable(RULE, "There is no robots.txt that could be read.");
    }
    let evidence: Vec<String> = robots.evidence.iter().take(1).cloned().collect();
    let wrong: Vec<_> =
        robots.faults.iter().filter(|fault| fault.weight != FaultWeight::Note).collect();
    if wrong.is_empty() {
        return out.passed(RULE, "Every line is read as it was meant.", evidence);
    }
    let severe = wrong.iter().any(|fault| fault.weight == FaultWeight::Error);
    out.rule(
        RULE,
        Outcome::Share { got: u32::from(!severe), of: 2 },
        format!("{} lines are not read as they were meant.", wrong.len()),
        evidence.clone(),
    );
    let mut finding = about(
        read.look.rules,
        RULE,
        "robots_faults",
        if severe { Severity::Medium } else { Severity::Low },
    );
    finding.title = "Lines of robots.txt are not read as they were meant".to_owned();
    finding.seen = wrong
        .iter()
        .take(10)
        .map(|fault| crate::scan::at(&fault.at, &fault.problem))
        .collect::<Vec<_>>()
        .join(" ");
    finding.fix = Some(
        wrong
            .iter()
            .take(10)
            .map(|fault| crate::scan::at(&fault.at, &fault.fix))
            .collect::<Vec<_>>()
            .join(" "),
    );
    finding.evidence = evidence;
    out.find(finding);
}

fn consistent(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "policy.consistent";
    let robots = &read.policy.robots;
    match robots.state {
        RobotsState::Declared => {}
        RobotsState::Absent => {
            return out.not_applicable(RULE, "There is no robots.txt to act on.");
        }
        _ => return out.not_assessed(RULE, robots.why.clone()),
    }
    let measured: Vec<_> =
        read.view.rows.iter().filter(|row| is_ai(row) && is_measured(row)).collect();
    if measured.is_empty() {
        return out.not_assessed(RULE, "No AI identity was answered.");
    }
    let conflicts = &read.view.conflicts;
    let differs = robots.same_for_every_identity == Some(false);
    let mut evidence: Vec<String> =
        conflicts.iter().flat_map(|conflict| conflict.evidence.iter().cloned()).collect();
    evidence.extend(robots.evidence.iter().cloned());
    evidence.sort();
    evidence.dedup();
    let kept = measured.len().saturating_sub(conflicts.len());
    let got = if differs { 0 } else { kept };
    let why = match (conflicts.is_empty(), differs) {
        (true, false) => {
            "What is served fits robots.txt, which is the same for everybody.".to_owned()
        }
        (_, true) => format!(
            "robots.txt differs by reader: {} were given another one, or none.",
            robots.differs_for.join(", ")
        ),
        (false, _) => format!(
            "For {} of {} AI identities the two do not fit.",
            conflicts.len(),
            measured.len()
        ),
    };
    out.rule(
        RULE,
        Outcome::Share { got: crate::scan::count(got), of: crate::scan::count(measured.len()) },
        why.clone(),
        evidence.clone(),
    );
    if differs {
        let mut finding = about(read.look.rules, RULE, "robots_by_reader", Severity::Medium);
        finding.title = "robots.txt says other things to other readers".to_owned();
        finding.seen = why;
        finding.fix = Some(
            "Serve one robots.txt to everybody; address agents by groups inside it.".to_owned(),
        );
        finding.evidence = robots.evidence.clone();
        out.find(finding);
    }
    if !conflicts.is_empty() {
        let invited = conflicts.iter().any(|conflict| conflict.declared.starts_with("allowed"));
        let mut finding = about(
            read.look.rules,
            RULE,
            "declared_and_served",
            if invited { Severity::Medium } else { Severity::Low },
        );
        finding.title = if invited {
            "robots.txt lets agents in that the server turns away".to_owned()
        } else {
            "The server gives the page to agents that robots.txt keeps out".to_owned()
        };
        finding.seen = conflicts
            .iter()
            .map(|conflict| {
                format!("{}: {}, {}", conflict.identity, conflict.declared, conflict.served)
            })
            .collect::<Vec<_>>()
            .join("; ")
            + ".";
        finding.fix = Some(
            if invited {
                "Let these agents through in the CDN or web server, or say in robots.txt that they may not come: an \
                 agent that honours it then need not find out by being refused."
            } else {
                "robots.txt is a request, not a lock. If these agents must not read the page, refuse them in the \
                 CDN or web server as well; if they may, say so in robots.txt."
            }
            .to_owned(),
        );
        finding.evidence = evidence;
        out.find(finding);
    }
}

fn signals(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "policy.signals";
    let (statements, faults) = (&read.policy.signals, &read.policy.signal_faults);
    if statements.is_empty() && faults.is_empty() {
        return out.not_applicable(RULE, "The site gives no rights signal.");
    }
    let torn: Vec<&String> = read
        .policy
        .rights
        .iter()
        .filter(|(_, decision)| decision.doubts.iter().any(|doubt| doubt == "contradicted"))
        .map(|(name, _)| name)
        .collect();
    let wrong: Vec<_> =
        faults.iter().filter(|fault| fault.fault.weight != FaultWeight::Note).collect();
    let mut evidence: Vec<String> = statements
        .iter()
        .flat_map(|statement| statement.evidence.iter().cloned())
        .chain(faults.iter().flat_map(|fault| fault.evidence.iter().cloned()))
        .collect();
    evidence.sort();
    evidence.dedup();
    if torn.is_empty() && wrong.is_empty() {
        return out.passed(
            RULE,
            format!("{} signals, none malformed, none at odds.", statements.len()),
            evidence,
        );
    }
    out.failed(
        RULE,
        format!(
            "{} signals are malformed; about {} uses they are at odds.",
            wrong.len(),
            torn.len()
        ),
        evidence,
    );
    if !wrong.is_empty() {
        let mut finding = about(read.look.rules, RULE, "signal_faults", Severity::Low);
        finding.title = "Rights signals cannot be read as they were meant".to_owned();
        let told = |text: fn(&contract::records::FileFault) -> &String| {
            wrong
                .iter()
                .take(10)
                .map(|fault| crate::scan::at(&fault.fault.at, text(&fault.fault)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        finding.seen = told(|fault| &fault.problem);
        finding.fix = Some(told(|fault| &fault.fix));
        finding.evidence = wrong.iter().flat_map(|fault| fault.evidence.iter().cloned()).collect();
        out.find(finding);
    }
    for name in torn {
        let about_use: Vec<_> =
            statements.iter().filter(|statement| statement.uses.contains_key(name)).collect();
        let mut finding =
            about(read.look.rules, RULE, &format!("signals_at_odds:{name}"), Severity::Medium);
        finding.title = format!("Rights signals contradict each other about the use “{name}”");
        finding.seen = about_use
            .iter()
            .map(|statement| {
                format!(
                    "{} in {} says {} ({})",
                    statement.mechanism,
                    statement.carrier,
                    statement.uses.get(name).map(String::as_str).unwrap_or_default(),
                    statement.untrusted_raw
                )
            })
            .collect::<Vec<_>>()
            .join("; ")
            + ".";
        finding.fix = Some(
            "Say the same in every place. Headers that a CDN adds by itself are changed in its settings.".to_owned(),
        );
        finding.evidence =
            about_use.iter().flat_map(|statement| statement.evidence.iter().cloned()).collect();
        out.find(finding);
    }
}

fn opted_out(read: &Readings<'_>, out: &mut Verdicts) {
    let unread = read
        .look
        .evidence
        .not_read
        .iter()
        .filter(|unread| unread.why == NotReadWhy::OptOut)
        .count();
    let Some(robots) = read.look.robots.reading.filter(|_| unread > 0) else { return };
    let mut finding = aside("policy", "opted_out", Severity::Info);
    finding.title = "The site asks this scanner to stay away".to_owned();
    finding.seen =
        format!("robots.txt has a group for our own name; {unread} reads were left out.");
    finding.why = "What was not read is not reported, neither as present nor as absent.".to_owned();
    finding.standard = Some("RFC 9309".to_owned());
    finding.evidence = vec![robots.id.clone()];
    out.find(finding);
}
