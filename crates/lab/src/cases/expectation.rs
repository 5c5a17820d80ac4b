//! What a case file says about a correct judgement of its site.

/// One `expect:` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The line in the file, counted from 1.
    pub line: usize,
    /// What is judged: one of the words of [`EXPECTATION_WORDS`].
    pub word: &'static str,
    /// The path of the machine file, for `file`; empty otherwise.
    pub path: String,
    pub comparison: Comparison,
    pub value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Is,
    IsNot,
    AtLeast,
    AtMost,
}

impl Comparison {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Is => "=",
            Self::IsNot => "!=",
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
        }
    }
}

impl std::fmt::Display for Expectation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let space = if self.path.is_empty() { "" } else { " " };
        let Self { word, path, comparison, value, .. } = self;
        write!(f, "{word}{space}{path}{}{value}", comparison.as_str())
    }
}

const YES_OR_NO: &[&str] = &["yes", "no"];
const DECISIONS: &[&str] = &["allow", "warn", "require_confirmation", "block", "unsupported"];
const GATES: &[&str] = &[
    "login",
    "region",
    "age",
    "consent",
    "parked",
    "maintenance",
    "placeholder",
    "empty",
    "challenge",
    "block",
    "none",
];

/// The words that an expectation can begin with.
pub const EXPECTATION_WORDS: &[&str] = &[
    "cloaking",
    "varies",
    "gate",
    "hidden_instructions",
    "visible_instructions",
    "empty_page",
    "words",
    "contradiction",
    "owner",
    "file",
    "paywall",
    "tarpit",
    "not_a_page",
    "cut",
    "refresh",
    "read",
    "cite",
    "grade",
    "conflict",
];

/// Reads the part after `expect:`.
pub(super) fn parse(line: usize, text: &str) -> Result<Expectation, String> {
    let (subject, comparison, value) = split(text)?;
    let (name, path) = subject.split_once(' ').unwrap_or((subject, ""));
    let word = EXPECTATION_WORDS
        .iter()
        .find(|known| **known == name)
        .ok_or_else(|| format!("{name:?} is no expectation"))?;
    if (*word == "file") != path.starts_with('/') || (path.contains(' ')) {
        return Err(format!("{subject:?}: only `file` has a path, and it begins with a slash"));
    }
    let comparisons: &[Comparison] = match *word {
        "words" => &[Comparison::AtLeast, Comparison::AtMost],
        "read" | "cite" => &[Comparison::Is, Comparison::IsNot],
        "grade" => &[Comparison::Is, Comparison::AtLeast, Comparison::AtMost],
        _ => &[Comparison::Is],
    };
    if !comparisons.contains(&comparison) {
        return Err(format!("{word} cannot be compared by {}", comparison.as_str()));
    }
    let is_known = match *word {
        "words" => value.parse::<u32>().is_ok(),
        "owner" => !value.is_empty(),
        "gate" => GATES.contains(&value),
        "file" => ["absent", "ok", "faulty"].contains(&value),
        "read" | "cite" => DECISIONS.contains(&value),
        "grade" => {
            ["A", "B", "C", "D", "F"].contains(&value)
                || (value == "none" && comparison == Comparison::Is)
        }
        _ => YES_OR_NO.contains(&value),
    };
    if !is_known {
        return Err(format!("{value:?} is no value of {word}"));
    }
    Ok(Expectation { line, word, path: path.to_owned(), comparison, value: value.to_owned() })
}

/// Subject, comparison, value. The first sign counts: a name may contain others.
fn split(text: &str) -> Result<(&str, Comparison, &str), String> {
    let at = text.find(['=', '!', '<', '>']).ok_or_else(|| format!("{text:?} compares nothing"))?;
    let (subject, rest) = text.split_at_checked(at).unwrap_or_default();
    for (sign, comparison) in [
        ("!=", Comparison::IsNot),
        (">=", Comparison::AtLeast),
        ("<=", Comparison::AtMost),
        ("=", Comparison::Is),
    ] {
        if let Some(value) = rest.strip_prefix(sign) {
            return Ok((subject.trim(), comparison, value.trim()));
        }
    }
    Err(format!("{text:?} compares nothing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_form_is_read() {
        for text in [
            "cloaking=yes",
            "varies=yes",
            "gate=none",
            "gate=maintenance",
            "hidden_instructions=no",
            "empty_page=no",
            "words>=300",
            "words<=12",
            "owner=Bäckerei Müller & Söhne = gut",
            "file /.well-known/agent-card.json=faulty",
            "file /robots.txt=ok",
            "not_a_page=yes",
            "read!=allow",
            "cite=require_confirmation",
            "grade<=C",
            "grade=none",
            "conflict=no",
        ] {
            assert_eq!(parse(3, text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "cloaking",
            "cloaking=maybe",
            "cloaking!=yes",
            "gate=wall",
            "words=3",
            "words>=many",
            "owner=",
            "file=ok",
            "file robots.txt=ok",
            "file /a b=ok",
            "read /x=allow",
            "read=yes",
            "grade<=none",
            "grade=E",
            "tarpit>yes",
            "colour=red",
        ] {
            assert!(parse(1, text).is_err(), "{text}");
        }
    }
}
