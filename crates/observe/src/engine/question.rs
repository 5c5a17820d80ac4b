//! What an engine is told about a business.

use contract::Domain;
use contract::engine_evidence::EngineQuestion;
use contract::text::plain_line;

/// Longer names are no names.
const MAX_CHARS: usize = 120;

/// The business that is asked about: its domain, and what its site publishes about who it is.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub domain: &'a Domain,
    pub name: Option<&'a str>,
    pub city: Option<&'a str>,
    pub country: Option<&'a str>,
}

impl Question<'_> {
    /// As it is sent: the texts of the site cut and without hidden characters.
    pub(super) fn as_sent(&self) -> EngineQuestion {
        let clean = |text: Option<&str>| {
            text.map(|text| plain_line(text, MAX_CHARS)).filter(|text| !text.is_empty())
        };
        EngineQuestion {
            domain: self.domain.clone(),
            name: clean(self.name),
            city: clean(self.city),
            country: clean(self.country),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::NamePolicy;

    use super::*;

    #[test]
    fn texts_of_the_site_are_short_and_plain() {
        let names = NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] };
        let domain = Domain::parse("a.lab", &names).unwrap();
        let long = "x".repeat(1_000);
        let question = Question {
            domain: &domain,
            name: Some("A\nB\u{202e}\u{0}"),
            city: Some(&long),
            country: Some("\u{200b} "),
        };
        let sent = question.as_sent();
        assert_eq!(sent.name.as_deref(), Some("A B"));
        assert_eq!(sent.city.map(|city| city.chars().count()), Some(MAX_CHARS));
        assert_eq!(sent.country, None);
    }
}
