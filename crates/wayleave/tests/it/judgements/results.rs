//! Counts right and wrong results by kind, and prints them.

use std::collections::BTreeMap;
use std::fmt;

/// One expectation that does not hold.
#[derive(Debug, Clone)]
pub(super) struct WrongResult {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) expected: String,
    pub(super) found: String,
    /// True: something was said that is not so. False: something was missed.
    pub(super) alarm: bool,
}

#[derive(Debug, Default)]
struct KindCounts {
    right: usize,
    false_alarms: usize,
    missed: usize,
}

#[derive(Debug, Default)]
pub(super) struct KindTable {
    /// By the first word of the kind: `gate` for `gate.login`.
    kinds: BTreeMap<String, KindCounts>,
    wrong: Vec<WrongResult>,
}

impl KindTable {
    pub(super) fn add(&mut self, kind: &str, right: usize, wrong: Vec<WrongResult>) {
        let word = kind.split('.').next().unwrap_or_default();
        let counts = self.kinds.entry(word.to_owned()).or_default();
        counts.right += right;
        counts.false_alarms += wrong.iter().filter(|result| result.alarm).count();
        counts.missed += wrong.iter().filter(|result| !result.alarm).count();
        self.wrong.extend(wrong);
    }

    /// The kinds with more wrong results than allowed, with both numbers.
    pub(super) fn over(&self, allowed: &[(&str, usize)]) -> Vec<String> {
        self.kinds
            .iter()
            .filter_map(|(kind, counts)| {
                let most =
                    allowed.iter().find(|(word, _)| word == kind).map_or(0, |(_, most)| *most);
                let wrong = counts.false_alarms + counts.missed;
                (wrong > most).then(|| format!("{kind}: {wrong} wrong, {most} allowed"))
            })
            .collect()
    }
}

impl fmt::Display for KindTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut wrong: Vec<&WrongResult> = self.wrong.iter().collect();
        wrong.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
        for WrongResult { file, line, expected, found, alarm } in wrong {
            let what = if *alarm { "false alarm" } else { "missed" };
            writeln!(f, "{what}: {file}:{line}: {expected}, found {found}")?;
        }
        writeln!(f, "\n{:<24} {:>6} {:>12} {:>7}", "kind", "right", "false alarm", "missed")?;
        let mut total = KindCounts::default();
        for (kind, KindCounts { right, false_alarms, missed }) in &self.kinds {
            writeln!(f, "{kind:<24} {right:>6} {false_alarms:>12} {missed:>7}")?;
            total.right += right;
            total.false_alarms += false_alarms;
            total.missed += missed;
        }
        let KindCounts { right, false_alarms, missed } = total;
        write!(f, "{:<24} {right:>6} {false_alarms:>12} {missed:>7}", "all")
    }
}
