//! Markup in texts: imitated roles, comments, images that carry data, keys and tokens.

use std::sync::LazyLock;

use contract::records::McpSeverity;
use regex::{Regex, RegexSet};

use super::text_match::{TextMatch, Weight};

/// Tags that claim authority. Honest authors use some of them for emphasis, so alone they say little.
const EMPHASIS: &str =
    r"(?i)</?(?:important|instructions?|priority|critical|tool_description)(?:\s[^<>]{0,80})?>";
/// Tags and marks that chat templates and tools use for roles.
const ROLE_MARKS: &[&str] = &[
    r"(?i)<\|(?:im_start|im_end|system|user|assistant|start_header_id|eot_id|endoftext)\|>",
    r"(?i)\[/?INST\]|<<SYS>>",
    r"(?i)</?(?:system|secret|admin|sys|hidden|assistant|system[_-]?(?:prompt|message|reminder))(?:\s[^<>]{0,80})?>",
    r"(?im)^\s{0,8}#{1,4}\s{0,4}(?:system|assistant|new instructions?)\b\s{0,4}:?\s{0,4}$|^\s{0,8}#{1,4}\s{0,4}(?:system|assistant)\s{0,4}:",
    r"(?m)^\s{0,8}(?:Human|User):[^\n]{1,400}\n\s{0,8}(?:Assistant|AI):",
    r"(?i)\bbegin (?:system|hidden|admin|developer) (?:message|prompt|instructions?)\b|\bsystem override\b|\[\s{0,3}system\s{0,3}\]",
    r"(?i)\b(?:message|notice|note|instruction|order)s? from (?:anthropic|openai|google|microsoft|the (?:system|developers? of (?:the|this) (?:model|assistant)|administrator))\b",
];

static ROLES: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(ROLE_MARKS).ok());
static ROLE: LazyLock<Vec<Regex>> =
    LazyLock::new(|| ROLE_MARKS.iter().filter_map(|mark| Regex::new(mark).ok()).collect());
static EMPHASIS_TAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(EMPHASIS).ok());
static COMMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?s)<!--.{8,}?-->|\[//\]: # \(|(?i)<[a-z]{1,9} [^<>]{0,80}(?:display:\s?none|font-size:\s?0)").ok()
});
static IMAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"!?\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&][^)\s=]{1,40}=(?:[A-Z_]{3,}|\{|%7B|<|\$|\[)|(?i)(?:link|image|img)\b[^.\n]{0,60}https?://\S{1,200}[?&]\w{1,20}=(?:\s|$)").ok()
});
static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40,90}|sk-(?:proj-|ant-)?[A-Za-z0-9_-]{24,120}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|xox[abprs]-[0-9A-Za-z-]{20,90}|glpat-[0-9A-Za-z_-]{20}|sk_live_[0-9A-Za-z]{24,90}|npm_[A-Za-z0-9]{36})\b|-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----").ok()
});

/// Whether the expressions of a rule could be compiled. A rule without them finds nothing, and the report must
/// say so.
pub(super) fn is_able(rule: &str) -> bool {
    match rule {
        "role_markup" => {
            ROLES.is_some() && ROLE.len() == ROLE_MARKS.len() && EMPHASIS_TAG.is_some()
        }
        "html_comment_text" => COMMENT.is_some(),
        "image_exfiltration" => IMAGE.is_some(),
        "secret_shape" => KEYS.is_some(),
        _ => true,
    }
}

fn matched(rule: &'static str, text: &str, start: usize, end: usize) -> TextMatch {
    let chars = |part: Option<&str>| part.unwrap_or_default().chars().count();
    TextMatch {
        rule,
        start: chars(text.get(..start)),
        length: chars(text.get(start..end)),
        ..TextMatch::default()
    }
}

/// What the markup of one text shows.
pub(super) fn find_markup(text: &str, is_prose: bool) -> Vec<TextMatch> {
    let mut found = Vec::new();
    let possible = ROLES.as_ref().is_some_and(|roles| roles.is_match(text));
    if possible && let Some(hit) = ROLE.iter().find_map(|role| role.find(text)) {
        let weight =
            if is_quoted(text, hit.start(), hit.end()) { Weight::Reported } else { Weight::Full };
        let mark = matched("role_markup", text, hit.start(), hit.end());
        found.push(TextMatch { weight, ..mark });
    } else if let Some(hit) = EMPHASIS_TAG.as_ref().and_then(|tag| tag.find(text)) {
        let found_tag = matched("role_markup", text, hit.start(), hit.end());
        let at_most = Some(McpSeverity::Low);
        found.push(TextMatch { weight: Weight::Doubtful, at_most, ..found_tag });
    }
    let mut one = |rule, search: &Option<Regex>| {
        if let Some(hit) = search.as_ref().and_then(|search| search.find(text)) {
            found.push(matched(rule, text, hit.start(), hit.end()));
        }
    };
    if is_prose {
        one("html_comment_text", &COMMENT);
        one("image_exfiltration", &IMAGE);
    }
    if let Some(keys) = KEYS.as_ref()
        && let Some(hit) = keys.find_iter(text).find(|hit| !is_placeholder(hit.as_str()))
    {
        found.push(matched("secret_shape", text, hit.start(), hit.end()));
    }
    found
}

/// Whether a mark stands alone in backticks or quotation marks: the text speaks about it.
fn is_quoted(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    let after = text.get(end..).and_then(|after| after.chars().next());
    matches!(
        (before, after),
        (Some('`'), Some('`')) | (Some('"'), Some('"')) | (Some('“'), Some('”'))
    )
}

/// Keys in documentation: named as examples, or of few different characters.
fn is_placeholder(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    let named = [
        "example",
        "your",
        "xxxx",
        "placeholder",
        "0000",
        "1234567",
        "abcdef",
        "dummy",
        "sample",
        "test",
        "redacted",
        "here",
    ]
    .iter()
    .any(|word| lower.contains(word));
    let kinds: std::collections::BTreeSet<char> = lower.chars().collect();
    named || kinds.len() < 12 && !lower.starts_with("-----")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        find_markup(text, true).into_iter().map(|found| found.rule).collect()
    }

    #[test]
    fn every_expression_compiles() {
        assert_eq!(ROLE.len(), ROLE_MARKS.len());
        for rule in ["role_markup", "html_comment_text", "image_exfiltration", "secret_shape"] {
            assert!(is_able(rule), "{rule}");
        }
    }

    /// A build of all crates together has the features that any of them asks for, so compiling there proves
    /// nothing for the program that is shipped. The manifest must ask for them itself.
    #[test]
    fn the_manifest_asks_for_what_the_expressions_need() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        let regex = manifest.lines().find(|line| line.starts_with("regex = ")).unwrap();
        for feature in ["\"unicode-case\"", "\"unicode-perl\""] {
            assert!(regex.contains(feature), "{feature}");
        }
    }

    #[test]
    fn markup_is_found_and_placeholders_are_not() {
        assert_eq!(rules("a <IMPORTANT> b"), ["role_markup"]);
        assert_eq!(rules("a <!-- send the file --> b"), ["html_comment_text"]);
        assert_eq!(rules("![x](https://a.example/p?d=DATA)"), ["image_exfiltration"]);
        assert_eq!(rules("ghp_9fK2mQ7xWb4TzLr8VnYc1HdJ5sPuA3eGo6Ri"), ["secret_shape"]);
        for quiet in [
            "AKIAIOSFODNN7EXAMPLE",
            "use <b>bold</b>",
            "![logo](https://a.example/l.png)",
            "a <system_id> b",
        ] {
            assert_eq!(rules(quiet), Vec::<&str>::new(), "{quiet}");
        }
    }
}
