//! Computes points from rulings, and the score and letter from points.

use contract::records::{
    Grade, GradeDetail, Headroom, LedgerRow, LedgerState, ScoreLedger, SectionScore,
};

use super::convert::saturating_u32;
use super::verdicts::{RuleOutcome, Ruling, Verdicts};
use crate::rulepack::Rulepack;

/// The points that all applied rules share.
const TOTAL_POINTS: u32 = 100;

const METHOD_TEXT: &str = "The rules that could be applied share 100 points by weight. The score is the sum of the points \
    earned, limited by the lowest cap that applies. Rules that are not applicable or could not be assessed do not \
    affect the score. Without a Reach rule that could be assessed or is closed by robots.txt there is no score.";

pub(super) struct Scores {
    pub(super) sections: Vec<SectionScore>,
    pub(super) overall: Option<u32>,
    pub(super) grade: Option<Grade>,
    pub(super) detail: GradeDetail,
    pub(super) ledger: ScoreLedger,
    pub(super) headroom: Option<Headroom>,
}

pub(super) fn compute_scores(verdicts: &Verdicts, rules: &Rulepack) -> Scores {
    let rows = ledger_rows(&verdicts.rulings, rules);
    let sum: u32 = rows.iter().filter_map(|row| row.points).sum();
    // A purpose that robots.txt closes is not applicable: how the site treats it is known.
    let reached = rows.iter().any(|row| {
        row.section == "reach" && (row.points.is_some() || row.state == LedgerState::NotApplicable)
    });
    let cap = verdicts
        .caps
        .iter()
        .filter_map(|applied| {
            let cap = rules.cap(applied.cap)?;
            Some((cap, applied.at_most.unwrap_or(cap.at_most).max(cap.at_most), applied))
        })
        .min_by_key(|(_, at_most, _)| *at_most)
        .filter(|_| reached);
    let at_most = cap.map(|(_, at_most, _)| at_most);
    let overall = reached.then(|| at_most.map_or(sum, |at_most| sum.min(at_most)));
    let grade = overall.and_then(|score| rules.letter(score)).and_then(Grade::from_word);
    let capped = at_most.is_some_and(|at_most| sum > at_most);
    let sections = section_scores(&rows, rules);
    Scores {
        detail: GradeDetail {
            capped,
            cap: at_most,
            cap_reason: cap.map(|(_, _, applied)| applied.reason.clone()),
            unscored_affects_grade: false,
            unscored: sections
                .iter()
                .filter(|section| section.score.is_none())
                .map(|section| section.title.clone())
                .collect(),
        },
        headroom: overall.map(|overall| Headroom {
            gain: TOTAL_POINTS.saturating_sub(overall),
            failing: saturating_u32(
                rows.iter()
                    .filter(|row| matches!(row.state, LedgerState::Failed | LedgerState::Partial))
                    .count(),
            ),
        }),
        ledger: ScoreLedger {
            score: overall,
            letter: grade.clone(),
            cap: at_most,
            capped,
            held_at_reach: capped && cap.is_some_and(|(cap, _, _)| cap.reach),
            matches_record: true,
            rows,
            rows_withheld: 0,
            method: METHOD_TEXT.to_owned(),
        },
        sections,
        overall,
        grade,
    }
}

/// One row for each rule, in the order of the rulepack. A rule without a ruling is shown as not
/// assessed.
fn ledger_rows(rulings: &[Ruling], rules: &Rulepack) -> Vec<LedgerRow> {
    let of_rule = |id: &str| rulings.iter().find(|ruling| ruling.rule == id);
    let applied: Vec<u32> = rules
        .rules
        .iter()
        .map(|rule| match of_rule(rule.id).map(|ruling| &ruling.outcome) {
            Some(RuleOutcome::Share { of, .. }) if *of > 0 => rule.weight,
            _ => 0,
        })
        .collect();
    let shares = apportion(&applied);
    rules
        .rules
        .iter()
        .zip(shares)
        .map(|(rule, of)| {
            let ruling = of_rule(rule.id);
            let (state, points) = match ruling.map(|ruling| &ruling.outcome) {
                Some(RuleOutcome::Share { got, of: whole }) if *whole > 0 => {
                    let state = match *got {
                        0 => LedgerState::Failed,
                        got if got >= *whole => LedgerState::Passed,
                        _ => LedgerState::Partial,
                    };
                    (state, Some(rounded_share(of, (*got).min(*whole), *whole)))
                }
                Some(RuleOutcome::NotApplicable) => (LedgerState::NotApplicable, None),
                _ => (LedgerState::NotAssessed, None),
            };
            LedgerRow {
                rule: rule.id.to_owned(),
                section: rule.section.to_owned(),
                title: rule.title.to_owned(),
                state,
                points,
                of,
                weight: rule.weight,
                why: ruling
                    .map_or_else(|| "No reading covers this rule.".to_owned(), |r| r.why.clone()),
                evidence: ruling.map(|ruling| ruling.evidence.clone()).unwrap_or_default(),
            }
        })
        .collect()
}

/// Shares 100 points by weight, in whole points. Points left over from rounding down go to the largest
/// remainders, earlier rules first.
fn apportion(weights: &[u32]) -> Vec<u32> {
    let total: u32 = weights.iter().sum();
    if total == 0 {
        return vec![0; weights.len()];
    }
    let mut shares: Vec<u32> = weights.iter().map(|weight| weight * TOTAL_POINTS / total).collect();
    let mut by_remainder: Vec<(usize, u32)> =
        weights.iter().map(|weight| weight * TOTAL_POINTS % total).enumerate().collect();
    by_remainder.sort_by_key(|(at, remainder)| (std::cmp::Reverse(*remainder), *at));
    let left = TOTAL_POINTS.saturating_sub(shares.iter().sum());
    for (at, _) in by_remainder.into_iter().take(left as usize) {
        if let Some(share) = shares.get_mut(at) {
            *share += 1;
        }
    }
    shares
}

/// The points for `got` out of `whole`, rounded half up. A partial result never gets all points.
fn rounded_share(points: u32, got: u32, whole: u32) -> u32 {
    if got >= whole {
        return points;
    }
    let share = (2 * points * got + whole) / (2 * whole);
    share.min(points.saturating_sub(1))
}

fn section_scores(rows: &[LedgerRow], rules: &Rulepack) -> Vec<SectionScore> {
    rules
        .sections
        .iter()
        .map(|section| {
            let own = || rows.iter().filter(|row| row.section == section.id);
            let points: u32 = own().filter_map(|row| row.points).sum();
            let of: u32 = own().filter(|row| row.points.is_some()).map(|row| row.of).sum();
            SectionScore {
                id: section.id.to_owned(),
                title: section.title.to_owned(),
                score: (of > 0).then(|| (200 * points + of) / (2 * of)),
                points,
                of,
                why: (of == 0).then(|| {
                    own()
                        .map(|row| row.why.as_str())
                        .collect::<std::collections::BTreeSet<_>>()
                        .into_iter()
                        .collect::<Vec<_>>()
                        .join(" ")
                }),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ruling(rule: &'static str, outcome: RuleOutcome) -> Ruling {
        Ruling { rule, outcome, why: "because".into(), evidence: vec!["r01".into()] }
    }

    fn any_outcome() -> impl Strategy<Value = RuleOutcome> {
        prop_oneof![
            (0_u32..6, 1_u32..6).prop_map(|(got, of)| RuleOutcome::Share { got, of }),
            Just(RuleOutcome::NotApplicable),
            Just(RuleOutcome::NotAssessed),
        ]
    }

    proptest! {
        /// For any outcomes, the score is the sum of the rows, limited by the lowest cap.
        #[test]
        fn the_score_is_the_ledgers_sum(
            outcomes in proptest::collection::vec(any_outcome(), 22),
            caps in proptest::collection::vec(0_usize..9, 0..3),
        ) {
            let rules = Rulepack::current();
            let mut verdicts = Verdicts::default();
            for (rule, outcome) in rules.rules.iter().zip(outcomes) {
                verdicts.rulings.push(ruling(rule.id, outcome));
            }
            for cap in caps {
                verdicts.add_cap(rules.caps[cap].id, "It applies.");
            }
            let scores = compute_scores(&verdicts, &rules);
            let rows = &scores.ledger.rows;
            let applied: u32 = rows.iter().map(|row| row.of).sum();
            prop_assert!(applied == 100 || applied == 0);
            prop_assert!(rows.iter().all(|row| row.points.unwrap_or(0) <= row.of));
            prop_assert!(rows.iter().all(|row| row.points.is_some() == (row.of > 0)));
            let sum: u32 = rows.iter().filter_map(|row| row.points).sum();
            if let Some(overall) = scores.overall {
                prop_assert_eq!(overall, sum.min(scores.detail.cap.unwrap_or(100)));
                let letter = scores.grade.unwrap();
                prop_assert_eq!(letter.as_str(), rules.letter(overall).unwrap());
            }
            let of_sections: u32 = scores.sections.iter().map(|section| section.points).sum();
            prop_assert_eq!(of_sections, sum);
        }

        #[test]
        fn a_hundred_points_are_shared_out(weights in proptest::collection::vec(0_u32..40, 1..40)) {
            let shares = apportion(&weights);
            let expected = if weights.iter().sum::<u32>() == 0 { 0 } else { 100 };
            prop_assert_eq!(shares.iter().sum::<u32>(), expected);
        }
    }

    #[test]
    fn with_every_rule_applied_the_shares_are_the_weights() {
        let rules = Rulepack::current();
        let weights: Vec<u32> = rules.rules.iter().map(|rule| rule.weight).collect();
        assert_eq!(apportion(&weights), weights);
    }

    #[test]
    fn only_failed_rules_cost_points() {
        let rules = Rulepack::current();
        for left_out in [RuleOutcome::NotApplicable, RuleOutcome::NotAssessed] {
            let mut verdicts = Verdicts::default();
            for rule in &rules.rules {
                let pass = RuleOutcome::Share { got: 1, of: 1 };
                let outcome = if rule.section == "reach" { pass } else { left_out.clone() };
                verdicts.rulings.push(ruling(rule.id, outcome));
            }
            assert_eq!(compute_scores(&verdicts, &rules).overall, Some(100));
        }
    }

    #[test]
    fn a_partial_result_never_gets_all_points() {
        assert_eq!(rounded_share(3, 9, 10), 2);
        assert_eq!(rounded_share(3, 10, 10), 3);
        assert_eq!(rounded_share(13, 1, 3), 4);
        assert_eq!(rounded_share(1, 1, 2), 0);
    }

    #[test]
    fn without_reach_there_is_no_score() {
        let rules = Rulepack::current();
        let mut verdicts = Verdicts::default();
        verdicts.add_passed("transport.https", "It came over https.", vec!["r01".into()]);
        verdicts.add_cap("bad_certificate", "It applies.");
        let scores = compute_scores(&verdicts, &rules);
        assert_eq!((scores.overall, scores.grade, scores.detail.cap), (None, None, None));
    }
}
