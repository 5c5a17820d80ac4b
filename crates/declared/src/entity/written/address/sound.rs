//! Compares names that were written in the letters of another script, where everybody spells as they hear.

/// The consonants of a word, by groups of those that stand for each other in other scripts. Hebrew and Arabic
/// leave out the vowels, so only the consonants can be compared.
pub(super) fn consonants(word: &str) -> String {
    consonants_with(word, true)
}

/// In some languages `j` is a vowel.
fn consonants_with(word: &str, is_j_hard: bool) -> String {
    let mut out = String::with_capacity(word.len());
    let word = word.strip_prefix("ال").filter(|rest| rest.chars().count() > 1).unwrap_or(word);
    let mut characters = word.chars().peekable();
    let mut last = None;
    while let Some(c) = characters.next() {
        // Doubled letters sound as one.
        if last.replace(c) == Some(c) {
            continue;
        }
        // `tz` stands for one letter.
        if c == 't' && matches!(characters.peek(), Some('z' | 's')) {
            continue;
        }
        // `sch` and `sh` are one sound.
        if c == 'c' && out.ends_with('s') && characters.peek() == Some(&'h') {
            continue;
        }
        let is_soft = matches!(characters.peek(), Some('e' | 'i' | 'y'));
        let group = match c {
            'b' | 'p' | 'v' | 'f' | 'ב' | 'פ' | 'ף' | 'ب' | 'ف' | 'پ' | 'ڤ' => "b",
            'c' if is_soft => "s",
            'c' if characters.peek() == Some(&'h') => "s",
            'j' if !is_j_hard => continue,
            'c' | 'g' | 'k' | 'q' | 'j' | 'ג' | 'כ' | 'ך' | 'ק' | 'ج' | 'غ' | 'ق' | 'ك' | 'خ'
            | 'گ' | 'ک' => "k",
            'd' | 't' | 'ד' | 'ט' | 'ת' | 'د' | 'ت' | 'ط' | 'ض' | 'ث' => "t",
            's' | 'z' | 'ז' | 'ס' | 'ש' | 'س' | 'ش' | 'צ' | 'ץ' | 'ز' | 'ص' | 'ظ' | 'ذ' | 'چ'
            | 'ژ' => "s",
            'x' => "ks",
            'l' | 'ל' | 'ل' => "l",
            'm' | 'מ' | 'ם' | 'م' => "m",
            'n' | 'נ' | 'ן' | 'ن' => "n",
            'r' | 'ר' | 'ر' => "r",
            _ => continue,
        };
        out.push_str(group);
    }
    out
}

/// Whether two words may be one name in two spellings.
pub(super) fn sounds_same(one: &str, other: &str) -> bool {
    let is_same_start = one.chars().next() == other.chars().next();
    [true, false].into_iter().any(|is_j_hard| {
        let (a, b) = (consonants_with(one, is_j_hard), consonants_with(other, is_j_hard));
        a == b && (a.len() >= 3 || a.len() == 2 && is_same_start)
    })
}

/// A spelling that the usual ways to write one sound have in common: `laxmi` and `lakshmi`.
pub(super) fn spelling(word: &str) -> String {
    const SAME: [(&str, &str); 24] = [
        ("shch", "s"),
        ("sch", "s"),
        ("ksh", "x"),
        ("ks", "x"),
        ("tch", "c"),
        ("tz", "c"),
        ("ts", "c"),
        ("ch", "c"),
        ("sh", "s"),
        ("zh", "z"),
        ("kh", "h"),
        ("gh", "g"),
        ("ph", "f"),
        ("th", "t"),
        ("dh", "d"),
        ("bh", "b"),
        ("ck", "k"),
        ("oo", "u"),
        ("ou", "u"),
        ("ee", "i"),
        ("w", "v"),
        ("j", "y"),
        ("q", "k"),
        ("y", "i"),
    ];
    let mut out = word.to_owned();
    for (written, sound) in SAME {
        if out.contains(written) {
            out = out.replace(written, sound);
        }
    }
    let mut plain = String::with_capacity(out.len());
    for c in out.chars() {
        if !plain.ends_with(c) {
            plain.push(c);
        }
    }
    plain
}

/// Whether two names differ in the ending of their case or gender only, as Slavic and Baltic ones do:
/// `Tkalčića` and `Tkalčićeva`, `Сумська` and `Сумская`.
pub(super) fn is_inflected(one: &str, other: &str) -> bool {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let rest = |word: &str| word.chars().count() - same.min(word.chars().count());
    same >= 5 && rest(one) <= 4 && rest(other) <= 4 && rest(one).min(rest(other)) <= 3
        || is_short_inflected(one, other)
        || is_short_inflected(other, one)
}

/// `Długa` and `przy Długiej`, `Dlouhá` and `v Dlouhé`, `Nowy Świat` and `na Nowym Świecie`: endings of names that
/// are too short to be compared by their beginning.
fn is_short_inflected(base: &str, other: &str) -> bool {
    const ENDINGS: [(&str, &str); 8] = [
        ("a", "ej"),
        ("a", "iej"),
        ("a", "e"),
        ("a", "oj"),
        ("y", "ym"),
        ("i", "im"),
        ("at", "ecie"),
        ("k", "ku"),
    ];
    ENDINGS.iter().any(|(ending, inflected)| {
        base.strip_suffix(ending)
            .is_some_and(|stem| stem.len() >= 3 && other.strip_suffix(inflected) == Some(stem))
    })
}

/// Whether names of streets are inflected in a region.
pub(super) fn has_cases(region: Option<&str>) -> bool {
    region.is_some_and(|region| {
        matches!(
            region,
            "HR" | "SI"
                | "RS"
                | "BA"
                | "ME"
                | "MK"
                | "BG"
                | "CZ"
                | "SK"
                | "PL"
                | "UA"
                | "RU"
                | "BY"
                | "KZ"
                | "LT"
                | "LV"
                | "GR"
                | "CY"
        )
    })
}
