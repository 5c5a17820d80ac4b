//! `/ai.txt` as Spawning reads it: rules about training in robots.txt grammar, mostly by file type.
//!
//! Other proposals use the same file name; a file without such groups states nothing.

use super::{Carrier, ContentUse, Effect, Mechanism, ParsedStatements, Statement, Weight};
use crate::robots::Robots;

/// File types that contain a page's text.
const TEXT_TYPES: [&str; 6] = ["html", "htm", "txt", "md", "xhtml", "php"];
const MAX_RULES: usize = 500;

#[must_use]
pub fn parse(body: &[u8]) -> ParsedStatements {
    let mut parsed = ParsedStatements::default();
    let file = Robots::parse(body);
    let rules: Vec<(bool, String, u32)> = file
        .rules_for_everyone()
        .take(MAX_RULES)
        .map(|(allow, pattern, line)| (allow, String::from_utf8_lossy(pattern).into_owned(), line))
        .filter(|(_, pattern, _)| !pattern.is_empty())
        .collect();
    if rules.is_empty() {
        parsed.add_fault(
            "ai_txt_unknown",
            Weight::Note,
            "",
            "The file has no `User-Agent: *` group with rules. The only known reader of ai.txt (Spawning) finds nothing in it.",
            "User-Agent: *\nDisallow: /",
        );
        return parsed;
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
        (Some(rule), _) if !opened => (
            Some(rule),
            Some(Effect::Disallow),
            "No content of this site may be used for training.",
        ),
        (Some(rule), _) => (
            Some(rule),
            Some(Effect::Conditional),
            "Some file types may be used for training, others may not.",
        ),
        (None, Some(rule)) => (
            Some(rule),
            Some(Effect::Conditional),
            "Some types of text file may not be used for training.",
        ),
        (None, None) => (rules.first(), None, "The rules cover media files only."),
    };
    let Some((allow, pattern, line)) = decisive else { return parsed };
    let raw = format!("{}: {pattern}", if *allow { "Allow" } else { "Disallow" });
    let mut statement = Statement::new(Mechanism::AiTxt, Carrier::File, &raw);
    statement.line = Some(*line);
    statement.add_note(note);
    if let Some(effect) = effect {
        statement.add_effect(ContentUse::Train, effect);
    }
    parsed.statements.push(statement);
    parsed
}
