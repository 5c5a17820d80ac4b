//! Texts and public forms of seals and their timestamps.

use contract::records::{AnchorDetail, AnchorState, AnchorType, SealAnchor};
use store::{Anchor, AnchorStage, Day};

/// How to verify a seal, step by step.
pub(super) fn verification_steps(base_url: &str) -> Vec<String> {
    vec![
        "Take the sha256 member of the record, or compute it: SHA-256 of the RFC 8785 form without sha256 and signature.".to_owned(),
        "leaf = SHA-256 of a zero byte followed by the 32 bytes of that digest.".to_owned(),
        "Verify the path from the leaf to the root with index and leaves (RFC 9162, 2.1.3.2).".to_owned(),
        "Fetch the day's statement: its root must be the same, and SHA-256 of its RFC 8785 form without sha256 and signature must be seal_sha256.".to_owned(),
        format!("Verify the statement's signature with a documents key from {base_url}{}.", crate::signing_keys::KEY_DIRECTORY_PATH),
        "Verify the timestamp file against seal_sha256 with any OpenTimestamps client: it leads to a Bitcoin block, or is still pending at a calendar.".to_owned(),
        format!("The commands are on {base_url}/proof."),
    ]
}

pub(super) fn statement_url(base_url: &str, day: Day) -> String {
    format!("{base_url}/proof/{day}.json")
}

/// A timestamp in its public form.
pub(super) fn to_seal_anchor(anchor: &Anchor, base_url: &str) -> SealAnchor {
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

/// How far the anchoring of a sealed day has come, by the most advanced of its timestamps.
pub(super) fn describe_anchoring(day: Day, anchors: &[Anchor]) -> String {
    let at = |stage| anchors.iter().find(|anchor| anchor.stage == stage);
    let block = |anchor: &Anchor| {
        anchor.block_height.map_or_else(String::new, |height| format!(" {height}"))
    };
    if let Some(anchor) = at(AnchorStage::Verified) {
        format!(
            "bitcoin block{}: the seal of {day} is anchored in it, and we compared the block header",
            block(anchor)
        )
    } else if let Some(anchor) = at(AnchorStage::Upgraded) {
        format!(
            "sealed in {day}; its timestamp leads to bitcoin block{}, but we have not compared the block header",
            block(anchor)
        )
    } else if at(AnchorStage::Pending).is_some() {
        format!("sealed in {day}; a calendar has accepted the seal, but it is not in a block yet")
    } else if anchors.is_empty() {
        format!(
            "sealed in {day}; not anchored, because this server has no timestamp calendar configured"
        )
    } else {
        format!("sealed in {day}; no calendar has accepted the seal yet")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_for_stages(stages: &[AnchorStage]) -> String {
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
        describe_anchoring(day, &anchors)
    }

    #[test]
    fn nothing_is_called_anchored_before_a_header_was_compared() {
        use AnchorStage::{Failed, Pending, Upgraded, Verified, Waiting};
        for (stages, begins) in [
            (&[][..], "sealed in 2026-11-14; not anchored, because this server"),
            (&[Waiting, Failed], "sealed in 2026-11-14; no calendar has accepted"),
            (&[Waiting, Pending], "sealed in 2026-11-14; a calendar has accepted"),
            (&[Pending, Upgraded], "sealed in 2026-11-14; its timestamp leads to bitcoin block 7"),
            (&[Upgraded, Verified, Failed], "bitcoin block 7: the seal of 2026-11-14"),
        ] {
            let text = text_for_stages(stages);
            assert!(text.starts_with(begins), "{text}");
        }
    }
}
