//! Output for people and pipes.
//!
//! Results go to standard output, everything else to standard error. A closed pipe (`| head -1`) is
//! not an error.

use std::io::{IsTerminal, Write};

use crate::logging;

/// Prints one line of the result to standard output.
pub(crate) fn print_line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// Prints bytes of the result to standard output, unchanged.
pub(crate) fn print_bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Prints a result to standard output as indented JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print_line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Prints a line to standard error that is not part of the result.
pub(crate) fn print_note(text: &str) {
    if logging::write_note(text) {
        return;
    }
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// Prints an error message to standard error.
pub(crate) fn print_error(text: &str) {
    print_note(&format!("wayleave: {text}"));
}

/// How a word is coloured on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Warning,
    Faint,
    Strong,
}

/// Whether results are coloured: on a terminal that supports it, unless NO_COLOR is set.
pub(crate) fn has_colours() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal()
        && !set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// The width of a report in columns: that of the terminal, or 100 in a pipe. Limited to 48..=140:
/// wider text is hard to read, narrower tables cannot be laid out.
pub(crate) fn report_width() -> usize {
    let terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    terminal.map_or(100, |(width, _)| usize::from(width.0)).clamp(48, 140)
}

/// The text in its colour on a terminal; plain in a pipe or when NO_COLOR is set.
pub(crate) fn colour_for_terminal(tone: Tone, text: &str) -> String {
    paint(has_colours(), tone, text)
}

/// The text in its colour if `colours` is true, else unchanged.
pub(crate) fn paint(colours: bool, tone: Tone, text: &str) -> String {
    if !colours {
        return text.to_owned();
    }
    let code = match tone {
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Warning => "33",
        Tone::Faint => "2",
        Tone::Strong => "1",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Makes untrusted text safe to print: control, bidirectional and invisible characters become
/// U+FFFD.
pub(crate) fn sanitize_for_terminal(text: &str) -> String {
    contract::text::visible_text(text)
}

/// Lays rows out in columns, each as wide as its widest cell.
pub(crate) fn format_table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|at| {
            rows.iter()
                .filter_map(|row| row.get(at))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_wide_as_its_cells() {
        let rows = vec![vec!["a".into(), "bb".into()], vec!["ccc".into(), "d".into()]];
        assert_eq!(format_table(&rows), "a    bb\nccc  d\n");
        assert_eq!(format_table(&[]), "");
    }

    #[test]
    fn untrusted_text_cannot_control_the_terminal() {
        assert_eq!(sanitize_for_terminal("a\u{1b}[2Jb\u{202e}c"), "a\u{fffd}[2Jb\u{fffd}c");
        assert_eq!(
            sanitize_for_terminal("a\u{e0041}\u{2029}\u{feff}b\nc"),
            "a\u{fffd}\u{fffd}\u{fffd}b\u{fffd}c"
        );
        assert_eq!(sanitize_for_terminal("Grüße, 東京"), "Grüße, 東京");
    }

    #[test]
    fn colours_can_be_switched_off() {
        assert_eq!(paint(false, Tone::Bad, "x"), "x");
        assert_eq!(paint(true, Tone::Bad, "x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
