//! What is sealed, for people, with the commands to check it.

use contract::records::{AnchorState, ProofIndexDay, SealAnchor};
use service::ProofPage;

use super::{html::Html, shell};

pub(crate) fn render(base_url: &str, page: &ProofPage) -> String {
    let mut main = Html::new();
    main.raw(
        "<h1>Daily seals</h1>\n\
         <p>Every report is signed when it is made. A signature says who made it; it does not say \
         when. So after each UTC day, from five minutes past midnight on, the digests of the day's \
         public and unlisted reports are put into one tree, and a signed statement names the \
         tree's root and the statement of the day before. The statement's digest goes to public \
         timestamp calendars (OpenTimestamps), which bring it into a block of the Bitcoin chain. \
         From then on nobody, this service included, can change a report of that day, or slip one \
         in or take one out, without it being seen.</p>\n\
         <p class=\"soft\">A seal proves that a record existed before a block was made. It does \
         not prove that the record is right, nor that everything that was looked at was kept. \
         Private reports are not sealed.</p>\n",
    );
    days(&mut main, page);
    states(&mut main);
    commands(&mut main, base_url, page.days.first());
    shell::page("Daily seals", &main)
}

fn days(main: &mut Html, page: &ProofPage) {
    main.raw("<h2>Sealed days</h2>\n");
    if page.days.is_empty() {
        main.raw(
            "<p>No day is sealed yet. The first is sealed after the UTC day of the first report \
             is over.</p>\n",
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
            self::anchor(main, anchor);
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

fn anchor(main: &mut Html, anchor: &SealAnchor) {
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

fn states(main: &mut Html) {
    main.raw(
        "<h2>What the states mean</h2>\n<dl>\n\
         <dt>waiting</dt><dd>The calendar has not answered yet; it is asked again.</dd>\n\
         <dt>pending</dt><dd>The calendar has promised to bring the seal into a block. Nothing is \
         anchored yet.</dd>\n\
         <dt>upgraded</dt><dd>The timestamp leads to a block. This server has not compared the \
         block's header; you can.</dd>\n\
         <dt>confirmed</dt><dd>The timestamp leads to a block, and the header of that block was \
         compared.</dd>\n\
         <dt>failed</dt><dd>The timestamp does not lead to the block it names. It is tried \
         again.</dd>\n</dl>\n",
    );
}

fn commands(main: &mut Html, base_url: &str, newest: Option<&ProofIndexDay>) {
    let day = newest.map_or_else(|| "2026-11-14".to_owned(), |day| day.day.to_string());
    main.raw(
        "<h2>Check one yourself</h2>\n\
         <p>Where a report is sealed (its id is the end of its address):</p>\n<pre>curl -s '",
    )
    .text(base_url)
    .raw("/api/seal/lookup?id=ID' | jq .</pre>\n<p>That the day's statement has the digest that was anchored:</p>\n<pre>curl -s ")
    .text(base_url)
    .raw("/proof/")
    .text(&day)
    .raw(".json &gt; day.json\njq -cSj '.statement | del(.sha256, .signature)' day.json | sha256sum\njq -r .statement.sha256 day.json</pre>\n<p>That the timestamp is of that digest, and where it leads (<code>pip install opentimestamps-client</code>):</p>\n<pre>curl -s -o day.ots ")
    .text(base_url)
    .raw("/proof/")
    .text(&day)
    .raw(".ots\nots info day.ots\nots verify -d $(jq -r .statement.sha256 day.json) day.ots</pre>\n<p class=\"soft\">The last command compares with a Bitcoin node of your own. Without one, <code>ots --no-bitcoin verify</code> names the block and its merkle root for you to compare.</p>\n\
         <p>The same as <a href=\"/proof.json\">JSON</a>, signed; the <a href=\"/.well-known/http-message-signatures-directory\">keys</a> to check the signatures with.</p>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_calendar_said_stays_text() {
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
        let page = ProofPage { cursor: Some(day.day), days: vec![day] };
        let html = render("https://svc.example", &page);
        assert!(!html.contains("<script") && html.contains("&lt;script&gt;"));
        assert!(html.contains("/proof?before=2026-11-14"));
        assert!(!html.contains("2026-11-14.ots\">timestamps"), "no calendar has answered");
        let none = render("https://svc.example", &ProofPage { cursor: None, days: vec![] });
        assert!(none.contains("No day is sealed yet"));
    }
}
