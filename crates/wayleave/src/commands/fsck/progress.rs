//! Shows how far the check has come, on standard error: a bar on a terminal, else a line now and then.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use service::log::fsck::FsckProgress;

use crate::output::print_note;

const LINE_INTERVAL: Duration = Duration::from_secs(10);

pub(super) struct FsckProgressLine {
    /// `None` if standard error is not a terminal.
    bar: Option<ProgressBar>,
    stage: &'static str,
    stage_began: Instant,
    last_line: Instant,
}

impl FsckProgressLine {
    pub(super) fn new() -> Self {
        let style = ProgressStyle::with_template(
            "Checking {msg} {bar:24} {pos}/{len} ({elapsed}, about {eta} left)",
        );
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(1).with_style(style));
        let now = Instant::now();
        Self { bar, stage: "", stage_began: now, last_line: now }
    }

    pub(super) fn show(&mut self, step: FsckProgress) {
        let began = step.stage != self.stage;
        if began {
            (self.stage, self.stage_began) = (step.stage, Instant::now());
        }
        match &self.bar {
            Some(bar) => {
                if began {
                    bar.reset();
                    bar.set_message(step.stage);
                }
                bar.set_length(step.total.unwrap_or(step.done));
                bar.set_position(step.done);
            }
            None if self.last_line.elapsed() >= LINE_INTERVAL => {
                self.last_line = Instant::now();
                print_note(&line(step, self.stage_began.elapsed()));
            }
            None => {}
        }
    }

    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn line(step: FsckProgress, since: Duration) -> String {
    let FsckProgress { stage, done, total } = step;
    let Some(total) = total else { return format!("Checking {stage}: {done}") };
    let left = total.saturating_sub(done);
    if done == 0 || left == 0 {
        return format!("Checking {stage}: {done} of {total}");
    }
    let left = since.mul_f64(left as f64 / done as f64);
    format!("Checking {stage}: {done} of {total}, about {} left", HumanDuration(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_much_is_left() {
        let step = |done, total| FsckProgress { stage: "answers", done, total };
        let after = Duration::from_secs(30);
        assert_eq!(
            line(step(250, Some(1000)), after),
            "Checking answers: 250 of 1000, about 2 minutes left"
        );
        assert_eq!(line(step(0, Some(1000)), after), "Checking answers: 0 of 1000");
        assert_eq!(line(step(1000, Some(1000)), after), "Checking answers: 1000 of 1000");
        assert_eq!(line(step(250, None), after), "Checking answers: 250");
    }
}
