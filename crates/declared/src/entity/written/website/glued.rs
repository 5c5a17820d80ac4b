//! Words that touch an address without a space: sentences of scripts without spaces, and endings of cases.

/// The address in a word, without letters of the sentence around it: `公式サイトはacme.jpです`. A word that is the
/// whole text may be a name with such letters: `ラーメンabc.jp`.
pub(super) fn without_sentence(word: &str, is_only_one: bool) -> &str {
    let word = without_case_ending(word);
    if !word.contains(is_without_spaces) || is_only_one && may_be_name(word) {
        return word;
    }
    // The longest run of other letters that ends in a known domain is the address.
    let has_scheme = word.contains("://");
    let mut best = "";
    for run in word.split(is_without_spaces) {
        let host = run.split(['/', '?', '#', ':']).next().unwrap_or_default();
        let is_whole = run.starts_with(|c: char| c.is_ascii_alphanumeric())
            && run.ends_with(|c: char| c.is_ascii_alphanumeric());
        if is_whole && !run.contains('@') && has_known_ending(host) && run.len() > best.len() {
            best = run;
        }
    }
    if best.is_empty() || has_scheme { word } else { best }
}

/// Whether a word ends in a domain, and the letters before it do not say that an address follows.
fn may_be_name(word: &str) -> bool {
    const ANNOUNCING: [char; 14] =
        ['は', '是', '为', '為', '网', '站', '址', 'ト', 'ジ', '：', '는', '은', '지', '트'];
    let address = word.trim_start_matches(is_without_spaces);
    let before = word.strip_suffix(address).unwrap_or_default();
    !address.contains(is_without_spaces) && !before.ends_with(ANNOUNCING)
}

fn has_known_ending(host: &str) -> bool {
    let lower = host.to_lowercase();
    psl::domain(lower.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
}

/// `acme.com.tr'dir`, `acme.hu-n`, `acme.fi:ssä`: the ending of a case behind the name of a host.
fn without_case_ending(word: &str) -> &str {
    let start = word.find("://").map_or(0, |at| at + 3);
    let rest = word.get(start..).unwrap_or_default();
    if rest.contains(['/', '?', '#', '@']) {
        return word;
    }
    let last_dot = rest.rfind('.').unwrap_or_default();
    let ending = rest.get(last_dot..).unwrap_or_default();
    let mark = ending.char_indices().find(|(at, c)| {
        let behind = ending.get(at + c.len_utf8()..).unwrap_or_default();
        matches!(c, '\'' | '’' | '-' | ':') && behind.starts_with(char::is_alphabetic)
    });
    let Some((at, _)) = mark else { return word };
    let host = rest.get(..last_dot + at).unwrap_or_default();
    if has_known_ending(host) { word.get(..start + last_dot + at).unwrap_or(word) } else { word }
}

/// Letters of Chinese, Japanese, Korean and Thai, and their punctuation.
fn is_without_spaces(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{e7f}'
            | '\u{3000}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
    )
}
