//! Highways, which have numbers for names: `US Highway 1`, `US-1`, `SH1`.

use super::tokens::Token;

/// Writes `highway` before the number of a road, whatever kind of highway it is called.
pub(super) fn name_highways(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        split_code(tokens, at);
        let is_number = tokens.get(at + 1).is_some_and(|next| next.is_number);
        let next = tokens.get(at + 1).map(|next| next.text.clone()).unwrap_or_default();
        let is_highway = |text: &str| matches!(text, "highway" | "hwy" | "route" | "rte" | "rt");
        let is_numbered_road = tokens.get(at + 2).is_some_and(|number| number.is_number);
        let follows_number = tokens.iter().take(at).any(|token| token.is_number)
            && tokens
                .iter()
                .take(at)
                .all(|before| tokens.get(at).is_some_and(|token| token.segment == before.segment));
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
            "us" | "state" | "national" | "provincial"
                if is_highway(&next)
                    || matches!(next.as_str(), "road" | "rd") && is_numbered_road =>
            {
                tokens.remove(at);
                if let Some(token) = tokens.get_mut(at) {
                    token.text = "highway".to_owned();
                }
            }
            // `NH 03833` is a state with its postal code.
            "us" | "sr" | "sh" | "nh" if is_number && token.is_capital && next.len() <= 4 => {
                token.text = "highway".to_owned();
            }
            "i" | "ih" if is_number && token.is_capital && next.len() <= 3 => {
                token.text = "interstate".to_owned()
            }
            // `NY-7` is a road of that state.
            code if is_number
                && token.is_capital
                && follows_number
                && code != "ne"
                && next.len() <= 4
                && super::street_types::ordinal(&next).is_none()
                && super::names::state_of_code(code).is_some() =>
            {
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
    // `CR0 1ND` and `SR1 3QA` are British postal codes.
    let is_inward = |text: &str| {
        text.len() == 3
            && text
                .bytes()
                .zip([true, false, false])
                .all(|(b, is_digit)| b.is_ascii_digit() == is_digit)
    };
    if tokens.get(at + 1).is_some_and(|next| next.is_number && is_inward(&next.text)) {
        return;
    }
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
            ("strada", "stat", "ss"),
            ("strada", "prov", "sp"),
            ("str", "prov", "sp"),
            ("strada", "regionale", "sr"),
            ("strada", "reg", "sr"),
            ("strada", "comunale", "sc"),
        ],
        Some("FR" | "BE" | "LU") => {
            &[("route", "nationale", "rn"), ("route", "departementale", "rd")]
        }
        Some("ES") => &[
            ("carretera", "nacional", "nac"),
            ("ctra", "nacional", "nac"),
            ("crta", "nacional", "nac"),
            ("carretera", "n", "nac"),
            ("ctra", "n", "nac"),
            ("crta", "n", "nac"),
        ],
        Some("RO") => &[("drumul", "national", "dn"), ("drum", "national", "dn")],
        Some("MX" | "AR" | "CL") => &[("ruta", "nacional", "rn"), ("ruta", "provincial", "rp")],
        _ => return,
    };
    if region == Some("ES") {
        name_national_roads(tokens);
    }
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

/// `N-340` where no word for a road stands before it. Shorter numbers may be those of a house: `N 12`.
fn name_national_roads(tokens: &mut [Token]) {
    let begins = |tokens: &[Token], at: usize| {
        let segment = |at: usize| tokens.get(at).map(|token| token.segment);
        at.checked_sub(1).is_none_or(|before| segment(before) != segment(at))
    };
    for at in 0..tokens.len() {
        let is_number = tokens.get(at + 1).is_some_and(|next| {
            next.text.len() >= 3 && next.text.bytes().all(|b| b.is_ascii_digit())
        });
        let is_free = is_number && begins(tokens, at);
        if let Some(token) = tokens.get_mut(at)
            && is_free
            && token.text == "n"
            && token.is_capital
            && !token.is_dotted
        {
            token.text = "nac".to_owned();
        }
    }
}
