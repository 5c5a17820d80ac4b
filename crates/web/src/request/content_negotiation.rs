//! Content negotiation: which media type the client prefers.

use http::{HeaderMap, header::ACCEPT};

/// The weight (0 to 1000) an Accept header gives a media type; 1000 when there is no header.
/// The most specific range that matches decides (RFC 9110, 12.5.1).
pub(crate) fn accept_weight(headers: &HeaderMap, wanted: &str) -> u16 {
    let mut best: Option<(u8, u16)> = None;
    let mut any = false;
    for line in headers.get_all(ACCEPT) {
        // A line that is not text names no media type.
        let Ok(line) = line.to_str() else { continue };
        for range in line.split(',').take(64) {
            any = true;
            let mut parts = range.split(';');
            let name = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
            let Some(specific) = specificity(&name, wanted) else { continue };
            let q = parts.find_map(quality).unwrap_or(1000);
            if best.is_none_or(|(known, _)| specific > known) {
                best = Some((specific, q));
            }
        }
    }
    match best {
        Some((_, q)) => q,
        None if any => 0,
        None => 1000,
    }
}

/// Whether the client prefers the first media type to the second.
pub(crate) fn prefers(headers: &HeaderMap, first: &str, second: &str) -> bool {
    accept_weight(headers, first) > accept_weight(headers, second)
}

fn specificity(range: &str, wanted: &str) -> Option<u8> {
    if range == wanted {
        return Some(2);
    }
    let (family, rest) = range.split_once('/')?;
    match (family, rest) {
        ("*", "*") => Some(0),
        (family, "*") if wanted.split('/').next() == Some(family) => Some(1),
        _ => None,
    }
}

/// Parses `q=0.5` as 500. An invalid weight is ignored, so the range counts fully.
fn quality(parameter: &str) -> Option<u16> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let value: f64 = value.trim().parse().ok()?;
    (0.0..=1.0).contains(&value).then(|| (value * 1000.0).round() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accept(value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, value.parse().unwrap());
        headers
    }

    #[test]
    fn the_most_specific_range_decides() {
        let json = "application/json";
        let problem = "application/problem+json";
        for (header, first, second, expected) in [
            ("application/problem+json", problem, json, true),
            ("application/problem+json, application/json;q=0.9", problem, json, true),
            ("application/json, application/problem+json", problem, json, false),
            ("*/*", problem, json, false),
            ("application/*", problem, json, false),
            ("application/problem+json;q=0.1, */*;q=0.5", problem, json, false),
            ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html", json, true),
            ("application/json", json, "text/html", true),
            ("APPLICATION/JSON ; Q=0.7, text/html;q=0.2", json, "text/html", true),
            ("application/json;q=0, text/html", json, "text/html", false),
            ("nonsense", json, "text/html", false),
            ("application/json;q=7", json, "text/html", true),
        ] {
            assert_eq!(prefers(&accept(header), first, second), expected, "{header}");
        }
        assert!(!prefers(&HeaderMap::new(), problem, json));
    }
}
