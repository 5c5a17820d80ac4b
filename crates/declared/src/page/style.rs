//! Detects inline styles that hide text from people.

/// How many bytes of a style attribute are examined.
const MAX_STYLE_BYTES: usize = 2_048;
/// Pixels to the left of or above the window that nobody scrolls to.
const FAR_AWAY: f64 = -500.0;

/// Whether text with this style cannot be seen: not displayed, transparent, without size, far outside
/// the window, clipped, or in the colour of its own background.
pub(super) fn hides_text(style: &str) -> bool {
    let style = super::text::truncate_str(style, MAX_STYLE_BYTES);
    let mut placed = false;
    let mut far = false;
    let mut clipped = false;
    let mut flat = false;
    let mut colour = None;
    let mut background = None;
    for declaration in style.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let value = value.trim().to_ascii_lowercase();
        let value = value.strip_suffix("!important").map_or(value.as_str(), str::trim_end);
        match name.trim().to_ascii_lowercase().as_str() {
            "display" if value == "none" => return true,
            "visibility" if matches!(value, "hidden" | "collapse") => return true,
            "opacity" if number(value) == Some(0.0) => return true,
            "font-size" if number(value) == Some(0.0) => return true,
            "text-indent" if number(value).is_some_and(|n| n <= FAR_AWAY) => return true,
            "clip-path" if value.replace(' ', "").starts_with("inset(100%") => return true,
            "transform" if value.replace(' ', "").starts_with("scale(0)") => return true,
            "clip" => {
                let inner = value.strip_prefix("rect(").and_then(|v| v.strip_suffix(')'));
                clipped |= inner.is_some_and(|edges| {
                    edges
                        .split([',', ' '])
                        .filter(|edge| !edge.is_empty())
                        .all(|edge| number(edge).is_some_and(|n| (0.0..=1.0).contains(&n)))
                });
            }
            "position" => placed |= matches!(value, "absolute" | "fixed"),
            "left" | "top" | "right" | "bottom" | "margin-left" | "margin-top" => {
                far |= number(value).is_some_and(|n| n <= FAR_AWAY);
            }
            "width" | "height" | "max-height" | "max-width" => {
                flat |= number(value) == Some(0.0);
            }
            "overflow" if value == "hidden" => clipped |= flat,
            "color" => colour = Some(plain_colour(value)),
            "background" | "background-color" => background = Some(plain_colour(value)),
            _ => {}
        }
    }
    // `overflow` may also come before the size.
    let squashed = flat && style.to_ascii_lowercase().replace(' ', "").contains("overflow:hidden");
    let camouflaged = colour.is_some_and(|c| {
        c == "transparent" || (!c.is_empty() && background.is_some_and(|b| b == c))
    });
    (placed && (far || clipped)) || squashed || camouflaged
}

/// The number at the start of a value, whatever its unit.
fn number(value: &str) -> Option<f64> {
    let end =
        value.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(value.len());
    value.get(..end)?.parse().ok()
}

/// Normalizes common notations of a colour: `#fff`, `#ffffff`, `white`, `rgb(…)`.
fn plain_colour(value: &str) -> String {
    let value: String = value.chars().filter(|c| !c.is_whitespace()).collect();
    let named = match value.as_str() {
        "white" => "#ffffff",
        "black" => "#000000",
        "red" => "#ff0000",
        "blue" => "#0000ff",
        "yellow" => "#ffff00",
        "gray" | "grey" => "#808080",
        other => other,
    };
    if let Some(inner) = named.strip_prefix("rgb(").and_then(|v| v.strip_suffix(')')) {
        let parts: Vec<u8> = inner.split(',').filter_map(|part| part.parse().ok()).collect();
        if let [r, g, b] = parts.as_slice() {
            return format!("#{r:02x}{g:02x}{b:02x}");
        }
    }
    match named.strip_prefix('#') {
        Some(short) if short.chars().count() == 3 => {
            std::iter::once('#').chain(short.chars().flat_map(|c| [c, c])).collect()
        }
        _ => named.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide_are_told_from_those_that_do_not() {
        for hidden in [
            "display:none",
            "color:red; DISPLAY : None !important",
            "visibility: hidden",
            "opacity:0",
            "opacity: 0.0;",
            "font-size:0px",
            "position:absolute; left:-9999px",
            "top:-10000px;position:fixed",
            "text-indent:-9999em",
            "color:#fff;background:#FFFFFF",
            "color: white; background-color: rgb(255, 255, 255)",
            "color:transparent",
            "height:0;overflow:hidden",
            "overflow:hidden;width:0px",
            "position:absolute;clip:rect(0 0 0 0)",
            "clip-path: inset( 100% )",
        ] {
            assert!(hides_text(hidden), "{hidden}");
        }
        for seen in [
            "",
            "display:block",
            "opacity:0.5",
            "font-size:0.9em",
            "left:-9999px",
            "position:absolute;left:-5px",
            "color:#fff;background:#000",
            "color:#fff",
            "height:0",
            "width:100%;overflow:hidden",
            "background:url(x:none)",
            "display",
        ] {
            assert!(!hides_text(seen), "{seen}");
        }
    }
}
