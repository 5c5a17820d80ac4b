//! Takes out of a text what stands beside an address and has numbers that are none of it: links, coordinates,
//! plus codes and the way from a station.

/// The text without such parts. Kilometres with decimals become one word: `km 42d5` for `km 42,500`.
pub(super) fn clean(text: &str) -> String {
    let text = join_decimals(text);
    let has_coordinates = is_coordinates(&text);
    let ends_piece =
        |c: char| c.is_whitespace() || matches!(c, ',' | '、' | '，' | '（' | '(' | ')' | '）');
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(ends_piece) {
        let core = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let is_dropped = is_link(core)
            || is_plus_code(core)
            || has_coordinates && is_coordinate(core)
            // Walking time from a station.
            || piece.contains("徒歩")
            || piece.contains("駅から");
        if !is_dropped {
            out.push_str(piece);
        } else if let Some(end) = piece.chars().next_back().filter(|c| ends_piece(*c)) {
            out.push(end);
        }
    }
    out
}

fn is_link(text: &str) -> bool {
    text.starts_with("http") && text.contains("://") || text.starts_with("www.")
}

/// Two numbers with many decimals.
fn is_coordinates(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit() && c != '.')
        .filter(|n| is_coordinate(n))
        .take(2)
        .count()
        == 2
}

fn is_coordinate(text: &str) -> bool {
    let number = text.trim_end_matches(['°', 'N', 'S', 'E', 'W', 'n', 's', 'e', 'w']);
    number.split_once('.').is_some_and(|(whole, decimals)| {
        let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        (1..=3).contains(&whole.len())
            && decimals.len() >= 3
            && is_digits(whole)
            && is_digits(decimals)
    })
}

/// An Open Location Code: `WGQ8+4R`.
fn is_plus_code(text: &str) -> bool {
    let is_code = |text: &str| {
        text.bytes().all(|b| b"23456789CFGHJMPQRVWX".contains(&b.to_ascii_uppercase()))
    };
    text.split_once('+').is_some_and(|(area, place)| {
        matches!(area.len(), 4 | 6 | 8)
            && (2..=3).contains(&place.len())
            && is_code(area)
            && is_code(place)
    })
}

/// Writes the decimals of a kilometre behind a letter, without zeros at the end.
fn join_decimals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = split_at_kilometre(rest) {
        out.push_str(before);
        let start = behind.trim_start_matches([' ', '.', ':']);
        let whole: String = start.chars().take_while(char::is_ascii_digit).collect();
        let after = start.strip_prefix(whole.as_str()).unwrap_or(start);
        let decimals: String = after
            .strip_prefix(['.', ',', '+'])
            .map(|after| after.chars().take_while(char::is_ascii_digit).collect())
            .unwrap_or_default();
        if whole.is_empty() || whole.len() > 4 || !(1..=3).contains(&decimals.len()) {
            rest = behind;
            continue;
        }
        out.push(' ');
        out.push_str(&whole);
        let decimals_end = after.chars().next().map_or(0, char::len_utf8) + decimals.len();
        let metres = decimals.trim_end_matches('0');
        if !metres.is_empty() {
            out.push('d');
            out.push_str(metres);
        }
        rest = after.get(decimals_end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Splits behind the next `km` that is a word.
fn split_at_kilometre(text: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find(['k', 'K'])?;
        let end = at + 2;
        let is_word = text.get(at..end).is_some_and(|word| word.eq_ignore_ascii_case("km"))
            && !text.get(..at)?.ends_with(char::is_alphanumeric)
            && text
                .get(end..)?
                .starts_with([' ', '.', ':', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        if is_word {
            return Some((text.get(..end)?, text.get(end..)?));
        }
        from = at + 1;
    }
}
