//! Live progress on a terminal: a bar and the latest request. Prints nothing in a pipe.

use std::io::IsTerminal;
use std::time::Duration;

use contract::evidence::ReadTarget;
use indicatif::{ProgressBar, ProgressStyle};
use observe::{ProgressRead, ScanProgress};

use crate::output::sanitize_for_terminal;

pub(super) fn scan_bar(domain: &str) -> ProgressBar {
    new_bar("{prefix} {bar:24} {pos}/{len} requests\n  {wide_msg}", &format!("Scanning {domain}"))
}

/// The bar for a census.
pub(super) fn census_bar(domains: u64) -> ProgressBar {
    let bar = new_bar("{prefix} {bar:24} {pos}/{len} ({eta} left)\n  {wide_msg}", "Census");
    bar.set_length(domains);
    bar
}

/// The bar for the visitors of a log.
pub(super) fn visitors_bar(visitors: u64) -> ProgressBar {
    let bar = new_bar("{prefix} {bar:24} {pos}/{len} ({eta} left)", "Checking visitors");
    bar.set_length(visitors);
    bar
}

/// The bar for reading logs.
pub(super) fn logs_bar(bytes: u64) -> ProgressBar {
    let template = "{prefix} {bar:24} {bytes}/{total_bytes} ({binary_bytes_per_sec}, {eta} left)";
    let bar = new_bar(template, "Reading logs");
    bar.set_length(bytes);
    bar
}

/// A spinner for a wait of unknown length.
pub(super) fn waiting_spinner(server: &str) -> ProgressBar {
    let bar = new_bar("{spinner} {prefix} ({elapsed})", &format!("Waiting for {server}"));
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(120));
    }
    bar
}

fn new_bar(template: &str, prefix: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style).with_prefix(sanitize_for_terminal(prefix))
}

/// Moves the bar and shows the request that just finished.
pub(super) fn show_step(bar: &ProgressBar, step: &ScanProgress) {
    bar.set_length(step.total as u64);
    bar.set_position(step.done as u64);
    if let Some(read) = &step.read {
        bar.set_message(describe_read(read));
    }
}

/// `home page as gptbot … 403`, `/llms.txt … 404`.
fn describe_read(read: &ProgressRead) -> String {
    let what = match &read.target {
        ReadTarget::Home => format!("home page as {}", read.identity),
        ReadTarget::RobotsAs | ReadTarget::Page => format!("{} as {}", read.path, read.identity),
        ReadTarget::PlainHome => "home page over plain http".to_owned(),
        ReadTarget::Markdown => "home page as Markdown".to_owned(),
        ReadTarget::Fresh => format!("{} bypassing caches", read.path),
        ReadTarget::ControlPath => "a random path that should not exist".to_owned(),
        _ => read.path.clone(),
    };
    let result = match (read.status, &read.failure) {
        (Some(status), None) => status.to_string(),
        (Some(status), Some(failure)) => format!("{status}, then {}", failure.replace('_', " ")),
        (None, Some(failure)) => failure.replace('_', " "),
        (None, None) => "no response".to_owned(),
    };
    sanitize_for_terminal(&format!("{what} … {result} ({} ms)", read.took_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_described_in_a_few_words() {
        let read = |target, path: &str, status, failure: Option<&str>| ProgressRead {
            target,
            path: path.to_owned(),
            identity: "gptbot".to_owned(),
            status,
            failure: failure.map(str::to_owned),
            took_ms: 12,
        };
        for (read, expected) in [
            (read(ReadTarget::Home, "/", Some(403), None), "home page as gptbot … 403 (12 ms)"),
            (
                read(ReadTarget::MachineFile, "/llms.txt", Some(404), None),
                "/llms.txt … 404 (12 ms)",
            ),
            (
                read(ReadTarget::Robots, "/robots.txt", None, Some("read_timeout")),
                "/robots.txt … read timeout (12 ms)",
            ),
            (
                read(ReadTarget::Sitemap, "/\u{1b}[2J", Some(200), None),
                "/\u{fffd}[2J … 200 (12 ms)",
            ),
        ] {
            assert_eq!(describe_read(&read), expected);
        }
    }
}
