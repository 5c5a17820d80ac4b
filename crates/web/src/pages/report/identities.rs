//! What each identity received for the home page, whether that fits the declared policy, and what the
//! outcomes mean.

use contract::records::{AccessConflict, AgentRow, AgentView, Role, RowCause, TextVariation};
use contract::text::record_words::{
    Explanation, describe_comparison, describe_stand_in, explain_outcome, explain_variation,
};

use super::table::{capitalise, render_cell};
use crate::pages::html::Html;

pub(super) fn render_identities(main: &mut Html, view: &AgentView) {
    main.raw(
        "<h2>What each identity received</h2>\n<div class=\"wide\"><table class=\"identities\">\n<thead><tr>\
         <th>Identity</th><th>Outcome</th><th>Status</th><th>Words</th>\
         <th>Text</th></tr></thead>\n<tbody>\n",
    );
    for row in &view.rows {
        render_row(main, row);
    }
    main.raw("</tbody></table></div>\n");
    if !view.aimed_at_why.is_empty() {
        main.raw("<p>").text(&view.aimed_at_why).raw("</p>\n");
    }
    if !view.vendors_present.is_empty() {
        main.raw("<p class=\"soft\">Services detected in front of the site: ");
        main.text(view.vendors_present.join(", ")).raw(".</p>\n");
    }
    render_explanations(main, &view.rows);
    render_variation(main, view);
    render_conflicts(main, &view.conflicts);
}

fn render_row(main: &mut Html, row: &AgentRow) {
    let outcome = explain_outcome(&row.cause, row.blocker.as_deref());
    main.raw("<tr><td>").text(&row.label).raw("</td><td class=\"");
    main.raw(cause_class(&row.cause)).raw("\">").text(capitalise(&outcome.label));
    let (blocker, vendor) = (row.blocker.as_deref(), row.vendor.as_deref());
    let instead = describe_stand_in(&row.cause, blocker, vendor);
    let price = row.price.as_ref().map(|price| format!("price {price}"));
    let failure = row.error.as_ref().map(|failure| failure.detail.clone());
    let details: Vec<String> = [instead, price, failure].into_iter().flatten().collect();
    if !details.is_empty() {
        main.raw(" <span class=\"soft\">(").text(details.join("; ")).raw(")</span>");
    }
    main.raw("</td>");
    render_cell(main, row.status);
    render_cell(main, row.words);
    render_cell(main, compare_with_browser(row));
    main.raw("</tr>\n");
}

/// The browser is what the others are compared with.
fn compare_with_browser(row: &AgentRow) -> Option<String> {
    let compared = row.role != Role::Browser && row.cause == RowCause::Served;
    let words = describe_comparison(&row.equivalence, row.similarity).filter(|_| compared)?;
    Some(capitalise(&words))
}

/// Each outcome of these rows except a delivered page: what it means and what the owner can do.
fn render_explanations(main: &mut Html, rows: &[AgentRow]) {
    let mut outcomes: Vec<(Explanation, Vec<&AgentRow>)> = Vec::new();
    for row in rows.iter().filter(|row| row.cause != RowCause::Served) {
        let outcome = explain_outcome(&row.cause, row.blocker.as_deref());
        match outcomes.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, with)) => with.push(row),
            None => outcomes.push((outcome, vec![row])),
        }
    }
    if outcomes.is_empty() {
        return;
    }
    main.raw("<h3>What these outcomes mean</h3>\n<dl>\n");
    for (outcome, with) in outcomes {
        main.raw("<dt>").text(capitalise(&outcome.label)).raw("</dt><dd>").text(outcome.meaning);
        if let Some(marks) =
            with.iter().map(|row| &row.blocker_marks).find(|marks| !marks.is_empty())
        {
            main.raw(" <span class=\"soft\">Signs: ").text(marks.join("; ")).raw(".</span>");
        }
        if let Some(advice) = outcome.advice {
            main.raw("<br><b>What to do:</b> ").text(advice);
        }
        main.raw("</dd>\n");
    }
    main.raw("</dl>\n");
}

fn render_variation(main: &mut Html, view: &AgentView) {
    let words = explain_variation(&view.variation);
    main.raw("<h3>Does everyone get the same text?</h3>\n<p><b class=\"");
    main.raw(variation_class(&view.variation)).raw("\">").text(capitalise(&words.label));
    main.raw(".</b> ");
    match view.variation_why.as_str() {
        "" => main.text(words.meaning),
        why => main.text(why),
    };
    if let Some(advice) = words.advice {
        main.raw(" <b>What to do:</b> ").text(advice);
    }
    main.raw("</p>\n");
    if let Some(share) = view.self_similarity.filter(|_| view.deterministic == Some(false)) {
        main.raw("<p>Two requests by the same browser got texts that are ");
        main.text(format_args!("{:.0}", share.get() * 100.0)).raw(" % alike.</p>\n");
    }
    if let Some(trial) = &view.trial {
        main.raw("<p class=\"soft\">Trial in random order: ").text(trial.reference_reads);
        main.raw(" reads as browser and control client, ").text(trial.suspect_reads);
        main.raw(" as the identities in question. Chance of a false alarm: at most ");
        main.text(format_args!("{:.2}", trial.false_alarm_rate.get() * 100.0)).raw(" %. ");
        match trial.follows_identity.as_slice() {
            [] => main.raw("No difference follows the identity."),
            respects => main.raw("Follows the identity: ").text(respects.join(", ")).raw("."),
        };
        main.raw("</p>\n");
    }
}

/// What robots.txt says and the server does not do, once for all identities it applies to.
fn render_conflicts(main: &mut Html, conflicts: &[AccessConflict]) {
    if conflicts.is_empty() {
        return;
    }
    let mut grouped: Vec<(&AccessConflict, Vec<&str>)> = Vec::new();
    for conflict in conflicts {
        let same = |other: &AccessConflict| {
            (&other.declared, &other.served, &other.why)
                == (&conflict.declared, &conflict.served, &conflict.why)
        };
        match grouped.iter_mut().find(|(first, _)| same(first)) {
            Some((_, who)) => who.push(&conflict.identity),
            None => grouped.push((conflict, vec![&conflict.identity])),
        }
    }
    main.raw("<h3>Where the server does something else than robots.txt says</h3>\n<ul>\n");
    for (conflict, who) in grouped {
        main.raw("<li>").text(who.join(", ")).raw(": ").text(&conflict.declared);
        main.raw(", but ").text(&conflict.served).raw(". <span class=\"soft\">");
        main.text(&conflict.why).raw("</span></li>\n");
    }
    main.raw("</ul>\n");
}

pub(super) fn cause_class(cause: &RowCause) -> &'static str {
    match cause {
        RowCause::Served => "ok",
        RowCause::Refused
        | RowCause::Challenge
        | RowCause::PaymentRequired
        | RowCause::Gated
        | RowCause::Empty
        | RowCause::Stalled => "no",
        _ => "maybe",
    }
}

fn variation_class(variation: &TextVariation) -> &'static str {
    match variation {
        TextVariation::Same => "ok",
        TextVariation::FollowsIdentity => "no",
        _ => "maybe",
    }
}
