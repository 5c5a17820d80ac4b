//! `docs/decisions.md`: generated from the tables that decide, so that page and rules cannot disagree.

use std::fmt::Write as _;

use contract::limits;

use super::assurance_ladder::{LADDER_RULE, RUNGS};
use super::decision_rules::{ACTION_TERMS, DECISION_RULES, DECISION_RULES_VERSION, Effect};
use super::preflight_templates::TEMPLATES;
use super::rules_digest::rules_sha256;

/// The decision rules as Markdown.
#[must_use]
pub fn decisions_page() -> String {
    let mut page = String::new();
    // Writing into a String cannot fail.
    let _ = write_page(&mut page);
    page
}

fn write_page(page: &mut String) -> std::fmt::Result {
    writeln!(page, "# How decisions are made\n")?;
    writeln!(
        page,
        "Version {DECISION_RULES_VERSION} of the rules, SHA-256 `{}` over their canonical JSON. The program generates \
         this page from the rules it decides with. Every answer names this digest as `decision_rules_sha256`.\n",
        rules_sha256()
    )?;
    writeln!(
        page,
        "An answer's decisions depend only on its own sections. Anybody who has an answer can compute them again. \
         Proven control and reported outcomes have no influence on them.\n"
    )?;
    writeln!(page, "## Decisions\n")?;
    writeln!(
        page,
        "From the loosest to the strictest: `allow`, `warn`, `require_confirmation` (a person decides), `unsupported` \
         (there is nothing to act on), `block`. Treat a decision that you do not know as `block`.\n\n\
         1. Each rule below looks at one input. When it applies, it limits the decision for an action, or it only \
         adds a doubt code.\n\
         2. The decision is the strictest that any rule demands. If no rule limits it, it is `allow`.\n\
         3. If something that an action needs was not measured, `read` and `cite` are at best `warn`, `connect` \
         and `transact` at best `require_confirmation`. Missing evidence is not treated as bad evidence.\n\
         4. A transaction always needs a person, and administration is never allowed.\n\
         5. `why` gives the reasons that decided. `doubts` has the codes of all rules that apply.\n"
    )?;
    writeln!(page, "## Actions\n")?;
    writeln!(
        page,
        "| action | minimum assurance | maximum age of evidence | needs |\n|---|---|---|---|"
    )?;
    for terms in &ACTION_TERMS {
        writeln!(
            page,
            "| `{}` | {} | {} hours | {} |",
            terms.action, terms.minimum_assurance, terms.max_age_hours, terms.needs
        )?;
    }
    writeln!(page, "\n## Rules\n")?;
    writeln!(
        page,
        "*doubt*: the rule adds its doubt code and does not change the decision. Empty: the rule does not concern the \
         action.\n\n\
         | rule | applies when | doubt | read | cite | connect | transact | administer |\n|---|---|---|---|---|---|---|---|"
    )?;
    for rule in DECISION_RULES {
        let values = rule.when.values();
        let when = if values.is_empty() {
            "always".to_owned()
        } else {
            format!("{} is {}", rule.when.input_name(), values.join(" or "))
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
    writeln!(page, "\nThe reason that each rule gives:\n")?;
    for rule in DECISION_RULES {
        writeln!(page, "- `{}`: {}", rule.id, rule.sentence)?;
    }
    writeln!(page, "\n## The assurance ladder\n")?;
    writeln!(page, "{LADDER_RULE}\n")?;
    writeln!(page, "| rung | reached by |\n|---|---|")?;
    for terms in &RUNGS {
        writeln!(page, "| `{}` | {} |", terms.rung, terms.reached_by)?;
    }
    write_preflight(page)
}

fn write_preflight(page: &mut String) -> std::fmt::Result {
    writeln!(page, "\n## Preflight: before an action\n")?;
    writeln!(
        page,
        "`POST /api/v1/preflight` decides one action of one agent at one address, now. It starts with the answer's \
         decision. Each step can only make it stricter, in this order:\n\n\
         1. `answer`: the answer's decision for the action.\n\
         2. `robots.path`: checks the path and the agent against robots.txt. Disallowed: `block` for read and cite; \
         `require_confirmation` for connect and transact, because robots.txt is about fetching pages. File not \
         available: `warn` for read and cite.\n\
         3. `rights`: applies the rules above to the use that the action makes of the content (read: ground, cite: \
         cite, transact: transact).\n\
         4. `freshness`: compares the current age of the evidence with three limits. Older than the action allows: \
         `warn`, for connect and transact `require_confirmation`. Older than the template or the caller allows: \
         `require_confirmation`.\n\
         5. `standing`: the action is revoked at this domain: `block`.\n\
         6. `mcp`: compares the server's tools with the approved ones. Changed, or with a hard finding: `block`. Cannot \
         be compared: `require_confirmation`.\n\
         7. `live`: a live read that was needed and could not be completed adds a doubt code.\n\
         8. `template`: see below.\n\
         9. `caller`: the caller's own policy. `deny`, and anything not in `allow`: `block`. `human_approval`, and \
         an unmet `minimum_assurance`, `minimum_networks` or `require_entity`: `require_confirmation`. Last, \
         `on_warn` and `warn_as` set what a `warn` becomes. A policy that would loosen a decision is rejected with \
         an error.\n\n\
         The sections of an answer show no rung above `conformant`. A caller who requires a higher rung gets at \
         best `require_confirmation`.\n\n\
         A receipt expires when the evidence is too old for the action, or after {} hours for read and cite, {} minutes \
         for connect, {} minutes for transact and administer, whichever comes first, and never within a minute. If \
         it keeps the agent from acting only because evidence is missing, it expires when there can be more: when the \
         queued scan is due, or {} minutes after the last live reading. `why` then says why nothing was received, and \
         `alternatives` when to ask again.\n",
        limits::READ_RECEIPT_SECONDS / 3600,
        limits::CONNECT_RECEIPT_SECONDS / 60,
        limits::TRANSACT_RECEIPT_SECONDS / 60,
        limits::LIVE_READ_PAUSE.as_secs() / 60
    )?;
    writeln!(page, "## Templates\n")?;
    for terms in &TEMPLATES {
        writeln!(page, "### `{}`\n\n{}\n", terms.template, terms.about)?;
        if let Some(hours) = terms.max_age_hours {
            writeln!(page, "- Evidence older than {hours} hours: `require_confirmation`.")?;
        }
        if terms.warn_as > Effect::Warn {
            writeln!(page, "- `warn` becomes `{}`.", terms.warn_as.as_str())?;
        }
        if terms.needs_mcp_lock {
            writeln!(
                page,
                "- No digest of an approved tool list: `require_confirmation`. Tools that do not match it: `block`."
            )?;
        }
        for rule in terms.rules {
            let when = match rule.when.values() {
                values if values.is_empty() => "always".to_owned(),
                values => format!("{} is {}", rule.when.input_name(), values.join(" or ")),
            };
            writeln!(page, "- `{}` when {when}: {}", rule.effect.as_str(), rule.sentence)?;
        }
        writeln!(page)?;
    }
    Ok(())
}
