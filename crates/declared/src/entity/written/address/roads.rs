//! Highways, which have numbers for names: `US Highway 1`, `US-1`, `SH1`.

use super::tokens::Token;

/// Writes `highway` before the number of a road, whatever kind of highway it is called.
pub(super) fn name_highways(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        split_code(tokens, at);
        let is_number = tokens.get(at + 1).is_some_and(|next| next.is_number);
        let next = tokens.get(at + 1).map(|next| next.text.clone()).unwrap_or_default();
        let is_highway = |text: &str| matches!(text, "highway" | "hwy" | "route" | "rte");
        let Some(token) = tokens.get_mut(at).filter(|token| !token.is_number) else {
            at += 1;
            continue;
        };
        match token.text.as_str() {
            // The kind of a highway is often left out.
            // `County Road 42`, `Co Rd 42`, `CR 42`
            "county" | "co"
                if matches!(next.as_str(), "road" | "rd" | "highway" | "hwy" | "route") =>
            {
                tokens.remove(at);
                if let Some(token) = tokens.get_mut(at) {
                    token.text = "countyroad".to_owned();
                }
            }
            "cr" | "csah" if is_number && token.is_capital => {
                token.text = "countyroad".to_owned();
            }
            "us" | "state" | "national" | "provincial" if is_highway(&next) => {
                tokens.remove(at);
                continue;
            }
            "us" | "sr" | "sh" | "nh" if is_number && token.is_capital => {
                token.text = "highway".to_owned();
            }
            text if is_highway(text) && is_number => token.text = "highway".to_owned(),
            _ => {}
        }
        at += 1;
    }
}

/// `SH1` as two words.
fn split_code(tokens: &mut Vec<Token>, at: usize) {
    let Some(token) = tokens.get_mut(at).filter(|token| !token.is_number) else { return };
    let number = ["us", "sr", "sh", "nh", "cr", "hwy"].iter().find_map(|code| {
        let digits = token.text.strip_prefix(code)?;
        let is_number =
            (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| (code.len(), digits.to_owned()))
    });
    let Some((length, digits)) = number else { return };
    token.text.truncate(length);
    token.is_capital = true;
    let mut number = token.clone();
    number.text = digits;
    number.is_number = true;
    tokens.insert(at + 1, number);
}

/// Writes the names of kinds of roads in short: `SP 12` for `Strada Provinciale 12`.
pub(super) fn shorten_roads(tokens: &mut Vec<Token>, region: Option<&str>) {
    let kinds: &[(&str, &str, &str)] = match region {
        Some("IT") => &[
            ("strada", "statale", "ss"),
            ("strada", "provinciale", "sp"),
            ("strada", "regionale", "sr"),
            ("strada", "comunale", "sc"),
        ],
        Some("FR" | "BE" | "LU") => {
            &[("route", "nationale", "rn"), ("route", "departementale", "rd")]
        }
        Some("ES") => &[("carretera", "nacional", "n")],
        Some("RO") => &[("drumul", "national", "dn"), ("drum", "national", "dn")],
        Some("MX" | "AR" | "CL") => &[("ruta", "nacional", "rn"), ("ruta", "provincial", "rp")],
        _ => return,
    };
    let mut at = 0;
    while at < tokens.len() {
        let next = tokens.get(at + 1).map(|next| next.text.clone()).unwrap_or_default();
        let is_number = tokens.get(at + 2).is_some_and(|number| number.is_number);
        let found = tokens.get_mut(at).filter(|_| is_number).and_then(|token| {
            let kind =
                kinds.iter().find(|(first, second, _)| *first == token.text && *second == next)?;
            token.text = kind.2.to_owned();
            token.is_capital = true;
            token.is_dotted = false;
            Some(())
        });
        if found.is_some() {
            tokens.remove(at + 1);
        }
        at += 1;
    }
}
