//! Sections, their scores, and the letter.

use contract::records::{AgentView, Grade, GradeDetail, SectionScore};

use super::view::{has_the_page, is_ai, is_measured};
use crate::rulepack::Rulepack;

pub(super) struct Scores {
    pub(super) sections: Vec<SectionScore>,
    pub(super) overall: Option<u32>,
    pub(super) grade: Option<Grade>,
    pub(super) detail: GradeDetail,
}

/// Scores what the rulepack judges. A section it does not judge yet has no score, is named as
/// unscored, and does not count: the grade speaks of the scored sections alone.
pub(super) fn score(view: &AgentView, rules: &Rulepack) -> Scores {
    let sections: Vec<SectionScore> = rules
        .sections
        .iter()
        .map(|section| SectionScore {
            id: section.id.to_owned(),
            title: section.title.to_owned(),
            score: match section.id {
                "reach" => reach(view, rules),
                _ => None,
            },
        })
        .collect();
    let overall = mean(sections.iter().filter_map(|section| section.score));
    let unscored = sections.iter().filter(|section| section.score.is_none());
    Scores {
        grade: overall.and_then(|score| rules.letter(score)).and_then(Grade::known),
        detail: GradeDetail {
            capped: false,
            cap: None,
            cap_reason: None,
            unscored_affects_grade: false,
            unscored: unscored.map(|section| section.title.clone()).collect(),
        },
        overall,
        sections,
    }
}

/// The share of answered AI identities that was given the browser's page.
fn reach(view: &AgentView, rules: &Rulepack) -> Option<u32> {
    let answered = view.rows.iter().filter(|row| is_ai(row) && is_measured(row));
    let given: Option<Vec<bool>> = answered.map(|row| has_the_page(row, view, rules)).collect();
    mean(given?.into_iter().map(|given| if given { 100 } else { 0 }))
}

/// The mean in whole points, halves up; nothing of nothing.
fn mean(scores: impl Iterator<Item = u32>) -> Option<u32> {
    let (sum, n) = scores.fold((0, 0), |(sum, n), score| (sum + score, n + 1));
    (n > 0).then(|| (2 * sum + n) / (2 * n))
}
