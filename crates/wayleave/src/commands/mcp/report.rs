//! Scans and lock checks of MCP servers, for people.

use contract::records::{
    Decision, McpFinding, McpItem, McpLockCheck, McpRuleState, McpScan, McpTier,
};
use contract::text::record_words::spaced;

use crate::output::{
    Tone, colour_for_terminal, format_table, print_line, sanitize_for_terminal as safe,
};

pub(super) fn print_scan(scan: &McpScan) {
    let name = scan.url.as_deref().or(scan.server.untrusted_name.as_deref()).unwrap_or("server");
    let surface = &scan.surface;
    print_line(&format!(
        "{}: {}, {}, {}, {}, {}",
        colour_for_terminal(Tone::Strong, &safe(name)),
        safe(&spaced(scan.state.as_str())),
        counted(surface.tools, "tool"),
        counted(surface.prompts, "prompt"),
        counted(surface.resources, "resource"),
        counted(surface.resource_templates, "resource template"),
    ));
    print_line("\nFindings");
    if scan.findings.is_empty() {
        print_line("  none");
    }
    for finding in &scan.findings {
        print_finding(finding);
    }
    if scan.findings_left_out > 0 {
        print_line(&format!("  and {} more that are not listed", scan.findings_left_out));
    }
    print_rules(scan);
    print_line(&format!(
        "\nConnect: {}. {}",
        paint_decision(&scan.connect.decision),
        safe(&scan.connect.why)
    ));
}

fn print_rules(scan: &McpScan) {
    print_line("\nRules");
    if scan.checks.iter().all(|check| check.state == McpRuleState::NotMeasured) {
        print_line(&format!("  none of {} could be applied", scan.checks.len()));
        return;
    }
    let rows: Vec<Vec<String>> = scan
        .checks
        .iter()
        .map(|check| {
            let why = check.why.as_deref().unwrap_or_default();
            let cells = [check.rule.as_str(), check.tier.as_str(), check.state.as_str(), why];
            std::iter::once(String::new()).chain(cells.map(safe)).collect()
        })
        .collect();
    print_line(format_table(&rows).trim_end());
}

fn counted(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn print_finding(finding: &McpFinding) {
    let tone = if finding.tier == McpTier::Soft { Tone::Warning } else { Tone::Bad };
    let label = format!("[{}, {}]", safe(finding.tier.as_str()), safe(finding.severity.as_str()));
    print_line(&format!(
        "  {} {} {}: {}",
        colour_for_terminal(tone, &label),
        place(&finding.location.item, finding.location.name.as_deref()),
        safe(&finding.location.pointer),
        safe(&finding.rule),
    ));
    print_line(&format!("      {}", safe(&finding.why)));
    if !finding.untrusted_excerpt.is_empty() {
        print_line(&format!("      The server wrote: {}", safe(&finding.untrusted_excerpt)));
    }
    if let Some(decoded) = &finding.untrusted_decoded {
        print_line(&format!("      Decoded: {}", safe(decoded)));
    }
}

pub(super) fn print_check(check: &McpLockCheck) {
    print_line(&format!(
        "{}: {}",
        colour_for_terminal(Tone::Strong, &safe(&spaced(check.state.as_str()))),
        safe(&check.why)
    ));
    for drift in &check.drift {
        let mut line = format!(
            "[{}] {}: {}",
            safe(drift.level.as_str()),
            place(&drift.item, drift.name.as_deref()),
            safe(&spaced(drift.change.as_str())),
        );
        if let Some(from) = &drift.renamed_from {
            line.push_str(&format!(" from {}", safe(from)));
        }
        if !drift.fields.is_empty() {
            line.push_str(&format!(" (fields: {})", safe(&drift.fields.join(", "))));
        }
        if drift.breaking {
            line.push_str(", callers may fail");
        }
        print_line(&line);
    }
    if !check.new_findings.is_empty() {
        print_line("\nFindings in changed items");
        for finding in &check.new_findings {
            print_finding(finding);
        }
    }
    print_line(&format!("Connect: {}", paint_decision(&check.connect)));
}

fn paint_decision(decision: &Decision) -> String {
    let tone = match decision {
        Decision::Allow => Tone::Good,
        Decision::Warn | Decision::RequireConfirmation => Tone::Warning,
        _ => Tone::Bad,
    };
    colour_for_terminal(tone, &safe(decision.as_str()))
}

/// `tool search`, or `instructions` for what has no name.
fn place(item: &McpItem, name: Option<&str>) -> String {
    let item = safe(&spaced(item.as_str()));
    name.map_or_else(|| item.clone(), |name| format!("{item} {}", safe(name)))
}
