//! Whether the name of a tool promises only to look, while its text says that it changes something.
//!
//! Deliberately narrow: the name must begin with a word of looking and have no word of changing, and the
//! text must begin with a verb that cannot mean anything else. Everything else stays quiet.

use super::item_match::{ItemMatch, at, words_of};
use crate::mcp::surface::Item;

/// First words of names that promise to look only. `check` and `query` are left out: both may act.
const LOOKING: &[&str] =
    &["get", "list", "read", "show", "view", "describe", "count", "search", "find", "lookup"];
/// How texts begin that say the opposite. No verbs that also describe a calculation (removes, drops,
/// replaces, cancels).
const ACTING: &[&str] = &[
    "deletes ",
    "delete ",
    "permanently deletes ",
    "permanently delete ",
    "erases ",
    "erase ",
    "wipes ",
    "wipe ",
    "overwrites ",
    "overwrite ",
    "uninstalls ",
    "uninstall ",
    "sends an email",
    "send an email",
    "sends money",
    "transfers money",
    "transfer money",
    "transfers funds",
    "executes a shell",
    "execute a shell",
    "executes shell",
    "execute shell",
    "executes arbitrary",
    "execute arbitrary",
    "runs a shell",
    "run a shell",
    "runs arbitrary",
    "run arbitrary",
];
/// Words of a name that say that the tool does more than look.
const DOING: &[&str] = &[
    "and",
    "delete",
    "deleted",
    "erase",
    "wipe",
    "clear",
    "purge",
    "remove",
    "overwrite",
    "replace",
    "uninstall",
    "send",
    "email",
    "mail",
    "transfer",
    "pay",
    "exec",
    "execute",
    "run",
    "shell",
    "command",
    "commands",
    "code",
    "eval",
    "sql",
];

/// A tool whose text contradicts the promise of its name.
pub(super) fn find_broken_promise(item: &Item) -> Option<ItemMatch> {
    let words = words_of(&item.name);
    let (first, rest) = words.split_first()?;
    let is_promise = LOOKING.contains(&first.as_str())
        && !rest.iter().any(|word| DOING.contains(&word.as_str()));
    let text = item.text_member("description").unwrap_or_default();
    let start: String = text.trim_start().chars().take(40).flat_map(char::to_lowercase).collect();
    let acts = ACTING.iter().any(|verb| start.starts_with(verb));
    // A query that only reads is executed too.
    let only_reads = start.contains("read-only") || start.contains("readonly");
    (is_promise && acts && !only_reads)
        .then(|| at("capability_mismatch", "name", "/name", &item.name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::{ListKind, SurfaceBuilder};

    fn is_broken(name: &str, text: &str) -> bool {
        let tools = json!([{"name": name, "description": text}]);
        let mut builder = SurfaceBuilder::new();
        builder.add_page(ListKind::Tools, tools.to_string().as_bytes()).unwrap();
        find_broken_promise(&builder.finish().items[0]).is_some()
    }

    #[test]
    fn only_clear_contradictions_count() {
        for (name, text) in [
            ("get_report", "Deletes all reports of the account."),
            ("listFiles", "Execute a shell command and return its output."),
            ("read-balance", "Transfers money to another account."),
        ] {
            assert!(is_broken(name, text), "{name}");
        }
        for (name, text) in [
            ("get_report", "Returns a report. Deletes the temporary file afterwards."),
            ("list_deleted", "Deleted files, newest first."),
            ("find_and_delete", "Deletes files that match."),
            ("get_unique", "Removes duplicates and returns the rest."),
            ("read_query", "Execute a read-only query."),
            ("delete_file", "Deletes a file."),
            ("check_out", "Deletes the lock."),
            ("get_x", ""),
        ] {
            assert!(!is_broken(name, text), "{name}");
        }
    }
}
