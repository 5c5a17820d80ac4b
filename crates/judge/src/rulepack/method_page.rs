//! The scoring method as text, generated from the rules so that the two cannot disagree, and followed by
//! the reasons.

use std::fmt::Write as _;

use super::model::Rulepack;

/// The reasons behind the rules, written by hand. Each paragraph and list item is one line, as the page for
/// people needs it.
const REASONS: &str = include_str!("reasons.md");

/// The scoring method as Markdown.
#[must_use]
pub fn method_page(rules: &Rulepack) -> String {
    let mut page = String::new();
    // Writing into a String cannot fail.
    let _ = write_page(&mut page, rules);
    page
}

fn write_page(page: &mut String, rules: &Rulepack) -> std::fmt::Result {
    writeln!(page, "# How a scan is scored\n")?;
    writeln!(
        page,
        "Rules version {}, SHA-256 `{}` of their canonical JSON. The program generates this page from the rules \
         it applies; the last part gives the reasons.\n",
        rules.score_version,
        rules.digest()
    )?;
    writeln!(
        page,
        "A score depends only on the stored evidence and these rules. The same evidence always gives the same \
         record, byte for byte (check with `wayleave replay ID`).\n"
    )?;
    writeln!(page, "## How the grade is computed\n")?;
    writeln!(
        page,
        "1. Each rule gets one of five states. *Passed* earns all of its points, *partial* a share, *failed* none. \
         *Not applicable* and *not assessed* (not enough evidence) rules are left out and do not affect the \
         score.\n\
         2. The remaining rules share 100 points in proportion to their weights. Points are whole numbers. Points \
         left over from rounding go to the largest remainders, earlier rules first.\n\
         3. The score is the sum of the points earned, limited by the lowest cap that applies.\n\
         4. If no Reach rule could be assessed, and none is inapplicable because robots.txt disallows its crawlers, there \
         is no score.\n\
         5. Grades: {}.\n",
        rules
            .letters
            .iter()
            .map(|(letter, least)| format!("{letter} from {least}"))
            .collect::<Vec<_>>()
            .join(", ")
    )?;
    writeln!(page, "## Rules\n")?;
    for section in &rules.sections {
        writeln!(page, "### {}\n\n{}\n", section.title, section.about)?;
        for rule in rules.rules.iter().filter(|rule| rule.section == section.id) {
            writeln!(page, "**{}** (`{}`, weight {})  ", rule.title, rule.id, rule.weight)?;
            writeln!(page, "Scored: {}  ", rule.asks)?;
            writeln!(page, "Left out: {}  ", rule.left_out)?;
            write!(page, "Why it matters: {}", rule.why)?;
            match rule.standard {
                Some(standard) => writeln!(page, "  \nStandard: {standard}.\n")?,
                None => writeln!(page, "\n")?,
            }
        }
    }
    writeln!(page, "## Caps\n\nThe lowest cap that applies is the maximum score.\n")?;
    writeln!(page, "| maximum score | when | id |\n|---|---|---|")?;
    for cap in &rules.caps {
        writeln!(page, "| {} | {} | `{}` |", cap.at_most, cap.when, cap.id)?;
    }
    let thresholds = &rules.thresholds;
    writeln!(page, "\n## How pages are compared\n")?;
    writeln!(
        page,
        "We compare the main text of pages by sequences of five words, without navigation, headers and \
         footers.\n\n\
         - People are the browser, which asks twice, and a client without a name. A page of an AI crawler is the same \
         if its text is at least {} % similar to one that people got, or at most {} percentage points less similar \
         than theirs are among themselves, and if it replaces no price and no contact detail by another.\n\
         - A crawler whose page is not the same is read again, together with people. Most pages that vary by \
         themselves are recognised here.\n\
         - If it still got no page that people got, a trial decides: 8 requests as people and at least 7 as the \
         suspected crawlers, in an order drawn at random. There are at least 3,000 ways to split the pages into two \
         such groups. A crawler is said to get another page only if our split is clearer than every other one. A \
         site that does not look at the identity, however it varies, is accused in less than one of 1,000 scans.\n\
         - If the trial does not confirm the difference, the page *varies*. This costs no points.\n\
         - A text is *reduced* if {} % of it occurs in the browser's text and it has fewer than {} % as many words. \
         It is *augmented* if {} % of the browser's text occurs in it and it has more than {} % as many words. \
         Otherwise it is *different*.\n\
         - A page needs {} words without scripts for full points.",
        thresholds.equivalent_percent,
        thresholds.noise_percent,
        thresholds.contained_percent,
        thresholds.reduced_below_percent,
        thresholds.contained_percent,
        thresholds.augmented_above_percent,
        thresholds.enough_words
    )?;
    if !rules.data.is_empty() {
        writeln!(page, "\n## Data files used by the rules\n")?;
        for (name, digest) in &rules.data {
            writeln!(page, "- {name}: SHA-256 `{digest}`")?;
        }
    }
    write!(page, "\n{REASONS}")
}
