//! Whether crawlers get the text that people get, and pages without text to compare.

use agents::Catalogue;
use contract::evidence::{ExchangeOutcome, FailureKind};
use contract::records::{EquivalenceVerdict, IdentitySplit, LedgerState, RowCause, TextVariation};

use super::evidence_builder::{EvidenceBuilder, OTHER_PAGE, PAGE, failure};
use super::{ids, row};

#[test]
fn a_different_text_for_crawlers_is_a_content_split() {
    let site = EvidenceBuilder::new().browser_and_control().crawlers(200, OTHER_PAGE);
    let record = site.trial_of_all(PAGE, OTHER_PAGE).build_record();
    assert_eq!(record.agentview.split, IdentitySplit::Content);
    assert_eq!(record.agentview.variation, TextVariation::FollowsIdentity);
    assert!(ids(&record).contains(&"other_text"));
    assert_eq!(record.overall, Some(35), "limited by its cap");
    assert!(!record.score_ledger.held_at_reach, "crawlers do get a page");
    let finding = record.findings.iter().find(|finding| finding.id == "other_text").unwrap();
    let texts = finding.side_by_side.as_ref().unwrap();
    assert!(texts.untrusted_left.contains("ferry") && texts.untrusted_right.contains("offer"));
}

/// The fewer crawlers get another text, the higher the cap; nobody else is accused.
#[test]
fn the_cap_follows_the_share_of_crawlers_that_get_another_text() {
    let mut last = 0;
    for few in [8, 3, 1] {
        let mut site = EvidenceBuilder::new().browser_and_control();
        let catalogue = Catalogue::built_in().unwrap();
        let all: Vec<&str> = catalogue.ai_identities().map(|one| one.id.as_str()).collect();
        for (at, who) in all.iter().enumerate() {
            site = site.home(who, 200, if at < few { OTHER_PAGE } else { PAGE });
        }
        let record = site.trial(&all[..few], PAGE, OTHER_PAGE).build_record();
        let different = record.agentview.rows.iter();
        let different = different.filter(|row| row.equivalence == EquivalenceVerdict::Different);
        assert_eq!(different.count(), few);
        let overall = record.overall.unwrap();
        assert!(overall > last && overall < 90, "{few}: {overall}");
        last = overall;
    }
}

/// A difference that was seen once and not tried accuses nobody.
#[test]
fn a_difference_without_a_trial_is_not_confirmed() {
    let site = EvidenceBuilder::new().browser_and_control().crawlers(200, OTHER_PAGE);
    let record = site.build_record();
    assert_eq!(record.agentview.variation, TextVariation::NotConfirmed);
    assert_eq!(record.agentview.split, IdentitySplit::None);
    assert_eq!(row(&record, "equivalence.same_text").state, LedgerState::NotAssessed);
    assert!(!ids(&record).contains(&"other_text"));
}

#[test]
fn the_same_words_with_other_prices_are_a_different_text() {
    let priced = |price: &str| format!("{PAGE}<p>A single ticket costs {price} these days.</p>");
    let (people, agents) = (priced("EUR 4.20"), priced("EUR 9.90"));
    let site = ["browser", "browser", "control"]
        .into_iter()
        .fold(EvidenceBuilder::new(), |site, who| site.home(who, 200, &people));
    let record = site.crawlers(200, &agents).trial_of_all(&people, &agents).build_record();
    let row = record.agentview.rows.iter().find(|row| row.id == "gptbot").unwrap();
    assert_eq!(row.equivalence, EquivalenceVerdict::Different, "{row:#?}");
    assert!(ids(&record).contains(&"other_prices"));
}

#[test]
fn a_page_that_changes_by_itself_accuses_nobody() {
    let site = EvidenceBuilder::new().home("browser", 200, PAGE).home("browser", 200, OTHER_PAGE);
    let record = site.home("control", 200, PAGE).crawlers(200, OTHER_PAGE).build_record();
    assert_eq!(record.agentview.deterministic, Some(false));
    assert_eq!(record.agentview.split, IdentitySplit::None);
    assert_eq!(record.agentview.variation, TextVariation::Varies);
    assert_eq!(row(&record, "equivalence.same_text").state, LedgerState::Passed);
    assert!(ids(&record).contains(&"varies") && !ids(&record).contains(&"other_text"));
}

#[test]
fn an_incomplete_body_is_neither_served_nor_compared() {
    let mut site = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
    for reading in &mut site.evidence.reads {
        if let ExchangeOutcome::Response(response) = &mut reading.exchange.outcome {
            let ExchangeOutcome::Failed(cut) = failure(FailureKind::Timeout, "deadline") else {
                panic!()
            };
            response.body.cut = Some(cut);
        }
    }
    let reads = site.evidence.reads.len();
    let record = site.build_record();
    assert_eq!((record.overall, record.grade), (None, None));
    assert_eq!(
        (record.agentview.split, record.agentview.deterministic),
        (IdentitySplit::NotMeasured, None)
    );
    assert!(record.agentview.rows.iter().all(|row| row.cause == RowCause::Incomplete));
    assert!(
        record.agentview.rows.iter().all(|row| row.words.is_none() && row.similarity.is_none())
    );
    assert_eq!(record.non_observations.len(), reads);
}

#[test]
fn a_script_shell_passes_reach_and_fails_content() {
    let shell = "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>";
    let site = EvidenceBuilder::new().home("browser", 200, shell).home("browser", 200, shell);
    let record = site.home("control", 200, shell).crawlers(200, shell).build_record();
    assert_eq!(record.content.script_shell, Some(true));
    assert_eq!(row(&record, "reach.search").state, LedgerState::Passed);
    assert_eq!(row(&record, "content.words").state, LedgerState::Failed);
    assert_eq!((record.overall, record.grade_detail.cap), (Some(40), Some(40)));
    assert_eq!(record.agentview.split, IdentitySplit::None);
}
