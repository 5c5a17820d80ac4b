//! Takes out of a text what stands beside an address and has numbers that are none of it: links, coordinates,
//! plus codes and the way from a station.

/// The text without such parts. Kilometres with decimals become one word: `km 42d5` for `km 42,500`.
pub(super) fn clean(text: &str) -> String {
    let text = join_decimals(text).replace("邮政编码", " ").replace("邮编", " ");
    let text = join_initials(&without_phones(&text));
    let has_coordinates = is_coordinates(&text);
    let ends_piece =
        |c: char| c.is_whitespace() || matches!(c, ',' | '、' | '，' | '（' | '(' | ')' | '）');
    let mut out = String::with_capacity(text.len());
    let mut follows_year_word = false;
    for piece in text.split_inclusive(ends_piece) {
        let core = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let is_year = is_year(core) && follows_year_word;
        follows_year_word = tells_year(core);
        let is_dropped = is_link(core)
            || is_year
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

/// The text without telephone numbers of America and with a country code: `(206) 555-0134`, `+49 30 123456`.
fn without_phones(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['+', '(']) {
        let (before, from) = rest.split_at_checked(start).unwrap_or((rest, ""));
        let is_part =
            |c: char| c.is_ascii_digit() || matches!(c, '+' | '(' | ')' | ' ' | '-' | '.' | '/');
        let length = from.find(|c: char| !is_part(c)).unwrap_or(from.len());
        let (run, behind) = from.split_at_checked(length).unwrap_or((from, ""));
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        // An area code in brackets has three digits.
        let is_area = run.starts_with('(') && run.find(')') == Some(4);
        out.push_str(before);
        if !((9..=15).contains(&digits) && (run.starts_with('+') || is_area)) {
            out.push_str(run);
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// `E.T.A.` for `E.-T.-A.`
fn join_initials(text: &str) -> String {
    if !text.contains(".-") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(".-") {
        out.push_str(before);
        let mut last = before.chars().rev();
        let is_initial = last.next().is_some_and(char::is_uppercase)
            && last.next().is_none_or(|c| !c.is_alphanumeric());
        let mut next = behind.chars();
        let is_before_initial =
            next.next().is_some_and(char::is_uppercase) && next.next() == Some('.');
        out.push_str(if is_initial && is_before_initial { "." } else { ".-" });
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Whether the next word may be the year since when a business exists: `founded in 1987`.
fn tells_year(word: &str) -> bool {
    const WORDS: [&str; 12] = [
        "in",
        "since",
        "founded",
        "established",
        "est",
        "seit",
        "depuis",
        "desde",
        "dal",
        "sinds",
        "sedan",
        "od",
    ];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1700..=2040).contains(&year))
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

/// Writes the numbers of two neighbouring houses as a range: `5+7`, `12 & 14`, `3 und 5`.
pub(super) fn join_neighbours(text: String, region: Option<&str>) -> String {
    const BETWEEN: [&str; 14] =
        ["+", "&", "and", "und", "u.", "et", "y", "e", "en", "-", "–", "bis", "to", "t/m"];
    // There a hyphen separates something else.
    let is_elsewhere = |region: &str| {
        ["CA", "JP", "KR", "CO", "TW", "CN", "SG"]
            .iter()
            .any(|code| region.eq_ignore_ascii_case(code))
    };
    if region.is_some_and(is_elsewhere) {
        return text;
    }
    let number =
        |digits: &str| -> Option<u32> { (digits.len() <= 4).then(|| digits.parse().ok())? };
    let are_neighbours = |low: u32, high: u32| low < high && high - low <= 20;
    let mut from = 0;
    while let Some(start) =
        text.get(from..).and_then(|rest| rest.find(|c: char| c.is_ascii_digit()))
    {
        let start = from + start;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (low, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        from = start + length;
        let trimmed = behind.trim_start_matches(' ');
        let joined = BETWEEN.iter().find_map(|between| {
            let after = trimmed.strip_prefix(between)?.trim_start_matches(' ');
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let (high, tail) = after.split_at_checked(end)?;
            let is_whole = !tail.starts_with(char::is_alphanumeric);
            let pair = (number(low)?, number(high)?);
            (is_whole && are_neighbours(pair.0, pair.1)).then(|| format!("{low}-{high}{tail}"))
        });
        if let Some(joined) = joined {
            let before = text.get(..start).unwrap_or_default();
            return format!("{before}{joined}");
        }
    }
    text
}
