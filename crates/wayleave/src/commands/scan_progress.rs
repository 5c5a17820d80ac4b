//! Live progress of a scan on a terminal: a bar, and what has just been read. Nothing in a pipe.

use std::io::IsTerminal;
use std::time::Duration;

use contract::evidence::Target;
use indicatif::{ProgressBar, ProgressStyle};
use observe::{Step, StepRead};

use crate::output::harmless;

pub(super) fn bar(domain: &str) -> ProgressBar {
    shown("{prefix} {bar:24} {pos}/{len} reads\n  {wide_msg}", &format!("Scanning {domain}"))
}

/// For a list of domains.
pub(super) fn census(domains: u64) -> ProgressBar {
    let bar = shown("{prefix} {bar:24} {pos}/{len} ({eta} left)\n  {wide_msg}", "Census");
    bar.set_length(domains);
    bar
}

/// For a wait of unknown length.
pub(super) fn waiting(server: &str) -> ProgressBar {
    let bar = shown("{spinner} {prefix} ({elapsed})", &format!("Waiting for {server}"));
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(120));
    }
    bar
}

fn shown(template: &str, prefix: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style).with_prefix(harmless(prefix))
}

/// Moves the bar, and names what has just been read.
pub(super) fn tell(bar: &ProgressBar, step: &Step) {
    bar.set_length(step.of as u64);
    bar.set_position(step.done as u64);
    if let Some(read) = &step.read {
        bar.set_message(line(read));
    }
}

/// `home as gptbot … 403`, `/llms.txt … 404`.
fn line(read: &StepRead) -> String {
    let what = match &read.target {
        Target::Home => format!("home as {}", read.identity),
        Target::RobotsAs => format!("{} as {}", read.path, read.identity),
        Target::PlainHome => "home over plain http".to_owned(),
        Target::Markdown => "home as Markdown".to_owned(),
        Target::Fresh => format!("{} past the cache", read.path),
        Target::ControlPath => "a path that cannot exist".to_owned(),
        _ => read.path.clone(),
    };
    let came = match (read.status, &read.failure) {
        (Some(status), None) => status.to_string(),
        (Some(status), Some(failure)) => format!("{status}, then {}", failure.replace('_', " ")),
        (None, Some(failure)) => failure.replace('_', " "),
        (None, None) => "nothing".to_owned(),
    };
    harmless(&format!("{what} … {came} ({} ms)", read.ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_told_in_a_few_words() {
        let read = |target, path: &str, status, failure: Option<&str>| StepRead {
            target,
            path: path.to_owned(),
            identity: "gptbot".to_owned(),
            status,
            failure: failure.map(str::to_owned),
            ms: 12,
        };
        for (read, told) in [
            (read(Target::Home, "/", Some(403), None), "home as gptbot … 403 (12 ms)"),
            (read(Target::MachineFile, "/llms.txt", Some(404), None), "/llms.txt … 404 (12 ms)"),
            (
                read(Target::Robots, "/robots.txt", None, Some("read_timeout")),
                "/robots.txt … read timeout (12 ms)",
            ),
            (read(Target::Sitemap, "/\u{1b}[2J", Some(200), None), "/\u{fffd}[2J … 200 (12 ms)"),
        ] {
            assert_eq!(line(&read), told);
        }
    }
}
