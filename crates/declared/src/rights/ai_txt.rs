//! `/ai.txt` as Spawning reads it: robots.txt grammar, paths mostly by file type, about training.
//!
//! Other proposals share the name; a file without such groups is left alone.

use super::{Carrier, Effect, Heard, Mechanism, Statement, Use, Weight};
use crate::robots::Robots;

/// File types that a page's own text comes in.
const TEXT_TYPES: [&str; 6] = ["html", "htm", "txt", "md", "xhtml", "php"];
const MAX_RULES: usize = 500;

#[must_use]
pub fn read(body: &[u8]) -> Heard {
    let mut heard = Heard::default();
    let file = Robots::parse(body);
    let rules: Vec<(bool, String, u32)> = file
        .rules_for_everyone()
        .take(MAX_RULES)
        .map(|(allow, pattern, line)| (allow, String::from_utf8_lossy(pattern).into_owned(), line))
        .filter(|(_, pattern, _)| !pattern.is_empty())
        .collect();
    if rules.is_empty() {
        heard.fault(
            "ai_txt_unknown",
            Weight::Note,
            "",
            "The file has no `User-Agent: *` group with rules, so the one known reader of ai.txt takes nothing from it.",
            "User-Agent: *\nDisallow: /",
        );
        return heard;
    }
    let whole = |pattern: &str| matches!(pattern, "/" | "*" | "/*" | "*.*" | "/*.*");
    let text = |pattern: &str| {
        pattern
            .trim_end_matches('$')
            .rsplit_once('.')
            .is_some_and(|(_, ending)| TEXT_TYPES.contains(&ending))
    };
    let opened =
        rules.iter().any(|(allow, pattern, _)| *allow && (whole(pattern) || text(pattern)));
    let closed = rules.iter().find(|(allow, pattern, _)| !allow && whole(pattern));
    let limited = rules.iter().find(|(allow, pattern, _)| !allow && text(pattern));
    let (decisive, effect, note) = match (closed, limited) {
        (Some(rule), _) if !opened => {
            (Some(rule), Some(Effect::Disallow), "Nothing here may be used for training.")
        }
        (Some(rule), _) => (
            Some(rule),
            Some(Effect::Conditional),
            "Some file types may be used for training, others not.",
        ),
        (None, Some(rule)) => (
            Some(rule),
            Some(Effect::Conditional),
            "Text files of some types may not be used for training.",
        ),
        (None, None) => (rules.first(), None, "It speaks of media files alone."),
    };
    let Some((allow, pattern, line)) = decisive else { return heard };
    let raw = format!("{}: {pattern}", if *allow { "Allow" } else { "Disallow" });
    let mut statement = Statement::new(Mechanism::AiTxt, Carrier::File, &raw);
    statement.line = Some(*line);
    statement.notes(note);
    if let Some(effect) = effect {
        statement.says(Use::Train, effect);
    }
    heard.statements.push(statement);
    heard
}
