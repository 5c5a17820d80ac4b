//! Opening hours as JSON, in the properties of schema.org.

use serde_json::Value;

use super::super::super::graph;
use super::super::super::json_ld;

const MAX_DEPTH: usize = 6;
const MAX_LINES: usize = 60;

/// The statements of a JSON text, one on each line. None if it is no JSON.
pub(super) fn as_text(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let (value, _) = json_ld::parse_lenient(text).ok()?;
    let mut lines = Vec::new();
    collect(&value, 0, &mut lines);
    Some(lines.join("\n"))
}

fn collect(value: &Value, depth: usize, lines: &mut Vec<String>) {
    if depth > MAX_DEPTH || lines.len() >= MAX_LINES {
        return;
    }
    match value {
        Value::String(text) => lines.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|item| collect(item, depth + 1, lines)),
        Value::Object(members) => {
            let one =
                |name: &str| graph::values(members, name).first().and_then(|v| graph::text(v));
            let days: Vec<&str> = graph::values(members, "dayOfWeek")
                .into_iter()
                .filter_map(graph::text)
                .map(|day| day.rsplit(['/', ':']).next().unwrap_or(day))
                .collect();
            // Hours for certain dates are not part of the week.
            if one("validFrom").is_some() || one("validThrough").is_some() {
                return;
            }
            match (one("opens"), one("closes")) {
                (Some(opens), Some(closes)) if !is_closed(opens, closes) => {
                    lines.push(format!("{} {opens}-{closes}", days.join(", ")));
                }
                _ if !days.is_empty() => lines.push(format!("{} closed", days.join(", "))),
                _ => {
                    for name in ["openingHours", "openingHoursSpecification"] {
                        graph::values(members, name)
                            .into_iter()
                            .for_each(|inner| collect(inner, depth + 1, lines));
                    }
                }
            }
        }
        _ => {}
    }
}

/// Midnight to midnight is how search engines read a closed day.
fn is_closed(opens: &str, closes: &str) -> bool {
    let is_midnight = |time: &str| time.starts_with("00:00");
    is_midnight(opens) && is_midnight(closes)
}
