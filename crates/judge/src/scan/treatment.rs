//! Two numbers that one grade cannot give: what agents can do on the site, and whether the site does
//! what it says.

use contract::records::{
    AgentRow, AgentView, ContentReading, Role, TextVariation, TreatmentScores,
};

use super::agent_rows::{is_ai, is_measured, is_served};
use super::convert::saturating_u32;
use super::declared_access::is_declared_unwanted;
use super::parsed_evidence::ParsedEvidence;
use super::text_comparison::TextComparison;

/// The weight of each purpose in what agents can do. A crawler that fetches for a user or builds a
/// search index costs users an answer today; training does not.
const PURPOSE_WEIGHTS: [(Role, u32); 3] = [(Role::Train, 1), (Role::Search, 2), (Role::User, 2)];

pub(super) fn treatment_scores(
    parsed: &ParsedEvidence<'_>,
    view: &AgentView,
    comparison: &TextComparison<'_>,
    content: &ContentReading,
) -> TreatmentScores {
    // A file that is not a page, and a page that only scripts fill, give agents nothing to read.
    let has_text = content.main_words.is_some() && content.script_shell != Some(true);
    let measured: Vec<&AgentRow> =
        view.rows.iter().filter(|row| is_ai(row) && is_measured(row)).collect();
    let can_use = |row: &AgentRow| {
        is_served(row)
            && has_text
            && row.words.is_some_and(|words| words > 0)
            && !is_declared_unwanted(parsed, row)
            && !comparison.accused.contains_key(&row.id)
    };
    let (mut points, mut of) = (0_u64, 0_u64);
    for (role, weight) in PURPOSE_WEIGHTS {
        let asked: Vec<&&AgentRow> = measured.iter().filter(|row| row.role == role).collect();
        if asked.is_empty() {
            continue;
        }
        let usable = asked.iter().filter(|row| can_use(row)).count() as u64;
        points += u64::from(weight) * 1_000 * usable / asked.len() as u64;
        of += u64::from(weight) * 1_000;
    }
    let usable = measured.iter().filter(|row| can_use(row)).count();
    let in_conflict = |row: &&&AgentRow| {
        view.conflicts.iter().any(|conflict| conflict.identity == row.id)
            || comparison.accused.contains_key(&row.id)
    };
    let inconsistent = measured.iter().filter(in_conflict).count();
    let consistent = measured.len() - inconsistent;
    // Without a robots.txt the site says nothing that it could do or not do.
    let says_nothing = parsed.robots.rules.is_none() && inconsistent == 0;
    TreatmentScores {
        usable: (of > 0).then(|| saturating_u32((points * 100 / of) as usize)),
        usable_why: if measured.is_empty() {
            "No AI crawler received an answer.".to_owned()
        } else {
            format!(
                "{usable} of {} AI crawlers may read the home page by robots.txt, and get it with text, the same as \
                 people. Search and user agents count twice as much as training.",
                measured.len()
            )
        },
        consistent: (!measured.is_empty() && !says_nothing)
            .then(|| saturating_u32(consistent * 100 / measured.len())),
        consistent_why: if measured.is_empty() {
            "No AI crawler received an answer.".to_owned()
        } else if says_nothing {
            "The site has no robots.txt that can be read, so it does not say how it treats AI crawlers.".to_owned()
        } else if inconsistent == 0 {
            match view.variation {
                TextVariation::NotConfirmed => {
                    "The server follows robots.txt for every AI crawler. Whether all get the same text as people is not \
                     known."
                }
                _ => "The server follows robots.txt for every AI crawler and gives none a text of its own.",
            }
            .to_owned()
        } else {
            format!(
                "For {inconsistent} of {} AI crawlers the server does something else than robots.txt says, or gives them a \
                 text that people do not get.",
                measured.len()
            )
        },
    }
}
