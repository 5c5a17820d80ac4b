//! Plain words for the values of records, for pages and terminals: what a value means, and what the
//! owner of a site can do about it.

mod explanation;
mod outcomes;

pub use explanation::{Explanation, spaced};
pub use outcomes::{describe_blocker, describe_stand_in, explain_outcome};

use crate::Ratio;
use crate::evidence::PageSource;
use crate::records::{AccessScope, EquivalenceVerdict, TextVariation};

/// Whether the text of the page varies, and with what.
#[must_use]
pub fn explain_variation(variation: &TextVariation) -> Explanation {
    let explain = Explanation::new;
    match variation {
        TextVariation::Same => explain(
            "the same for everyone",
            "Every client that got the page got the same text.",
            None,
        ),
        TextVariation::Varies => explain(
            "varies for everyone",
            "People get different texts too. No difference follows the client, so this is not held against the site.",
            Some(
                "If agents should get a stable text, leave what rotates out of the HTML of the main part.",
            ),
        ),
        TextVariation::FollowsIdentity => explain(
            "depends on who asks",
            "Some clients get another text than people, whenever they ask.",
            Some("Serve the same text to every client."),
        ),
        TextVariation::NotConfirmed => explain(
            "not decided",
            "Some clients got another text once. There were too few reads to decide whether it follows the client.",
            Some("Scan again later."),
        ),
        TextVariation::NotMeasured => {
            explain("not compared", "There were not enough pages to compare.", None)
        }
        TextVariation::Unrecognised(word) => explain(
            &spaced(word.as_str()),
            "This version of the program has no explanation for this result.",
            None,
        ),
    }
}

/// How a text compares with those that people get, and how similar it is to the browser's: `same text
/// (100 % alike)`. `None` where there is nothing to compare.
#[must_use]
pub fn describe_comparison(
    verdict: &EquivalenceVerdict,
    similarity: Option<Ratio>,
) -> Option<String> {
    let unlike = similarity.is_some_and(|share| share.get() < ALIKE);
    let text = match verdict {
        // The page varies, and another request of the browser got this text.
        EquivalenceVerdict::Equivalent if unlike => {
            return Some("a text that people get too".to_owned());
        }
        EquivalenceVerdict::Equivalent => "same text",
        EquivalenceVerdict::Reduced => "only part of the text",
        EquivalenceVerdict::Augmented => "more text than people get",
        EquivalenceVerdict::Different => "differs from what people get",
        EquivalenceVerdict::NotDeterministic => return Some("varies for people too".to_owned()),
        EquivalenceVerdict::Unmeasured => return Some("not compared".to_owned()),
        EquivalenceVerdict::Challenged | EquivalenceVerdict::NotServed => return None,
        EquivalenceVerdict::Unrecognised(word) => return Some(spaced(word.as_str())),
    };
    Some(match similarity {
        Some(share) => format!("{text} ({:.0} % alike)", share.get() * 100.0),
        None => text.to_owned(),
    })
}

/// From this similarity on, two texts are called the same without a further word.
const ALIKE: f64 = 0.8;

/// What was served as the page, if it is not HTML: `a PDF document`.
#[must_use]
pub fn describe_page_kind(kind: &str) -> Option<Explanation> {
    let (label, meaning) = match kind {
        "html" => return None,
        "text" => ("plain text", "Agents can read it, but it has no title, description or links."),
        "markdown" => ("Markdown", "Agents can read it, but browsers show it as plain text."),
        "feed" => ("a feed (RSS or Atom)", "Agents can read its entries, but they expect a page."),
        "pdf" => ("a PDF document", NOT_A_PAGE),
        "json" => ("JSON data", NOT_A_PAGE),
        "image" => ("an image", NOT_A_PAGE),
        _ => ("a file that is not a page", NOT_A_PAGE),
    };
    let advice = "Serve an HTML page at this address and link to the file from it.";
    Some(Explanation::new(label, meaning, Some(advice)))
}

const NOT_A_PAGE: &str = "Agents expect a web page. Many skip other files and find no title, description or links in them.";

/// Where a further page was found.
#[must_use]
pub fn describe_page_source(source: &PageSource) -> String {
    match source {
        PageSource::Sitemap => "listed in the sitemap".to_owned(),
        PageSource::Linked => "linked from the home page".to_owned(),
        PageSource::LlmsTxt => "listed in llms.txt".to_owned(),
        PageSource::Unrecognised(word) => spaced(word.as_str()),
    }
}

/// Which group of robots.txt decides.
#[must_use]
pub fn describe_access_scope(scope: &AccessScope) -> String {
    match scope {
        AccessScope::Named => "group for this agent".to_owned(),
        AccessScope::Everyone => "group for all agents".to_owned(),
        AccessScope::Nobody => "no group applies".to_owned(),
        AccessScope::Unrecognised(word) => spaced(word.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::RowCause;

    const BLOCKERS: [&str; 14] = [
        "block",
        "challenge",
        "captcha",
        "rate_limit",
        "payment",
        "login",
        "legal",
        "region",
        "age",
        "consent",
        "parked",
        "maintenance",
        "placeholder",
        "empty",
    ];

    /// No wire word is left: every value of the interface has words of its own.
    #[test]
    fn every_value_has_plain_words() {
        for word in RowCause::WORDS {
            let cause = RowCause::from_word(word).unwrap();
            for blocker in BLOCKERS.map(Some).into_iter().chain([None]) {
                let words = explain_outcome(&cause, blocker);
                assert!(!words.label.contains('_') && words.meaning.ends_with('.'), "{words:?}");
                assert!(words.advice.is_none_or(|advice| advice.ends_with('.')), "{words:?}");
            }
        }
        for word in TextVariation::WORDS {
            let words = explain_variation(&TextVariation::from_word(word).unwrap());
            assert!(!words.label.contains('_') && words.meaning.ends_with('.'), "{words:?}");
        }
        for blocker in BLOCKERS {
            let words = describe_blocker(Some(blocker), None).unwrap();
            assert_ne!(words, blocker);
        }
        for kind in ["text", "markdown", "pdf", "json", "feed", "image", "other"] {
            assert_ne!(describe_page_kind(kind).unwrap().label, kind);
        }
        assert_eq!(describe_page_kind("html"), None);
    }

    #[test]
    fn each_gate_is_named() {
        let labels: Vec<String> =
            ["login", "region", "age", "consent", "parked", "maintenance", "placeholder"]
                .map(|kind| explain_outcome(&RowCause::Gated, Some(kind)).label)
                .to_vec();
        assert_eq!(
            labels,
            [
                "login page",
                "country gate",
                "age gate",
                "cookie wall",
                "parked domain",
                "maintenance notice",
                "placeholder"
            ]
        );
    }

    #[test]
    fn a_text_that_varies_is_not_called_the_same() {
        let describe = |share| {
            describe_comparison(&EquivalenceVerdict::Equivalent, Ratio::new(share)).unwrap()
        };
        assert_eq!(describe(1.0), "same text (100 % alike)");
        assert_eq!(describe(0.03), "a text that people get too");
        assert_eq!(describe_comparison(&EquivalenceVerdict::NotServed, None), None);
    }

    #[test]
    fn the_vendor_of_a_wall_is_named_or_said_to_be_unknown() {
        for (blocker, vendor, expected) in [
            (Some("block"), Some("Cloudflare"), Some("block page of Cloudflare")),
            (Some("block"), None, Some("block page, no vendor named")),
            (Some("login"), None, Some("login page")),
            (Some("new_kind"), None, Some("new kind")),
            (None, Some("Akamai"), Some("answer of Akamai")),
            (None, None, None),
        ] {
            assert_eq!(describe_blocker(blocker, vendor).as_deref(), expected);
        }
        let gate = |vendor| describe_stand_in(&RowCause::Gated, Some("login"), vendor);
        assert_eq!((gate(None), gate(Some("Okta"))), (None, Some("login page of Okta".to_owned())));
    }
}
