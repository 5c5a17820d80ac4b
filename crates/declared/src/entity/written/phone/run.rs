//! Reads one run of digits, and the letters and separators among them.

/// Digits of the longest number with its prefixes.
const MAX_DIGITS: usize = 18;
pub(super) const MIN_DIGITS: usize = 7;
/// From so many digits on, letters are no longer part of a number.
const COMPLETE_DIGITS: usize = 9;

/// What one run of digits states.
#[derive(Debug)]
pub(super) struct Run {
    /// The numbers of the run: alternatives are joined by slashes.
    pub(super) digits: Vec<String>,
    pub(super) plus: bool,
    pub(super) length: usize,
    /// How many digits follow the last hyphen, if at most four.
    pub(super) after_hyphen: Option<usize>,
    pub(super) last_group: usize,
    /// Letters on the keys were read as digits.
    pub(super) has_letters: bool,
    /// Digits are hidden; only those before them were read.
    pub(super) is_masked: bool,
}

/// Digits and what people write between them, from the first digit or plus sign. `None` if it is damaged.
pub(super) fn read_run(run: &str) -> Option<Run> {
    let plus = run.starts_with('+');
    let mut groups: Vec<(String, String)> = vec![(String::new(), String::new())];
    let mut count = 0_usize;
    let mut length = 0;
    let mut is_masked_run = false;
    let mut characters = run.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '0'..='9' => {
                if let Some((_, digits)) = groups.last_mut() {
                    digits.push(c);
                }
                count += 1;
                length = at + 1;
            }
            '+' if at == 0 => length = 1,
            // Dots for what is left out.
            '.' if run.get(at..).is_some_and(|rest| rest.starts_with("..")) => break,
            _ if count >= 3
                && is_masked(run.get(at..).unwrap_or_default(), is_digit_before(run, at)) =>
            {
                length = at + masked_length(run.get(at..).unwrap_or_default());
                is_masked_run = true;
                break;
            }
            // Dots in the middle of the line separate numbers, unless digits touch them.
            '·' | '•' | '∙' | '‧' | '_' if !joins_digits(run, at, c) => break,
            ' ' | '-' | '.' | '/' | '(' | ')' | '[' | ']' | '~' | '·' | '•' | '∙' | '‧' | '_' => {
                match groups.last_mut() {
                    Some((separator, digits)) if digits.is_empty() => separator.push(c),
                    _ => groups.push((c.to_string(), String::new())),
                }
            }
            // Brazilians write the code of any carrier so: `0xx21`.
            'x' | 'X' if is_carrier_mark(run, at) => {
                characters.next();
            }
            // What a spreadsheet makes of a long number.
            'e' | 'E' if run.get(at + 1..).is_some_and(|rest| rest.starts_with('+')) => {
                return None;
            }
            c if c.is_ascii_alphabetic() && (2..COMPLETE_DIGITS).contains(&count) => {
                let before = groups.last().map_or("", |(separator, digits)| {
                    if digits.is_empty() { separator.as_str() } else { "" }
                });
                let rest = run.get(at..).unwrap_or_default();
                match read_letters(rest, before, count) {
                    Letters::Keys(keys, letters_length) => {
                        let digits: String = groups.iter().map(|(_, d)| d.as_str()).collect();
                        let most = if digits.starts_with('1') && !digits.starts_with("13") {
                            11
                        } else {
                            10
                        };
                        let most = if digits.starts_with('0') { 11 } else { most };
                        let digits: String =
                            digits.chars().chain(keys.chars()).take(most).collect();
                        return Some(Run {
                            digits: vec![digits],
                            plus,
                            length: at + letters_length,
                            after_hyphen: None,
                            last_group: 0,
                            has_letters: true,
                            is_masked: false,
                        });
                    }
                    Letters::Words => break,
                }
            }
            _ => break,
        }
        if count > 4 * MAX_DIGITS {
            return None;
        }
    }
    groups.retain(|(_, digits)| !digits.is_empty());
    drop_opening_times(&mut groups);
    let after_hyphen = groups
        .last()
        // A zero alone is a switchboard without a hyphen too.
        .filter(|(separator, digits)| separator.contains('-') && digits.len() <= 4 || digits == "0")
        .map(|(_, digits)| digits.len());
    let last_group = groups.last().map_or(0, |(_, digits)| digits.len());
    let digits = split_alternatives(&groups);
    Some(Run {
        digits,
        plus,
        length,
        after_hyphen,
        last_group,
        has_letters: false,
        is_masked: is_masked_run,
    })
}

/// Whether two letters stand between a zero and the rest of a number.
fn is_carrier_mark(run: &str, at: usize) -> bool {
    let before = run.get(..at).unwrap_or_default();
    let after = run.get(at..).unwrap_or_default();
    let rest = after.strip_prefix("xx").or_else(|| after.strip_prefix("XX"));
    before.ends_with('0')
        && rest.is_some_and(|rest| {
            rest.trim_start_matches([' ', ')', '-']).starts_with(|c: char| c.is_ascii_digit())
        })
}

/// Drops `24/7` behind a number.
fn drop_opening_times(groups: &mut Vec<(String, String)>) {
    if let [.., (_, hours), (slash, days)] = groups.as_slice()
        && hours == "24"
        && days == "7"
        && slash == "/"
    {
        groups.truncate(groups.len() - 2);
    }
}

/// Splits groups of digits into the numbers that slashes or dashes separate: `020 7946 0000 / 020 7946
/// 0001`, `020 7946 0000/1`. A slash behind an area code separates nothing.
fn split_alternatives(groups: &[(String, String)]) -> Vec<String> {
    let joined = |groups: &[(String, String)]| -> String {
        groups.iter().map(|(_, digits)| digits.as_str()).collect()
    };
    let whole = joined(groups);
    for at in 1..groups.len() {
        let Some((before, after)) = groups.split_at_checked(at) else { break };
        let separator = after.first().map_or("", |(separator, _)| separator.as_str());
        let (one, other) = (joined(before), joined(after));
        let is_slash = separator.contains('/');
        let is_dash = separator.contains('-') && separator.contains(' ');
        if (is_slash || is_dash) && one.len() >= MIN_DIGITS && other.len() >= MIN_DIGITS {
            return vec![one, other];
        }
        // Only the last digits of the further numbers are written: `/1`, `/23/24`.
        let is_ending =
            |(separator, digits): &(String, String)| separator.contains('/') && digits.len() <= 3;
        if is_slash && one.len() >= COMPLETE_DIGITS && after.iter().all(is_ending) {
            let further = after.iter().take(6).map(|(_, ending)| {
                let kept = one.get(..one.len().saturating_sub(ending.len())).unwrap_or_default();
                format!("{kept}{ending}")
            });
            let further: Vec<String> = further.collect();
            return std::iter::once(one).chain(further).collect();
        }
    }
    if whole.is_empty() { Vec::new() } else { vec![whole] }
}

enum Letters {
    /// The digits of the keys, and the length of the letters.
    Keys(String, usize),
    /// Words that are not part of the number.
    Words,
}

/// Reads the letters of a number such as `1-800-FLOWERS` or `1-800-GO-FEDEX`.
fn read_letters(text: &str, separator: &str, digits: usize) -> Letters {
    let is_attached = !separator.contains(' ');
    let mut keys = String::new();
    let mut length = 0;
    for (at, c) in text.char_indices().take(24) {
        match c {
            'A'..='Z' => keys.push(key_digit(c)),
            'a'..='z' if is_attached && !separator.is_empty() => keys.push(key_digit(c)),
            '0'..='9' => keys.push(c),
            '-' | '.' => continue,
            ' ' if text
                .get(at + 1..)
                .is_some_and(|rest| rest.chars().take(2).all(|c| c.is_ascii_uppercase())) =>
            {
                continue;
            }
            c if c.is_alphanumeric() => return Letters::Words,
            _ => break,
        }
        length = at + 1;
    }
    let is_complete = keys.len() + digits >= 10 || digits == 2 && keys.len() == 4;
    if keys.len() >= 3 && is_complete { Letters::Keys(keys, length) } else { Letters::Words }
}

/// `XX`, `xxxx`, `***`, `____`; a single `x` only where it touches a digit and ends the number.
fn is_masked(text: &str, touches_digit: bool) -> bool {
    let masks = text.chars().take_while(|c| is_mask(*c)).count();
    let next = text.chars().nth(masks);
    let is_single = masks == 1 && touches_digit && text.starts_with(['x', 'X']);
    (masks >= 2 || is_single) && next.is_none_or(|c| !c.is_alphabetic())
}

fn is_mask(c: char) -> bool {
    matches!(
        c,
        'x' | 'X'
            | '*'
            | '?'
            | '#'
            | '_'
            | '•'
            | '●'
            | '×'
            | '∙'
            | '○'
            | '■'
            | '█'
            | '▪'
            | '⁎'
            | '∗'
    )
}

/// The length of hidden digits and of the digits that stand between and behind them.
fn masked_length(text: &str) -> usize {
    let is_part = |c: char| is_mask(c) || c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | ')');
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

fn is_digit_before(run: &str, at: usize) -> bool {
    run.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
}

/// Whether digits stand on both sides of a character.
fn joins_digits(run: &str, at: usize, c: char) -> bool {
    let behind = run.get(at + c.len_utf8()..).unwrap_or_default();
    is_digit_before(run, at) && behind.starts_with(|c: char| c.is_ascii_digit())
}

fn key_digit(letter: char) -> char {
    match letter.to_ascii_lowercase() {
        'a'..='c' => '2',
        'd'..='f' => '3',
        'g'..='i' => '4',
        'j'..='l' => '5',
        'm'..='o' => '6',
        'p'..='s' => '7',
        't'..='v' => '8',
        _ => '9',
    }
}
