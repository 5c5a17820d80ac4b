//! The lines that benchmarks print and `scripts/bench` makes one table of.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

/// What a figure has to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

impl Goal {
    fn is_met_by(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(least) => figure >= least,
            Self::AtMost(most) => figure <= most,
        }
    }
}

/// A figure of a benchmark. Mostly a ratio, because bare times say little about another machine.
#[derive(Debug, Clone, Copy)]
pub struct Figure<'a> {
    /// What was measured.
    pub path: &'a str,
    /// What it is compared with, measured in the same run; `-` for a bare figure.
    pub limit: &'a str,
    pub value: f64,
    /// Of a bare figure; empty for a ratio.
    pub unit: &'a str,
    pub goal: Goal,
}

impl Figure<'_> {
    /// Prints the line; returns whether the goal is met.
    pub fn report(&self) -> bool {
        println!("{}", self.line());
        self.goal.is_met_by(self.value)
    }

    fn line(&self) -> String {
        let Self { path, limit, value, unit, goal } = self;
        let (sign, goal) = match *goal {
            Goal::AtLeast(least) => (">=", least),
            Goal::AtMost(most) => ("<=", most),
        };
        let met = if self.goal.is_met_by(*value) { "met" } else { "not met" };
        let (value, goal) = (with_unit(*value, unit), with_unit(goal, unit));
        format!("BENCH | {path} | {limit} | {value} | {sign} {goal} | {met}")
    }
}

/// Large figures without decimals, which would only be noise.
fn with_unit(value: f64, unit: &str) -> String {
    let decimals = match value.abs() {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {unit}").trim_end().to_owned()
}

/// Reports a ratio to a limit that was measured in the same run; returns whether the goal is met.
pub fn report_ratio(path: &str, limit: &str, ratio: f64, goal: Goal) -> bool {
    Figure { path, limit, value: ratio, unit: "", goal }.report()
}

/// Reports a bare figure; returns whether the goal is met.
pub fn report_bare(path: &str, value: f64, unit: &str, goal: Goal) -> bool {
    Figure { path, limit: "-", value, unit, goal }.report()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_measured_and_whether_the_goal_is_met() {
        let ratio =
            Figure { path: "a", limit: "b", value: 0.499, unit: "", goal: Goal::AtLeast(0.5) };
        assert_eq!(ratio.line(), "BENCH | a | b | 0.50 | >= 0.50 | not met");
        let bare =
            Figure { path: "a", limit: "-", value: 231.4, unit: "MB", goal: Goal::AtMost(250.0) };
        assert_eq!(bare.line(), "BENCH | a | - | 231 MB | <= 250 MB | met");
    }
}
