//! One way of writing Japanese addresses: digits for numerals, one form of characters that have several.

/// The text with ASCII letters and digits, plain dashes, one form of each character, and digits for the numerals
/// before the marks of numbers: `南3条西4丁目` for `南三条西四丁目`.
pub(super) fn plain(text: &str) -> String {
    let characters: Vec<char> = text.chars().map(plain_character).collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = characters.get(at).copied() {
        let numerals = characters.iter().skip(at).take_while(|c| numeral(**c).is_some()).count();
        let behind = characters.get(at + numerals).copied();
        let after = characters.get(at + numerals + 1).copied();
        if numerals > 0 && is_marked(behind, after) {
            let digits = characters.iter().skip(at).take(numerals).copied();
            out.push_str(&value(digits).to_string());
            at += numerals;
            continue;
        }
        // A whole run at once, so that no numeral is looked at twice.
        let step = numerals.max(1);
        let is_between_digits = |c: char| {
            matches!(c, 'ー' | 'の')
                && out.ends_with(|c: char| c.is_ascii_digit())
                && characters.get(at + 1).is_some_and(char::is_ascii_digit)
        };
        if step == 1 && is_between_digits(c) {
            out.push('-');
        } else {
            out.extend(characters.iter().skip(at).take(step));
        }
        at += step;
    }
    out
}

fn plain_character(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5d}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '〜' | '～' => '~',
        '\u{3000}' | '\u{a0}' => ' ',
        'ヶ' | 'ヵ' | 'が' | 'ガ' => 'ケ',
        'ノ' | '之' => 'の',
        'ル' => 'る',
        '澤' => '沢',
        '濱' => '浜',
        '邊' | '邉' => '辺',
        '廣' => '広',
        '澁' => '渋',
        '瀧' => '滝',
        '嶋' => '島',
        '﨑' => '崎',
        '龍' => '竜',
        '惠' => '恵',
        '櫻' => '桜',
        '德' => '徳',
        '縣' => '県',
        '區' => '区',
        '國' => '国',
        '號' => '号',
        '條' => '条',
        '坂' => '阪',
        other => other,
    }
}

/// Whether a numeral before these characters is a number. `一番町` and `三番丁` are names.
fn is_marked(mark: Option<char>, next: Option<char>) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || numeral(c).is_some();
    match mark {
        Some('番') => {
            next.is_none_or(|next| !matches!(next, '町' | '丁' | '館') || is_number(next))
        }
        Some('丁') => next == Some('目'),
        Some('号' | '条' | '階' | '線' | '-') => true,
        _ => false,
    }
}

fn numeral(c: char) -> Option<u32> {
    Some(match c {
        '〇' => 0,
        '一' => 1,
        '二' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        '十' => 10,
        '百' => 100,
        '千' => 1000,
        _ => return None,
    })
}

/// `二十三` is 23, and so is `二三`.
fn value(numerals: impl Iterator<Item = char>) -> u32 {
    let (mut whole, mut last) = (0_u32, 0_u32);
    for number in numerals.filter_map(numeral) {
        if number >= 10 {
            whole = whole.saturating_add(last.max(1).saturating_mul(number));
            last = 0;
        } else {
            last = last.saturating_mul(10).saturating_add(number);
        }
    }
    whole.saturating_add(last)
}
