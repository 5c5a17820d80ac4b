//! What the site declares: its crawl policy, content rights, and machine-readable files.

use contract::records::{
    AccessRule, AccessScope, Check, CheckVerdict, FaultWeight, FileFault, RightsDecision,
    RightsValue, RobotsState, ScanRecord, SignalStatement,
};
use contract::text::record_words::spaced;

use super::page::{Cell, Page};
use crate::output::Tone;

pub(super) fn write_policy(page: &mut Page, record: &ScanRecord, verbose: bool) {
    let policy = &record.policy;
    let robots = &policy.robots;
    page.heading("Declared policy");
    let status = robots.http_status.map(|status| format!(" ({status})")).unwrap_or_default();
    let state = format!("robots.txt: {}{status}. {}", spaced(robots.state.as_str()), robots.why);
    let tone = match robots.state {
        RobotsState::Declared | RobotsState::Absent => None,
        _ => Some(Tone::Warning),
    };
    match tone {
        Some(tone) => page.toned(2, tone, &state),
        None => page.prose(2, &state),
    }
    if !robots.differs_for.is_empty() {
        page.toned(
            2,
            Tone::Warning,
            &format!(
                "These identities get a different robots.txt: {}.",
                robots.differs_for.join(", ")
            ),
        );
    }
    for (agent, seconds) in &robots.crawl_delay {
        page.prose(2, &format!("Crawl-delay for {agent}: {seconds} s."));
    }
    for block in &robots.managed_blocks {
        page.prose(2, &format!("Lines added by a service in front of the site: {block}."));
    }
    write_faults(page, 4, &robots.faults);

    // Only the home page by default; -v shows the other paths.
    let (home, others): (Vec<_>, Vec<_>) =
        policy.access.iter().partition(|rule| verbose || rule.path == "/");
    let rows: Vec<Vec<Cell>> = home.into_iter().map(access_cells).collect();
    page.table(2, &rows);
    if !others.is_empty() {
        page.faint(
            2,
            &format!("{} more rules for other paths; use -v to show them.", others.len()),
        );
    }

    if policy.signals.is_empty() {
        page.prose(2, "No statement about uses of the content.");
    } else {
        page.prose(2, "Uses of the content:");
        let rights = policy.rights.iter();
        let rows: Vec<Vec<Cell>> =
            rights.map(|(name, decision)| rights_cells(name, decision, &policy.signals)).collect();
        page.table(4, &rows);
    }
    if verbose {
        for signal in &policy.signals {
            page.faint(4, &quote_signal(signal));
        }
    }
}

fn access_cells(rule: &AccessRule) -> Vec<Cell> {
    let (tone, word) =
        if rule.allowed { (Tone::Good, "allowed") } else { (Tone::Bad, "disallowed") };
    let because = match (&rule.rule, rule.line) {
        (Some(text), Some(line)) => format!("line {line}: {text}"),
        (None, Some(line)) => format!("line {line}"),
        _ => match rule.scope {
            AccessScope::Named => "no rule in its group matches".to_owned(),
            AccessScope::Everyone => "no rule in the group for * matches".to_owned(),
            _ => "no group applies".to_owned(),
        },
    };
    vec![
        Cell::new(&rule.agent),
        Cell::new(rule.purpose.as_deref().unwrap_or_default()),
        Cell::new(&rule.path),
        Cell::toned(tone, word),
        Cell::toned(Tone::Faint, because),
    ]
}

fn rights_cells(name: &str, decision: &RightsDecision, signals: &[SignalStatement]) -> Vec<Cell> {
    let tone = match decision.value {
        RightsValue::Allowed => Tone::Good,
        RightsValue::Disallowed => Tone::Bad,
        RightsValue::Conditional => Tone::Warning,
        _ => Tone::Faint,
    };
    let at = decision.decided_by.and_then(|at| usize::try_from(at).ok());
    let mut because = match at.and_then(|at| signals.get(at)) {
        Some(signal) => quote_signal(signal),
        None => "no statement".to_owned(),
    };
    if decision.conflicts > 0 {
        because.push_str(&format!("; {} other statements disagree", decision.conflicts));
    }
    if !decision.doubts.is_empty() {
        let doubts: Vec<String> = decision.doubts.iter().map(|doubt| spaced(doubt)).collect();
        because.push_str(&format!("; doubts: {}", doubts.join(", ")));
    }
    vec![
        Cell::new(spaced(name)),
        Cell::toned(tone, decision.value.as_str()),
        Cell::toned(Tone::Faint, because),
    ]
}

/// `Content-Signal: ai-train=no (content signal, robots txt, line 2)`.
fn quote_signal(signal: &SignalStatement) -> String {
    let line = signal.line.map(|line| format!(", line {line}")).unwrap_or_default();
    let (mechanism, carrier) = (spaced(&signal.mechanism), spaced(&signal.carrier));
    let note = signal.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    format!("{} ({mechanism}, {carrier}{line}{note})", signal.untrusted_raw)
}

pub(super) fn write_machine_files(page: &mut Page, record: &ScanRecord) {
    page.heading("Machine files");
    let unneeded = |check: &&Check| {
        check.verdict == CheckVerdict::Absent && check.optional && check.why.is_none()
    };
    let (absent, shown): (Vec<_>, Vec<_>) = record.checks.iter().partition(unneeded);
    let rows: Vec<Vec<Cell>> = shown.into_iter().map(file_cells).collect();
    page.table(2, &rows);
    if !absent.is_empty() {
        let paths: Vec<&str> = absent.iter().map(|check| check.path.as_str()).collect();
        let text = format!("Not found (optional): {}.", paths.join(", "));
        page.faint(2, &text);
    }
    for check in record.checks.iter().filter(|check| !check.faults.is_empty()) {
        page.prose(2, &format!("Problems in {}:", check.path));
        write_faults(page, 4, &check.faults);
    }
}

fn file_cells(check: &Check) -> Vec<Cell> {
    let tone = match check.verdict {
        CheckVerdict::Ok => Tone::Good,
        CheckVerdict::Invalid => Tone::Bad,
        _ => Tone::Warning,
    };
    let notes: Vec<&str> =
        [check.summary.as_deref(), check.why.as_deref()].into_iter().flatten().collect();
    vec![
        Cell::new(&check.path),
        Cell::new(check.status.map_or("-".to_owned(), |status| status.to_string())),
        Cell::toned(tone, spaced(check.verdict.as_str())),
        Cell::toned(Tone::Faint, notes.join(" ")),
    ]
}

fn write_faults(page: &mut Page, indent: usize, faults: &[FileFault]) {
    for fault in faults {
        let tone = match fault.weight {
            FaultWeight::Error => Tone::Bad,
            FaultWeight::Warning => Tone::Warning,
            _ => Tone::Faint,
        };
        let at = if fault.at.is_empty() { String::new() } else { format!(" at {}", fault.at) };
        page.toned(indent, tone, &format!("{}{at}: {}", fault.weight, fault.problem));
        if !fault.fix.is_empty() {
            page.labelled(indent + 2, "fix", &fault.fix);
        }
    }
}
