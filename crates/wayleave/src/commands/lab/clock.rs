//! `wayleave lab clock`: shows or moves the clock of a running demo.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::control_call::LabArg;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Moves the clock that the service of a running demo uses, so that you need not wait to see what it does \
                  after a month. It only moves forward. Limits of requests per minute keep the real time. Other commands \
                  (`wayleave licence`, `key`, …) keep the real time, too.\n\n\
                  Exit codes: 0 done, 2 not done."
)]
pub(super) struct Args {
    /// How far to move it: a number and s, m, h or d, such as +31d, +6h or +90m
    #[arg(value_name = "+TIME", allow_hyphen_values = true, conflicts_with = "show")]
    by: Option<String>,
    /// Show the time of the demo, and how far it is ahead
    #[arg(long)]
    show: bool,
    /// Print JSON: now, ahead_s
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    lab: LabArg,
}

pub(super) fn run(args: &Args) -> Result<u8> {
    let seconds = args.by.as_deref().map(parse_seconds).transpose()?;
    let clock = wiring::runtime()?.block_on(async {
        match seconds {
            Some(seconds) => {
                args.lab.call("POST", "clock", Some(json!({ "advance_s": seconds }))).await
            }
            None => args.lab.call("GET", "clock", None).await,
        }
    })?;
    if args.json {
        output::print_json(&clock)?;
        return Ok(exit::PASSED);
    }
    let now = clock.get("now").and_then(Value::as_str).context("the lab's answer has no time")?;
    let ahead = clock.get("ahead_s").and_then(Value::as_u64).unwrap_or_default();
    let ahead = match ahead {
        0 => "the real time".to_owned(),
        ahead => format!("{} ahead of the real time", describe_seconds(ahead)),
    };
    output::print_line(&format!("{now} ({ahead})"));
    Ok(exit::PASSED)
}

/// Parses `+31d`.
fn parse_seconds(text: &str) -> Result<u64> {
    const HELP: &str = "write a plus sign, a number and s, m, h or d, such as +31d or +6h";
    if text.starts_with('-') {
        bail!("a lab clock only moves forward: {HELP}");
    }
    let parse = || {
        let text = text.strip_prefix('+')?;
        let (unit, digits) =
            text.split_at_checked(text.len().checked_sub(1)?).map(|(a, b)| (b, a))?;
        let unit = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => return None,
        };
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u64>().ok().filter(|_| is_number)?.checked_mul(unit)
    };
    parse().with_context(|| format!("{text:?} is not a time: {HELP}"))
}

/// `31 days 6 h`.
fn describe_seconds(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (hours, minutes, seconds) = (rest / 3_600, rest % 3_600 / 60, rest % 60);
    let days_word = if days == 1 { "day" } else { "days" };
    let parts = [(days, days_word), (hours, "h"), (minutes, "min"), (seconds, "s")];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_sign_a_number_and_a_unit() {
        for (text, seconds) in
            [("+31d", 31 * 86_400), ("+6h", 21_600), ("+90m", 5_400), ("+1s", 1), ("+0s", 0)]
        {
            assert_eq!(parse_seconds(text).unwrap(), seconds, "{text}");
        }
        let far = format!("+{}d", u64::MAX);
        for text in ["", "+", "31d", "+31", "+d", "+1w", "+1.5h", "++1h", "+ 1h", "+1ü", &far] {
            let error = parse_seconds(text).unwrap_err().to_string();
            assert!(error.contains("is not a time"), "{text}: {error}");
        }
        assert!(parse_seconds("-1d").unwrap_err().to_string().contains("only moves forward"));
    }

    #[test]
    fn times_are_described_by_their_parts() {
        assert_eq!(describe_seconds(31 * 86_400), "31 days");
        assert_eq!(describe_seconds(86_400 + 3 * 3_600 + 62), "1 day 3 h 1 min 2 s");
    }
}
