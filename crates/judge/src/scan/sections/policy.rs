//! What robots.txt and the rights signals say, and whether the server acts accordingly.

use contract::evidence::SkipReason;
use contract::records::{AccessRule, FaultWeight, RightsValue, RobotsState, Severity};

use super::inputs::SectionInputs;
use crate::scan::agent_rows::{is_ai, is_measured};
use crate::scan::convert::{saturating_u32, with_location};
use crate::scan::verdicts::{RuleOutcome, Verdicts, finding_for_rule, unscored_finding};

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    judge_openness(inputs, verdicts);
    judge_readability(inputs, verdicts);
    judge_validity(inputs, verdicts);
    judge_consistency(inputs, verdicts);
    judge_signals(inputs, verdicts);
    report_forbidden_uses(inputs, verdicts);
    report_absent(inputs, verdicts);
    report_opt_out(inputs, verdicts);
}

/// Uses that decide whether an agent may read or cite the page, with what the owner forbids or makes
/// conditional.
const DECIDING_USES: [(&str, &str); 2] =
    [("ground", "generating answers from its content"), ("cite", "citing it")];

/// Reports rights signals that forbid or condition what agents do with the page. The owner may want
/// this; it still means that agents must not use the page.
fn report_forbidden_uses(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    for (name, what) in DECIDING_USES {
        let Some(decision) = inputs.policy.rights.get(name) else { continue };
        let statement =
            decision.decided_by.and_then(|at| inputs.policy.signals.get(usize::try_from(at).ok()?));
        let Some(statement) = statement else { continue };
        let (id, severity, title) = match decision.value {
            RightsValue::Disallowed => {
                ("use_forbidden", Severity::High, format!("The site forbids {what}"))
            }
            RightsValue::Conditional => {
                ("use_conditional", Severity::Info, format!("The site sets conditions for {what}"))
            }
            _ => continue,
        };
        if decision.value == RightsValue::Disallowed {
            verdicts.add_cap(
                "use_forbidden",
                format!(
                    "A rights signal of the site forbids {what}, so agents that obey it leave."
                ),
            );
        }
        let mut finding = unscored_finding("policy", &format!("{id}:{name}"), severity);
        finding.title = title;
        finding.seen = format!(
            "{} in {}: {}",
            statement.mechanism, statement.carrier, statement.untrusted_raw
        );
        finding.why = "Agents that respect the signal do not use the page in this way. The decisions of this service \
                       follow it."
            .to_owned();
        finding.fix = Some(
            "If this is intended, you need not change anything. If not, remove the signal; if your CDN adds it, change \
             it in the CDN's settings."
                .to_owned(),
        );
        finding.evidence = statement.evidence.clone();
        verdicts.add_finding(finding);
    }
}

/// Reports that there is no robots.txt: nothing is forbidden, and nothing is permitted either, which
/// makes careful agents hesitate.
fn report_absent(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let robots = &inputs.policy.robots;
    if robots.state != RobotsState::Absent || robots.evidence.is_empty() {
        return;
    }
    let mut finding = unscored_finding("policy", "no_robots", Severity::Info);
    finding.title = "The site has no robots.txt".to_owned();
    finding.seen = robots.why.clone();
    finding.why = "Without a robots.txt nothing is forbidden, but nothing is permitted explicitly either. Agents that \
                   ask for a permission get a warning."
        .to_owned();
    finding.fix = Some("Publish a robots.txt that says what you allow.".to_owned());
    finding.paste = Some("User-agent: *\nAllow: /\n".to_owned());
    finding.standard = Some("RFC 9309".to_owned());
    finding.evidence = robots.evidence.clone();
    verdicts.add_finding(finding);
}

/// Each purpose with its weight in the rule for openness, and by how many points the cap falls if
/// robots.txt closes the page to all its crawlers.
const PURPOSES: [(&str, u32, f64); 3] =
    [("training", 1, 3.0), ("search", 2, 15.0), ("user", 2, 22.0)];
/// Shares are counted in thousandths.
const SCALE: u32 = 1_000;

/// By how many points the cap falls for the crawlers that robots.txt disallows.
pub(super) fn closed_points(access: &[AccessRule]) -> f64 {
    let of_purpose = |(purpose, _, points): &(&str, u32, f64)| {
        let own: Vec<&AccessRule> =
            access.iter().filter(|rule| rule.purpose.as_deref() == Some(purpose)).collect();
        let closed = own.iter().filter(|rule| !rule.allowed).count();
        points * closed as f64 / own.len().max(1) as f64
    };
    PURPOSES.iter().map(of_purpose).sum()
}

/// The share of AI crawlers that robots.txt allows, by purpose.
fn judge_openness(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "policy.open";
    let robots = &inputs.policy.robots;
    if !inputs.parsed.robots.is_definite() {
        return verdicts.add_not_assessed(RULE, robots.why.clone());
    }
    let agents: Vec<&AccessRule> =
        inputs.policy.access.iter().filter(|rule| rule.purpose.is_some()).collect();
    if agents.is_empty() {
        // No file: everything is allowed.
        return verdicts.add_passed(
            RULE,
            "There is no robots.txt, so all crawlers are allowed.",
            robots.evidence.clone(),
        );
    }
    let closed: Vec<&AccessRule> = agents.iter().copied().filter(|rule| !rule.allowed).collect();
    let open = agents.len() - closed.len();
    // Each purpose counts by what closing it costs users, not by how many crawlers it has.
    let (mut got, mut of) = (0, 0);
    for (purpose, weight, _) in PURPOSES {
        let own: Vec<&&AccessRule> =
            agents.iter().filter(|rule| rule.purpose.as_deref() == Some(purpose)).collect();
        if own.is_empty() {
            continue;
        }
        let closed = own.iter().filter(|rule| !rule.allowed).count();
        got += weight * SCALE * saturating_u32(own.len() - closed) / saturating_u32(own.len());
        of += weight * SCALE;
    }
    verdicts.add_ruling(
        RULE,
        RuleOutcome::Share { got, of },
        format!(
            "robots.txt allows {open} of {} AI crawlers to read the home page. Closing it to training costs users \
             least; closing it to search and to user agents costs them answers.",
            agents.len()
        ),
        robots.evidence.clone(),
    );
    if closed.is_empty() {
        return;
    }
    verdicts.add_cap_at(
        "declared_closed",
        (100.0 - closed_points(&inputs.policy.access)).round() as u32,
        format!(
            "robots.txt disallows the home page for {} of {} AI crawlers tested. Crawlers that obey it stay away.",
            closed.len(),
            agents.len()
        ),
    );
    let mut finding = finding_for_rule(
        inputs.parsed.rules,
        RULE,
        "declared_closed",
        match open {
            0 => Severity::High,
            _ if closed.iter().all(|rule| rule.purpose.as_deref() == Some("training")) => {
                Severity::Info
            }
            _ => Severity::Medium,
        },
    );
    finding.title = if open == 0 {
        "robots.txt disallows all AI crawlers".to_owned()
    } else {
        "robots.txt disallows some AI crawlers".to_owned()
    };
    finding.seen = format!(
        "Disallowed from the home page: {}.",
        closed.iter().map(|rule| describe_rule(rule)).collect::<Vec<_>>().join("; ")
    );
    if !robots.managed_blocks.is_empty() {
        finding.seen.push_str(&format!(
            " Some lines were added by a service, not by you: {}.",
            robots.managed_blocks.join(", ")
        ));
    }
    finding.fix = Some(
        "If this is intended, you need not change anything. If not, remove these lines, or allow single crawlers \
         with groups of their own. If your CDN added the lines, switch them off in its settings."
            .to_owned(),
    );
    finding.paste = Some(
        closed.iter().map(|rule| format!("User-agent: {}\n", rule.agent)).collect::<String>()
            + "Allow: /\n",
    );
    finding.evidence = robots.evidence.clone();
    verdicts.add_finding(finding);
}

fn describe_rule(rule: &AccessRule) -> String {
    match (rule.line, &rule.rule) {
        (Some(line), Some(text)) => format!("{} (line {line}: {text})", rule.agent),
        (Some(line), None) => format!("{} (line {line})", rule.agent),
        _ => rule.agent.clone(),
    }
}

fn judge_readability(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "policy.robots_readable";
    let robots = &inputs.policy.robots;
    let evidence = robots.evidence.clone();
    match robots.state {
        RobotsState::Declared | RobotsState::Absent => {
            return verdicts.add_passed(RULE, robots.why.clone(), evidence);
        }
        // A network failure shows nothing about the site.
        RobotsState::NotRead => return verdicts.add_not_assessed(RULE, robots.why.clone()),
        RobotsState::Unreachable if robots.http_status.is_none() => {
            return verdicts.add_not_assessed(RULE, robots.why.clone());
        }
        _ => {}
    }
    verdicts.add_failed(RULE, robots.why.clone(), evidence.clone());
    // RFC 9309 demands a full disallow only for server errors, not for 429.
    if robots.http_status.is_some_and(|status| (500..600).contains(&status)) {
        verdicts.add_cap("policy_unreadable", robots.why.clone());
    }
    let mut finding =
        finding_for_rule(inputs.parsed.rules, RULE, "robots_unreadable", Severity::Medium);
    finding.title = match robots.state {
        RobotsState::Refused => "robots.txt is blocked",
        RobotsState::Unreachable => "robots.txt cannot be read",
        _ => "robots.txt is not a valid policy file",
    }
    .to_owned();
    finding.seen = robots.why.clone();
    finding.fix = Some(
        "Serve /robots.txt to all clients as text/plain in UTF-8, and exempt it from bot rules and challenges. If you \
         have no robots.txt, answer 404."
            .to_owned(),
    );
    finding.paste = Some("User-agent: *\nAllow: /\n".to_owned());
    finding.evidence = evidence;
    verdicts.add_finding(finding);
}

fn judge_validity(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "policy.robots_valid";
    let robots = &inputs.policy.robots;
    if robots.state != RobotsState::Declared {
        return verdicts.add_not_applicable(RULE, "There is no readable robots.txt.");
    }
    let evidence: Vec<String> = robots.evidence.iter().take(1).cloned().collect();
    let wrong: Vec<_> =
        robots.faults.iter().filter(|fault| fault.weight != FaultWeight::Note).collect();
    if wrong.is_empty() {
        return verdicts.add_passed(RULE, "All lines are valid.", evidence);
    }
    let severe = wrong.iter().any(|fault| fault.weight == FaultWeight::Error);
    verdicts.add_ruling(
        RULE,
        RuleOutcome::Share { got: u32::from(!severe), of: 2 },
        format!("{} lines are ignored or misread by crawlers.", wrong.len()),
        evidence.clone(),
    );
    let mut finding = finding_for_rule(
        inputs.parsed.rules,
        RULE,
        "robots_faults",
        if severe { Severity::Medium } else { Severity::Low },
    );
    finding.title = "robots.txt has lines that crawlers ignore or misread".to_owned();
    finding.seen = wrong
        .iter()
        .take(10)
        .map(|fault| with_location(&fault.at, &fault.problem))
        .collect::<Vec<_>>()
        .join(" ");
    finding.fix = Some(
        wrong
            .iter()
            .take(10)
            .map(|fault| with_location(&fault.at, &fault.fix))
            .collect::<Vec<_>>()
            .join(" "),
    );
    finding.evidence = evidence;
    verdicts.add_finding(finding);
}

fn judge_consistency(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "policy.consistent";
    let robots = &inputs.policy.robots;
    match robots.state {
        RobotsState::Declared => {}
        RobotsState::Absent => {
            return verdicts.add_not_applicable(RULE, "There is no robots.txt to compare with.");
        }
        _ => return verdicts.add_not_assessed(RULE, robots.why.clone()),
    }
    let measured: Vec<_> =
        inputs.view.rows.iter().filter(|row| is_ai(row) && is_measured(row)).collect();
    if measured.is_empty() {
        return verdicts.add_not_assessed(RULE, "No AI crawler received an answer.");
    }
    let conflicts = &inputs.view.conflicts;
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
            "The server follows robots.txt, which is the same for every client.".to_owned()
        }
        (_, true) => format!(
            "robots.txt depends on the client. These clients get a different file or none: {}.",
            robots.differs_for.join(", ")
        ),
        (false, _) => format!(
            "For {} of {} AI crawlers the server does not follow robots.txt.",
            conflicts.len(),
            measured.len()
        ),
    };
    verdicts.add_ruling(
        RULE,
        RuleOutcome::Share { got: saturating_u32(got), of: saturating_u32(measured.len()) },
        why.clone(),
        evidence.clone(),
    );
    if differs {
        let mut finding =
            finding_for_rule(inputs.parsed.rules, RULE, "robots_by_reader", Severity::Medium);
        finding.title = "robots.txt differs between clients".to_owned();
        finding.seen = why;
        finding.fix = Some(
            "Serve the same robots.txt to all clients. Use groups in the file to address single crawlers.".to_owned(),
        );
        finding.evidence = robots.evidence.clone();
        verdicts.add_finding(finding);
    }
    if !conflicts.is_empty() {
        let allowed_but_blocked =
            conflicts.iter().any(|conflict| conflict.declared.starts_with("allowed"));
        let mut finding = finding_for_rule(
            inputs.parsed.rules,
            RULE,
            "declared_and_served",
            if allowed_but_blocked { Severity::Medium } else { Severity::Low },
        );
        finding.title = if allowed_but_blocked {
            "robots.txt allows crawlers that the server blocks".to_owned()
        } else {
            "The server serves crawlers that robots.txt disallows".to_owned()
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
            if allowed_but_blocked {
                "Allow these crawlers in your CDN or web server. If you want to block them, also disallow them in \
                 robots.txt, so that they know before they send requests."
            } else {
                "robots.txt does not enforce anything. If these crawlers must not read the page, also block them in \
                 your CDN or web server. If they may read it, allow them in robots.txt."
            }
            .to_owned(),
        );
        finding.evidence = evidence;
        verdicts.add_finding(finding);
    }
}

fn judge_signals(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "policy.signals";
    let (statements, faults) = (&inputs.policy.signals, &inputs.policy.signal_faults);
    if statements.is_empty() && faults.is_empty() {
        return verdicts.add_not_applicable(RULE, "The site has no rights signals.");
    }
    let contradicted: Vec<&String> = inputs
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
    if contradicted.is_empty() && wrong.is_empty() {
        return verdicts.add_passed(
            RULE,
            format!("{} rights signals, none malformed, no contradictions.", statements.len()),
            evidence,
        );
    }
    verdicts.add_failed(
        RULE,
        format!(
            "{} rights signals are malformed. Signals contradict each other about {} uses.",
            wrong.len(),
            contradicted.len()
        ),
        evidence,
    );
    if !wrong.is_empty() {
        let mut finding =
            finding_for_rule(inputs.parsed.rules, RULE, "signal_faults", Severity::Low);
        finding.title = "Rights signals are malformed".to_owned();
        let join_faults = |text: fn(&contract::records::FileFault) -> &String| {
            wrong
                .iter()
                .take(10)
                .map(|fault| with_location(&fault.fault.at, text(&fault.fault)))
                .collect::<Vec<_>>()
                .join(" ")
        };
        finding.seen = join_faults(|fault| &fault.problem);
        finding.fix = Some(join_faults(|fault| &fault.fix));
        finding.evidence = wrong.iter().flat_map(|fault| fault.evidence.iter().cloned()).collect();
        verdicts.add_finding(finding);
    }
    for name in contradicted {
        let about_use: Vec<_> =
            statements.iter().filter(|statement| statement.uses.contains_key(name)).collect();
        let mut finding = finding_for_rule(
            inputs.parsed.rules,
            RULE,
            &format!("signals_at_odds:{name}"),
            Severity::Medium,
        );
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
            "State the same in every place. If your CDN adds the header, change it in the CDN's settings.".to_owned(),
        );
        finding.evidence =
            about_use.iter().flat_map(|statement| statement.evidence.iter().cloned()).collect();
        verdicts.add_finding(finding);
    }
}

fn report_opt_out(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let unread = inputs
        .parsed
        .evidence
        .not_read
        .iter()
        .filter(|unread| unread.why == SkipReason::OptOut)
        .count();
    let Some(robots) = inputs.parsed.robots.reading.filter(|_| unread > 0) else { return };
    let mut finding = unscored_finding("policy", "opted_out", Severity::Info);
    finding.title = "The site asks this scanner not to read it".to_owned();
    finding.seen =
        format!("robots.txt has a group for our user agent, so {unread} requests were not sent.");
    finding.why =
        "Files and pages that were not read are reported neither as present nor as absent."
            .to_owned();
    finding.standard = Some("RFC 9309".to_owned());
    finding.evidence = vec![robots.id.clone()];
    verdicts.add_finding(finding);
}
