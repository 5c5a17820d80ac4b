//! The page about daily seals, with the commands to check one.

use contract::records::{AnchorState, ProofIndexDay, SealAnchor};
use service::SealIndexPage;

use super::{html::Html, layout};

pub(crate) fn render(base_url: &str, page: &SealIndexPage) -> String {
    let mut main = Html::new();
    main.raw(
        "<h1>Daily seals</h1>\n\
         <p>Every report is signed. A signature proves who made the report, but not when. So after \
         each UTC day, from 00:05 on, we put the digests of the day's public and unlisted reports \
         into one hash tree. A signed statement contains the tree's root and the digest of the \
         previous day's statement. We send the statement's digest to public timestamp calendars \
         (OpenTimestamps), which anchor it in a block of the Bitcoin chain. From then on, anybody \
         can detect a report of that day that was changed, added or removed, even by this \
         service.</p>\n\
         <p class=\"soft\">A seal proves that a record existed before a block was made. It does \
         not prove that the record is correct, nor that every reading was recorded. Private reports \
         are not sealed.</p>\n",
    );
    render_days(&mut main, page);
    render_anchor_states(&mut main);
    render_commands(&mut main, base_url, page.days.first());
    layout::page("Daily seals", &main)
}

fn render_days(main: &mut Html, page: &SealIndexPage) {
    main.raw("<h2>Sealed days</h2>\n");
    if page.days.is_empty() {
        main.raw(
            "<p>No day is sealed yet. The first seal is made after the UTC day of the first \
             report has ended.</p>\n",
        );
        return;
    }
    main.raw(
        "<div class=\"wide\"><table>\n<thead><tr><th>Day</th><th>Records</th><th>Anchors</th>\
         <th>Files</th><th>Digest of the seal</th></tr></thead>\n<tbody>\n",
    );
    for day in &page.days {
        main.raw("<tr><td>").text(day.day).raw("</td><td>").text(day.leaves).raw("</td><td>");
        for anchor in &day.anchors {
            self::render_anchor(main, anchor);
        }
        if day.anchors.is_empty() {
            main.raw("none");
        }
        main.raw("</td><td><a href=\"/proof/").text(day.day).raw(".json\">statement</a>");
        if day.anchors.iter().any(|anchor| anchor.proof.is_some()) {
            main.raw(" <a href=\"/proof/").text(day.day).raw(".ots\">timestamps</a>");
        }
        main.raw("</td><td><code>").text(&day.seal_sha256).raw("</code></td></tr>\n");
    }
    main.raw("</tbody>\n</table></div>\n");
    if let Some(before) = page.cursor {
        main.raw("<p><a href=\"/proof?before=").text(before).raw("\">Earlier days</a></p>\n");
    }
}

fn render_anchor(main: &mut Html, anchor: &SealAnchor) {
    match anchor.state {
        AnchorState::Confirmed => main.raw("<span class=\"ok\">"),
        AnchorState::Failed => main.raw("<span class=\"no\">"),
        _ => main.raw("<span class=\"maybe\">"),
    };
    main.text(&anchor.state).raw("</span>");
    if let Some(height) = anchor.detail.block_height {
        main.raw(", block ").text(height);
    }
    main.raw(" <span class=\"soft\">").text(&anchor.calendar);
    if let Some(why) = &anchor.detail.why {
        main.raw(": ").text(why);
    }
    main.raw("</span><br>\n");
}

fn render_anchor_states(main: &mut Html) {
    main.raw(
        "<h2>What the states mean</h2>\n<dl>\n\
         <dt>waiting</dt><dd>The calendar has not answered yet. We ask it again.</dd>\n\
         <dt>pending</dt><dd>The calendar has accepted the seal. It is not in a block yet.</dd>\n\
         <dt>upgraded</dt><dd>The timestamp leads to a block. This server has not checked the \
         block's header yet; you can.</dd>\n\
         <dt>confirmed</dt><dd>The timestamp leads to a block, and this server has checked the \
         block's header.</dd>\n\
         <dt>failed</dt><dd>The timestamp does not match the block it names. We try \
         again.</dd>\n</dl>\n",
    );
}

fn render_commands(main: &mut Html, base_url: &str, newest: Option<&ProofIndexDay>) {
    let day = newest.map_or_else(|| "2026-11-14".to_owned(), |day| day.day.to_string());
    main.raw(
        "<h2>Check one yourself</h2>\n\
         <p>Find the seal of a report (the report's id is the last part of its address):</p>\n<pre>curl -s '",
    )
    .text(base_url)
    .raw("/api/seal/lookup?id=ID' | jq .</pre>\n<p>Check that the day's statement has the anchored digest:</p>\n<pre>curl -s ")
    .text(base_url)
    .raw("/proof/")
    .text(&day)
    .raw(".json &gt; day.json\njq -cSj '.statement | del(.sha256, .signature)' day.json | sha256sum\njq -r .statement.sha256 day.json</pre>\n<p>Check that the timestamp is for that digest, and which block it leads to (<code>pip install opentimestamps-client</code>):</p>\n<pre>curl -s -o day.ots ")
    .text(base_url)
    .raw("/proof/")
    .text(&day)
    .raw(".ots\nots info day.ots\nots verify -d $(jq -r .statement.sha256 day.json) day.ots</pre>\n<p class=\"soft\">The last command needs your own Bitcoin node. Without one, <code>ots --no-bitcoin verify</code> prints the block and its merkle root, so that you can compare them elsewhere.</p>\n\
         <p>This page as signed <a href=\"/proof.json\">JSON</a>; the <a href=\"/.well-known/http-message-signatures-directory\">keys</a> to verify the signatures.</p>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calendars_message_is_escaped() {
        let anchor = SealAnchor {
            kind: contract::records::AnchorType::Opentimestamps,
            state: AnchorState::Waiting,
            calendar: "https://calendar.example".to_owned(),
            submitted_at: None,
            confirmed_at: None,
            proof: None,
            detail: contract::records::AnchorDetail {
                block_height: None,
                why: Some("<script>x</script>".to_owned()),
            },
        };
        let day = ProofIndexDay {
            day: "2026-11-14".parse().unwrap(),
            root: "r".to_owned(),
            leaves: 3,
            seal_sha256: "s".to_owned(),
            statement: String::new(),
            anchors: vec![anchor],
        };
        let page = SealIndexPage { cursor: Some(day.day), days: vec![day] };
        let html = render("https://svc.example", &page);
        assert!(!html.contains("<script") && html.contains("&lt;script&gt;"));
        assert!(html.contains("/proof?before=2026-11-14"));
        assert!(!html.contains("2026-11-14.ots\">timestamps"), "no calendar has answered");
        let none = render("https://svc.example", &SealIndexPage { cursor: None, days: vec![] });
        assert!(none.contains("No day is sealed yet"));
    }
}
