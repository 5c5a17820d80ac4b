//! A file before it is part of a record.

use contract::records::{ValueNotTaken, ValueSource};

use super::site::line_at;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileDraft {
    pub(super) text: String,
    pub(super) sources: Vec<ValueSource>,
    pub(super) not_taken: Vec<ValueNotTaken>,
    /// Members that the format requires and that the site does not publish.
    pub(super) missing: Vec<&'static str>,
    pub(super) reading: String,
}

/// Writes a text file line by line, and remembers the sources of each line.
#[derive(Debug, Default)]
pub(super) struct LineWriter {
    pub(super) draft: FileDraft,
    lines: usize,
}

impl LineWriter {
    pub(super) fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// Adds a line. The place of each source is set to this line.
    pub(super) fn add(&mut self, line: &str, sources: impl IntoIterator<Item = ValueSource>) {
        self.lines += 1;
        let at = line_at(self.lines);
        self.draft.text.push_str(line);
        self.draft.text.push('\n');
        let sources = sources.into_iter().map(|source| ValueSource { at: at.clone(), ..source });
        self.draft.sources.extend(sources);
    }
}
