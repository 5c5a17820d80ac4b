//! The decision rules as text, made from the tables themselves, so that page and rules cannot
//! disagree.

use std::fmt::Write as _;

use super::rules::{ACTIONS, DECISION_RULES_VERSION, Effect, RULES};
use super::{RUNGS, rules_sha256};

/// The decision rules as Markdown.
#[must_use]
pub fn decisions_page() -> String {
    let mut page = String::new();
    // Writing into a String cannot fail.
    let _ = write_page(&mut page);
    page
}

fn write_page(page: &mut String) -> std::fmt::Result {
    writeln!(page, "# How decisions are taken\n")?;
    writeln!(
        page,
        "Version {DECISION_RULES_VERSION} of the rules, SHA-256 `{}` over their canonical JSON. Written by the program \
         from the very rules it decides with. Every answer names this digest as `decision_rules_sha256`.\n",
        rules_sha256()
    )?;
    writeln!(
        page,
        "An answer's decisions are a function of its own sections. Whoever holds an answer can take them again. \
         Proven control and reported outcomes are no part of it.\n"
    )?;
    writeln!(page, "## Decisions\n")?;
    writeln!(
        page,
        "From the loosest to the strictest: `allow`, `warn`, `require_confirmation` (a person decides), `unsupported` \
         (nothing there to act upon), `block`. A reader takes a word it does not know as `block`.\n\n\
         1. Each rule below looks at one ground alone. When it holds, it sets the best decision that is left for \
         an action, or tells a doubt and changes nothing.\n\
         2. The decision is the strictest that any rule asks for. Without any it is `allow`.\n\
         3. What was not measured never counts as good: reading and citing are then at best `warn`, connecting \
         and transacting at best `require_confirmation`. It does not count as bad either.\n\
         4. A transaction is never allowed without a person, and administration never at all.\n"
    )?;
    writeln!(page, "## Actions\n")?;
    writeln!(page, "| action | least assurance | evidence at most | needs |\n|---|---|---|---|")?;
    for terms in &ACTIONS {
        writeln!(
            page,
            "| `{}` | {} | {} hours | {} |",
            terms.action, terms.minimum_assurance, terms.max_age_hours, terms.needs
        )?;
    }
    writeln!(page, "\n## Rules\n")?;
    writeln!(
        page,
        "*doubt*: told, and the decision stays. An empty field: the rule does not look at the action.\n\n\
         | rule | holds when | doubt | read | cite | connect | transact | administer |\n|---|---|---|---|---|---|---|---|"
    )?;
    for rule in RULES {
        let values = rule.when.values();
        let when = if values.is_empty() {
            "always".to_owned()
        } else {
            format!("{} is {}", rule.when.ground(), values.join(" or "))
        };
        write!(page, "| `{}` | {when} | `{}` |", rule.id, rule.doubt)?;
        let effects = &rule.effects;
        for effect in
            [effects.read, effects.cite, effects.connect, effects.transact, effects.administer]
        {
            match effect {
                Effect::Nothing => write!(page, "  |")?,
                Effect::Doubt => write!(page, " *doubt* |")?,
                effect => write!(page, " {} |", effect.as_str())?,
            }
        }
        writeln!(page)?;
    }
    writeln!(page, "\nWhat each rule says when it holds:\n")?;
    for rule in RULES {
        writeln!(page, "- `{}`: {}", rule.id, rule.sentence)?;
    }
    writeln!(page, "\n## The assurance ladder\n")?;
    writeln!(page, "{}\n", super::ladder::RULE)?;
    writeln!(page, "| rung | reached by |\n|---|---|")?;
    for terms in &RUNGS {
        writeln!(page, "| `{}` | {} |", terms.rung, terms.reached_by)?;
    }
    Ok(())
}
