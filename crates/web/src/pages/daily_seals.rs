//! The page about daily seals, with the commands to check one.

use askama::Template;
use contract::records::{AnchorState, ProofIndexDay, SealAnchor};
use service::SealIndexPage;

use super::status::Status;

#[derive(Template)]
#[template(path = "daily_seals.html")]
struct DailySealsPage<'a> {
    page: &'a SealIndexPage,
    /// Commands to copy.
    lookup: String,
    statement: String,
    timestamp: String,
}

pub(crate) fn render(base_url: &str, page: &SealIndexPage) -> String {
    let day = page.days.first().map_or_else(|| "2026-11-14".to_owned(), |day| day.day.to_string());
    super::render(&DailySealsPage {
        page,
        lookup: format!("curl -s '{base_url}/api/seal/lookup?id=ID' | jq ."),
        statement: format!(
            "curl -s {base_url}/proof/{day}.json > day.json\n\
             jq -cSj '.statement | del(.sha256, .signature)' day.json | sha256sum\n\
             jq -r .statement.sha256 day.json"
        ),
        timestamp: format!(
            "curl -s -o day.ots {base_url}/proof/{day}.ots\n\
             ots info day.ots\n\
             ots verify -d $(jq -r .statement.sha256 day.json) day.ots"
        ),
    })
}

fn anchor_status(anchor: &SealAnchor) -> Status {
    let mut words = anchor.state.to_string();
    if let Some(height) = anchor.detail.block_height {
        words = format!("{words}, block {height}");
    }
    match anchor.state {
        AnchorState::Confirmed => Status::ok(words),
        AnchorState::Failed => Status::bad(words),
        _ => Status::new("off", "wait", words),
    }
}

fn has_timestamps(day: &ProofIndexDay) -> bool {
    day.anchors.iter().any(|anchor| anchor.proof.is_some())
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
        assert!(!html.contains("<script>x") && html.contains("&lt;script&gt;"));
        assert!(html.contains("/proof?before=2026-11-14"));
        assert!(!html.contains("2026-11-14.ots\">timestamps"), "no calendar has answered");
        let none = render("https://svc.example", &SealIndexPage { cursor: None, days: vec![] });
        assert!(none.contains("No day is sealed yet"));
    }
}
