//! A page of text of a given width: headings, wrapped paragraphs, tables.
//!
//! Every text passes through [`harmless`], because a record quotes untrusted sites, whose text must not
//! control the terminal. Only the functions here add to the page.

use crate::output::{Tone, paint, sanitize_for_terminal};

/// A page being written.
#[derive(Debug)]
pub(super) struct Page {
    out: String,
    width: usize,
    colours: bool,
}

/// One cell of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    text: String,
    tone: Option<Tone>,
}

/// If fewer columns than this are left, a long last cell of a table moves to its own lines.
const MIN_COLUMN: usize = 24;
const GAP: usize = 2;

impl Page {
    pub(super) fn new(width: usize, colours: bool) -> Self {
        Self { out: String::new(), width, colours }
    }

    pub(super) fn into_text(self) -> String {
        self.out
    }

    /// A heading, with an empty line before it.
    pub(super) fn heading(&mut self, text: &str) {
        self.out.push('\n');
        self.line(0, Some(Tone::Strong), &on_one_line(text));
    }

    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    pub(super) fn prose(&mut self, indent: usize, text: &str) {
        self.write_wrapped(indent, "", None, text);
    }

    pub(super) fn faint(&mut self, indent: usize, text: &str) {
        self.write_wrapped(indent, "", Some(Tone::Faint), text);
    }

    pub(super) fn toned(&mut self, indent: usize, tone: Tone, text: &str) {
        self.write_wrapped(indent, "", Some(tone), text);
    }

    /// A label and wrapped text next to it, indented by the label's width.
    pub(super) fn labelled(&mut self, indent: usize, label: &str, text: &str) {
        self.write_wrapped(indent, label, None, text);
    }

    /// Text of a site, with a line at its left side.
    pub(super) fn quoted(&mut self, indent: usize, text: &str) {
        let room = self.width.saturating_sub(indent + 2).max(MIN_COLUMN);
        for line in wrap(&on_one_line(text), room) {
            self.push(indent, &format!("│ {line}"));
        }
    }

    fn write_wrapped(&mut self, indent: usize, label: &str, tone: Option<Tone>, text: &str) {
        let label = on_one_line(label);
        let shift = if label.is_empty() { 0 } else { width_of(&label) + 1 };
        let room = self.width.saturating_sub(indent + shift).max(MIN_COLUMN);
        for (at, line) in wrap(&on_one_line(text), room).iter().enumerate() {
            let lead = match at {
                0 if shift > 0 => format!("{} ", self.paint(Some(Tone::Faint), &label)),
                _ => " ".repeat(shift),
            };
            let line = self.paint(tone, line);
            self.push(indent, &format!("{lead}{line}"));
        }
    }

    /// Text that is never wrapped, because people copy it.
    pub(super) fn verbatim(&mut self, indent: usize, text: &str) {
        for line in text.lines() {
            self.line(indent, None, &sanitize_for_terminal(line));
        }
    }

    /// A table: columns as wide as their widest cell; the last one takes the rest and is wrapped.
    pub(super) fn table(&mut self, indent: usize, rows: &[Vec<Cell>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let fixed = columns.saturating_sub(1);
        let widths: Vec<usize> = (0..fixed)
            .map(|at| {
                let cells = rows.iter().filter_map(|row| row.get(at));
                cells.map(|cell| width_of(&cell.text)).max().unwrap_or(0)
            })
            .collect();
        // A column that is empty in every row is left out, including its gap.
        let taken: usize = widths.iter().filter(|width| **width > 0).map(|width| width + GAP).sum();
        let room = self.width.saturating_sub(indent + taken);
        for row in rows {
            let mut head = String::new();
            for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
                head.push_str(&self.paint(cell.tone, &cell.text));
                head.push_str(&" ".repeat(width.saturating_sub(width_of(&cell.text)) + GAP));
            }
            let last = row.get(fixed).cloned().unwrap_or_default();
            if room >= MIN_COLUMN || width_of(&last.text) <= room {
                let lines = wrap(&last.text, room.max(MIN_COLUMN));
                let first = self.paint(last.tone, lines.first().map_or("", String::as_str));
                self.push(indent, &format!("{head}{first}"));
                for line in lines.iter().skip(1) {
                    self.line(indent + taken, last.tone, line);
                }
            } else {
                self.push(indent, &head);
                self.write_wrapped(indent + 4, "", last.tone, &last.text);
            }
        }
    }

    fn line(&mut self, indent: usize, tone: Option<Tone>, text: &str) {
        let text = self.paint(tone, text);
        self.push(indent, &text);
    }

    /// Adds a finished line without trailing white space.
    fn push(&mut self, indent: usize, text: &str) {
        let text = text.trim_end();
        if !text.is_empty() {
            self.out.push_str(&" ".repeat(indent));
            self.out.push_str(text);
        }
        self.out.push('\n');
    }

    fn paint(&self, tone: Option<Tone>, text: &str) -> String {
        match tone {
            Some(tone) if !text.is_empty() => paint(self.colours, tone, text),
            _ => text.to_owned(),
        }
    }
}

impl Cell {
    pub(super) fn new(text: impl AsRef<str>) -> Self {
        Self { text: on_one_line(text.as_ref()), tone: None }
    }

    pub(super) fn toned(tone: Tone, text: impl AsRef<str>) -> Self {
        Self { text: on_one_line(text.as_ref()), tone: Some(tone) }
    }
}

/// Sanitized text without line breaks.
fn on_one_line(text: &str) -> String {
    sanitize_for_terminal(&text.replace(['\n', '\r', '\t'], " "))
}

fn width_of(text: &str) -> usize {
    text.chars().count()
}

/// Lines of at most `width` characters, broken between words. A longer word is not broken: it may be
/// a URL that somebody copies.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = width_of(word);
        if used > 0 && used + 1 + length > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    if used > 0 {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_between_words_and_long_words_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrap("a https://long.example/path b", 8),
            ["a", "https://long.example/path", "b"]
        );
        assert_eq!(wrap("  \n ", 8), Vec::<String>::new());
        assert_eq!(wrap("é é é", 3), ["é é", "é"]);
    }

    #[test]
    fn wrapped_text_is_indented_by_its_label() {
        let mut page = Page::new(40, false);
        page.labelled(2, "seen", "words that go on for longer than one line has room for");
        let text = page.into_text();
        assert_eq!(text, "  seen words that go on for longer than\n       one line has room for\n");
        assert!(text.lines().all(|line| width_of(line) <= 40), "{text}");
    }

    #[test]
    fn the_last_column_is_wrapped_beside_the_others_or_below_them() {
        let rows = [
            vec![Cell::new("/a"), Cell::new(""), Cell::new("words that go on for a while longer")],
            vec![Cell::new("/longer"), Cell::new(""), Cell::new("short")],
        ];
        let mut page = Page::new(40, false);
        page.table(2, &rows);
        assert_eq!(
            page.into_text(),
            "  /a       words that go on for a while\n           longer\n  /longer  short\n"
        );
        let mut page = Page::new(30, false);
        page.table(2, &rows);
        assert_eq!(
            page.into_text(),
            "  /a\n      words that go on for a\n      while longer\n  /longer  short\n"
        );
    }

    #[test]
    fn nothing_on_a_page_can_control_the_terminal() {
        let evil = "\u{1b}[2J\u{202e}x\ny";
        let mut page = Page::new(60, false);
        page.heading(evil);
        page.prose(0, evil);
        page.labelled(0, evil, evil);
        page.verbatim(0, evil);
        page.table(0, &[vec![Cell::new(evil), Cell::toned(Tone::Bad, evil)]]);
        let text = page.into_text();
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        let mut page = Page::new(60, true);
        page.toned(0, Tone::Bad, "x");
        assert_eq!(page.into_text(), "\u{1b}[31mx\u{1b}[0m\n");
    }
}
