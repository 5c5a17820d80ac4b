//! What people and pipes get to read.
//!
//! Results go to standard output, everything else to standard error. A reader that went away (a
//! closed pipe) is not an error.

use std::io::{IsTerminal, Write};

/// Writes a line of the result.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// Writes bytes of the result as they are.
pub(crate) fn raw(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// A result as indented JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Says something beside the result.
pub(crate) fn note(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// Says what went wrong.
pub(crate) fn problem(text: &str) {
    note(&format!("wayleave: {text}"));
}

/// How a word is coloured on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Doubt,
    Faint,
    Strong,
}

/// Whether results may be coloured: on a terminal that can, unless NO_COLOR is set.
pub(crate) fn colours() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal()
        && !set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// Columns a result may take: those of the terminal, or 100 where there is none. Text gets hard to
/// read when it is much wider, and cannot be laid out when it is much narrower.
pub(crate) fn width() -> usize {
    let terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    terminal.map_or(100, |(width, _)| usize::from(width.0)).clamp(48, 140)
}

/// The text in its colour on a terminal, and plain in a pipe (or when NO_COLOR is set).
pub(crate) fn toned(tone: Tone, text: &str) -> String {
    painted(colours(), tone, text)
}

/// The text in its colour, if there are to be colours.
pub(crate) fn painted(colours: bool, tone: Tone, text: &str) -> String {
    if !colours {
        return text.to_owned();
    }
    let code = match tone {
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Doubt => "33",
        Tone::Faint => "2",
        Tone::Strong => "1",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Text that came from elsewhere, fit for a terminal: no control characters, no reordering, nothing
/// that is there and cannot be seen.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_hidden(c) { '\u{fffd}' } else { c }).collect()
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{feff}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{e0000}'..='\u{e01ef}')
}

/// Columns of text, each as wide as its widest cell.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
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
        assert_eq!(table(&rows), "a    bb\nccc  d\n");
        assert_eq!(table(&[]), "");
    }

    #[test]
    fn text_from_elsewhere_cannot_steer_a_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\u{202e}c"), "a\u{fffd}[2Jb\u{fffd}c");
        assert_eq!(
            harmless("a\u{e0041}\u{2029}\u{feff}b\nc"),
            "a\u{fffd}\u{fffd}\u{fffd}b\u{fffd}c"
        );
        assert_eq!(harmless("Grüße, 東京"), "Grüße, 東京");
    }

    #[test]
    fn colours_are_left_out_where_there_are_to_be_none() {
        assert_eq!(painted(false, Tone::Bad, "x"), "x");
        assert_eq!(painted(true, Tone::Bad, "x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
