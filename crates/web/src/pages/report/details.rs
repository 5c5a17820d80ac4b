//! The details of a report page: the score ledger, the site's policy, the errors in its files.

use contract::records::{Check, LedgerState, PolicyReading, ScoreLedger};
use contract::text::record_words::{describe_access_scope, spaced};

use super::table::render_cell;
use crate::pages::html::Html;

pub(super) fn render_ledger(main: &mut Html, ledger: &ScoreLedger) {
    if ledger.rows.is_empty() {
        return;
    }
    main.raw(
        "<h2>Score by rule</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>Rule</th>\
         <th>Section</th><th>State</th><th>Points</th><th>Of</th><th>Why</th></tr></thead>\n\
         <tbody>\n",
    );
    for row in &ledger.rows {
        main.raw("<tr><td>").text(&row.title).raw("</td><td>").text(&row.section);
        main.raw("</td><td class=\"")
            .raw(state_class(&row.state))
            .raw("\">")
            .text(spaced(row.state.as_str()));
        main.raw("</td>");
        render_cell(main, row.points);
        main.raw("<td>").text(row.of).raw("</td><td>").text(&row.why).raw("</td></tr>\n");
    }
    main.raw("</tbody></table></div>\n<p class=\"soft\">").text(&ledger.method).raw("</p>\n");
}

pub(super) fn render_policy(main: &mut Html, policy: &PolicyReading) {
    main.raw("<h2>What the site declares</h2>\n<p>robots.txt: ")
        .text(spaced(policy.robots.state.as_str()));
    main.raw(" <span class=\"soft\">").text(&policy.robots.why).raw("</span></p>\n");
    if !policy.access.is_empty() {
        main.raw(
            "<div class=\"wide\"><table>\n<thead><tr><th>Agent</th><th>Purpose</th><th>Path</th>\
             <th>robots.txt</th><th>By</th><th>Line</th><th>Rule</th></tr></thead>\n<tbody>\n",
        );
        for rule in &policy.access {
            main.raw("<tr><td>").text(&rule.agent).raw("</td>");
            render_cell(main, rule.purpose.as_deref());
            main.raw("<td><code>").text(&rule.path).raw("</code></td><td>");
            main.raw(if rule.allowed { "allows" } else { "disallows" }).raw("</td><td>");
            main.text(describe_access_scope(&rule.scope)).raw("</td>");
            render_cell(main, rule.line);
            render_cell(main, rule.rule.as_deref());
            main.raw("</tr>\n");
        }
        main.raw("</tbody></table></div>\n");
    }
    if !policy.rights.is_empty() {
        main.raw("<ul>\n");
        for (usage, decision) in &policy.rights {
            main.raw("<li>").text(usage).raw(": ").text(&decision.value);
            let place = decision.decided_by.and_then(|at| usize::try_from(at).ok());
            if let Some(signal) = place.and_then(|at| policy.signals.get(at)) {
                main.raw(" <span class=\"soft\">by ").text(spaced(&signal.mechanism)).raw(", ");
                main.text(spaced(&signal.carrier))
                    .raw(":</span> <code>")
                    .text(&signal.untrusted_raw);
                main.raw("</code>");
            }
            main.raw("</li>\n");
        }
        main.raw("</ul>\n");
    }
}

/// The errors in the site's files, and how to fix them.
pub(super) fn render_faults(main: &mut Html, checks: &[Check]) {
    if checks.iter().all(|check| check.faults.is_empty()) {
        return;
    }
    main.raw("<h2>Errors in files</h2>\n");
    for check in checks.iter().filter(|check| !check.faults.is_empty()) {
        main.raw("<h3><code>").text(&check.path).raw("</code></h3>\n<ul>\n");
        for fault in &check.faults {
            main.raw("<li>").text(&fault.weight).raw(": ").text(&fault.problem);
            if !fault.at.is_empty() {
                main.raw(" (<code>").text(&fault.at).raw("</code>)");
            }
            main.raw(" <span class=\"soft\">").text(&fault.fix).raw("</span></li>\n");
        }
        main.raw("</ul>\n");
    }
}

fn state_class(state: &LedgerState) -> &'static str {
    match state {
        LedgerState::Passed => "ok",
        LedgerState::Failed => "no",
        _ => "maybe",
    }
}
