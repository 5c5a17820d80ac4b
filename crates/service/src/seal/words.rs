//! What is said about seals, in words.

use contract::records::{AnchorDetail, AnchorState, AnchorType, SealAnchor};
use store::{Anchor, AnchorStage, Day};

/// How to check a seal, step by step.
pub(super) fn how(base_url: &str) -> Vec<String> {
    vec![
        "Take the sha256 member of the record, or hash its RFC 8785 form without sha256 and signature yourself.".to_owned(),
        "leaf = SHA-256 of a zero byte and the 32 bytes of that digest.".to_owned(),
        "Walk the path from the leaf to the root by RFC 9162, 2.1.3.2, with index and leaves.".to_owned(),
        "Fetch the day's statement: its root must be that root, and SHA-256 of its RFC 8785 form without sha256 and signature is seal_sha256.".to_owned(),
        format!("Check the statement's signature with a documents key of {base_url}{}.", crate::KEY_DIRECTORY_PATH),
        "Check the timestamp file against seal_sha256 with any OpenTimestamps client: it leads to a block of the Bitcoin chain, or to a calendar's promise of one.".to_owned(),
        format!("{base_url}/proof has the commands."),
    ]
}

pub(super) fn statement_address(base_url: &str, day: Day) -> String {
    format!("{base_url}/proof/{day}.json")
}

/// A timestamp as the interface shows it.
pub(super) fn anchor(anchor: &Anchor, base_url: &str) -> SealAnchor {
    let stamped = !anchor.timestamp.is_empty();
    SealAnchor {
        kind: AnchorType::Opentimestamps,
        state: match anchor.stage {
            AnchorStage::Waiting => AnchorState::Waiting,
            AnchorStage::Pending => AnchorState::Pending,
            AnchorStage::Upgraded => AnchorState::Upgraded,
            AnchorStage::Verified => AnchorState::Confirmed,
            AnchorStage::Failed => AnchorState::Failed,
        },
        calendar: anchor.calendar.clone(),
        submitted_at: anchor.submitted_at,
        confirmed_at: anchor.verified_at,
        proof: stamped.then(|| format!("{base_url}/proof/{}.ots", anchor.day)),
        detail: AnchorDetail { block_height: anchor.block_height, why: anchor.last_error.clone() },
    }
}

/// How far the anchoring of a sealed day has come: the best of its timestamps.
pub(super) fn anchored(day: Day, anchors: &[Anchor]) -> String {
    let at = |stage| anchors.iter().find(|anchor| anchor.stage == stage);
    let block = |anchor: &Anchor| {
        anchor.block_height.map_or_else(String::new, |height| format!(" {height}"))
    };
    if let Some(anchor) = at(AnchorStage::Verified) {
        format!(
            "bitcoin block{}: the seal of {day} leads to it, and its header was compared",
            block(anchor)
        )
    } else if let Some(anchor) = at(AnchorStage::Upgraded) {
        format!(
            "sealed in {day}; its timestamp leads to bitcoin block{}, whose header was not compared here",
            block(anchor)
        )
    } else if at(AnchorStage::Pending).is_some() {
        format!(
            "sealed in {day}; a calendar has promised to anchor the seal, no block holds it yet"
        )
    } else if anchors.is_empty() {
        format!("sealed in {day}; this server has no calendar to anchor the seal at")
    } else {
        format!("sealed in {day}; no calendar has taken the seal yet")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(stages: &[AnchorStage]) -> String {
        let day: Day = "2026-11-14".parse().unwrap();
        let anchors: Vec<Anchor> = stages
            .iter()
            .map(|stage| Anchor {
                day,
                calendar: "https://calendar.example".to_owned(),
                stage: *stage,
                submitted_at: None,
                upgraded_at: None,
                verified_at: None,
                block_height: Some(7),
                timestamp: bytes::Bytes::new(),
                tries: 0,
                next_try_at: contract::Timestamp::from_millis(0),
                last_error: None,
            })
            .collect();
        anchored(day, &anchors)
    }

    #[test]
    fn nothing_is_called_anchored_before_a_header_was_compared() {
        use AnchorStage::{Failed, Pending, Upgraded, Verified, Waiting};
        for (stages, begins) in [
            (&[][..], "sealed in 2026-11-14; this server has no calendar"),
            (&[Waiting, Failed], "sealed in 2026-11-14; no calendar has taken"),
            (&[Waiting, Pending], "sealed in 2026-11-14; a calendar has promised"),
            (&[Pending, Upgraded], "sealed in 2026-11-14; its timestamp leads to bitcoin block 7"),
            (&[Upgraded, Verified, Failed], "bitcoin block 7: the seal of 2026-11-14"),
        ] {
            let said = with(stages);
            assert!(said.starts_with(begins), "{said}");
        }
    }
}
