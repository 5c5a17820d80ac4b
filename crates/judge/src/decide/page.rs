//! The decision rules as text, made from the tables themselves, so that page and rules cannot
//! disagree.

use std::fmt::Write as _;

use contract::limits;

use super::rules::{ACTIONS, DECISION_RULES_VERSION, Effect, RULES};
use super::{RUNGS, TEMPLATES, rules_sha256};

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
         3. Where something that an action needs was not measured, reading and citing are at best `warn`, \
         connecting and transacting at best `require_confirmation`. What was not measured does not count as bad.\n\
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
    write_preflight(page)
}

fn write_preflight(page: &mut String) -> std::fmt::Result {
    writeln!(page, "\n## Before an action\n")?;
    writeln!(
        page,
        "`POST /api/v1/preflight` asks about one action, at one place, by one agent, now. It begins with the answer's \
         own decision and can only become stricter, in this order:\n\n\
         1. `answer`: the answer's decision for the action.\n\
         2. `robots.path`: the path and the agent against robots.txt. Disallowed: `block` for read and cite, \
         `require_confirmation` for connect and transact, for which robots.txt is not written. Not at hand: `warn` \
         for read and cite.\n\
         3. `rights`: the statements about the use that the action makes (read: ground, cite: cite, transact: \
         transact), by the rules above.\n\
         4. `freshness`: the age of the evidence now against the least of three limits: the action's (`warn`, for \
         connect and transact `require_confirmation`), the template's and the caller's \
         (`require_confirmation`).\n\
         5. `standing`: a revocation of the action: `block`.\n\
         6. `mcp`: the tool list against the one that was approved. Changed, or with a hard finding: `block`; not \
         to be compared: `require_confirmation`.\n\
         7. `live`: a live read that could not be made is told as a doubt.\n\
         8. `template`: below.\n\
         9. `caller`: lists of names and actions (`deny`, and what is not in `allow`: `block`; `human_approval`: \
         `require_confirmation`), `minimum_assurance`, `minimum_networks` and `require_entity` where they are not \
         met (`require_confirmation`), and at last what a `warn` is to become. A policy that would loosen \
         anything is an error, not ignored.\n\n\
         Rungs above `conformant` are not found by sections alone, so a caller who asks for one is never served \
         more than `require_confirmation`.\n\n\
         A receipt ends when the evidence is too old for the action, or after {} hours for read and cite, {} minutes \
         for connect, {} minutes for transact and administer, whichever comes first; at once when it says `block` or \
         `unsupported` for want of evidence.\n",
        limits::READ_RECEIPT_SECONDS / 3600,
        limits::CONNECT_RECEIPT_SECONDS / 60,
        limits::TRANSACT_RECEIPT_SECONDS / 60
    )?;
    writeln!(page, "## Templates\n")?;
    for terms in &TEMPLATES {
        writeln!(page, "### `{}`\n\n{}\n", terms.template, terms.about)?;
        if let Some(hours) = terms.max_age_hours {
            writeln!(page, "- Evidence of at most {hours} hours, else `require_confirmation`.")?;
        }
        if terms.warn_as > Effect::Warn {
            writeln!(page, "- `warn` becomes `{}`.", terms.warn_as.as_str())?;
        }
        if terms.needs_mcp_lock {
            writeln!(
                page,
                "- Without the digest of an approved tool list `require_confirmation`, with one that does not match \
                 `block`."
            )?;
        }
        for rule in terms.rules {
            let when = match rule.when.values() {
                values if values.is_empty() => "always".to_owned(),
                values => format!("{} is {}", rule.when.ground(), values.join(" or ")),
            };
            writeln!(page, "- `{}` when {when}: {}", rule.effect.as_str(), rule.sentence)?;
        }
        writeln!(page)?;
    }
    Ok(())
}
