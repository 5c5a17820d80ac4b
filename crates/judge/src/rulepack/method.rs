//! The method as text, made from the rules themselves, so that page and rules cannot disagree.

use std::fmt::Write as _;

use super::Rulepack;

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
        "Version {} of the rules, SHA-256 `{}` over their canonical JSON. Written by the program from \
         the very rules it judges with.\n",
        rules.score_version,
        rules.digest()
    )?;
    writeln!(
        page,
        "A scan is judged from kept evidence by rules that need nothing else: the same evidence gives \
         the same record, byte for byte (`wayleave replay ID`).\n"
    )?;
    writeln!(page, "## From rules to a letter\n")?;
    writeln!(
        page,
        "1. Each rule comes to one of five states. *Passed* earns its points, *partial* a share of them, \
         *failed* none. *Not applicable* (the site has no need of it) and *not assessed* (it could not be \
         told) count on neither side: only what failed costs points.\n\
         2. The rules that were applied have 100 points among them, by weight. Points are whole; what \
         rounding leaves over goes to the largest remainders, earlier rules first.\n\
         3. The sum of the points is the score. A cap that holds sets the most it can be.\n\
         4. Without any rule of Reach applied there is no score: too little was measured.\n\
         5. Letters: {}.\n",
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
            writeln!(page, "Earned by: {}  ", rule.asks)?;
            writeln!(page, "Left out: {}  ", rule.left_out)?;
            write!(page, "Why: {}", rule.why)?;
            match rule.standard {
                Some(standard) => writeln!(page, "  \nStandard: {standard}.\n")?,
                None => writeln!(page, "\n")?,
            }
        }
    }
    writeln!(page, "## Caps\n\nThe lowest cap that holds is the most a score can be.\n")?;
    writeln!(page, "| at most | when | id |\n|---|---|---|")?;
    for cap in &rules.caps {
        writeln!(page, "| {} | {} | `{}` |", cap.at_most, cap.when, cap.id)?;
    }
    let t = &rules.thresholds;
    writeln!(page, "\n## Where a difference begins\n")?;
    writeln!(
        page,
        "Texts are compared by their runs of five words, navigation and other frames left out.\n\n\
         - The browser asks twice. If its two texts are less than {} % alike, the page is not like itself, \
         and nothing is said about other readers.\n\
         - A text is *equivalent* when it is at least {} % like the browser's, or less alike than the \
         browser's two texts by no more than {} %, and states the same prices.\n\
         - It is *reduced* when {} % of it stands in the browser's and it has fewer than {} % of its words; \
         *augmented* when {} % of the browser's stands in it and it has more than {} % of its words; else \
         *different*.\n\
         - A page says something without scripts from {} words on.",
        t.deterministic_percent,
        t.equivalent_percent,
        t.noise_percent,
        t.contained_percent,
        t.reduced_below_percent,
        t.contained_percent,
        t.augmented_above_percent,
        t.enough_words
    )?;
    if !rules.data.is_empty() {
        writeln!(page, "\n## Data the rules read with\n")?;
        for (name, digest) in &rules.data {
            writeln!(page, "- {name}: SHA-256 `{digest}`")?;
        }
    }
    Ok(())
}
