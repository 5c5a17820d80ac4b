//! Which clients a refusal is aimed at, inferred from which identities got the page and which did
//! not.
//!
//! A single response does not show the rule behind it; comparing identities narrows it down. All
//! requests come from our own network, so every sentence about a refusal ends with a caveat.

use agents::Role;

/// Whether one identity got the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdentityResult<'a> {
    /// The identity's name for use in sentences.
    pub label: &'a str,
    pub role: Role,
    pub operator: Option<&'a str>,
    /// Whether it got the page. None when that was not measured.
    pub served: Option<bool>,
}

/// Which clients the refusals are aimed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefusalTarget {
    /// No client was refused.
    None,
    /// Every client was refused, also the browser: a rule about our IP address or the fingerprint of
    /// our client.
    Network,
    /// All clients that are not browsers.
    NonBrowser,
    /// Only the unnamed control client: clients that name themselves get the page.
    UnnamedClient,
    /// Crawlers by name, not limited to one purpose or operator.
    NamedAgents,
    /// One crawler, or the crawlers of one operator.
    OneAgent,
    /// The crawlers of one purpose.
    OnePurpose,
    /// Cannot be inferred from the results.
    Unknown,
}

impl RefusalTarget {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Network => "network",
            Self::NonBrowser => "non_browser",
            Self::UnnamedClient => "unnamed_client",
            Self::NamedAgents => "named_agents",
            Self::OneAgent => "one_agent",
            Self::OnePurpose => "one_purpose",
            Self::Unknown => "unknown",
        }
    }
}

/// The result of comparing the identities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalAnalysis {
    pub target: RefusalTarget,
    /// `training`, `search` or `user_fetch`, for `RefusalTarget::OnePurpose`.
    pub purpose: Option<&'static str>,
    /// Labels of the AI crawlers that were refused, in the order of the rows.
    pub refused: Vec<String>,
    /// What was observed and what it points to, as text for the site owner.
    pub sentence: String,
}

/// The caveat that ends every sentence about a refusal.
pub const OWN_NETWORK_CAVEAT: &str = "We sent these requests from our own network under the clients' names. A site \
    that verifies crawlers may treat the real ones differently.";

/// Infers from the results which clients are refused. The order of the rows does not matter.
#[must_use]
pub fn analyse_refusals(rows: &[IdentityResult<'_>]) -> RefusalAnalysis {
    let of = |role| rows.iter().filter(move |row| row.role == role).find_map(|row| row.served);
    let (browser, control) = (of(Role::Browser), of(Role::Control));
    let ai: Vec<&IdentityResult<'_>> =
        rows.iter().filter(|row| row.role.is_ai() && row.served.is_some()).collect();
    let refused: Vec<&IdentityResult<'_>> =
        ai.iter().copied().filter(|row| row.served == Some(false)).collect();
    let result = |cause, purpose, observation: &str| {
        let tail = if refused.is_empty() && control != Some(false) && browser != Some(false) {
            String::new()
        } else {
            [" ", OWN_NETWORK_CAVEAT].concat()
        };
        RefusalAnalysis {
            target: cause,
            purpose,
            refused: refused.iter().map(|row| row.label.to_owned()).collect(),
            sentence: format!("{observation}{tail}"),
        }
    };

    match browser {
        None => {
            return result(
                RefusalTarget::Unknown,
                None,
                "We could not measure how a browser is treated, so there is nothing to compare the \
                 AI crawlers with.",
            );
        }
        Some(false) => {
            let others = refused.len() + usize::from(control == Some(false));
            let any_served = control == Some(true) || refused.len() < ai.len();
            return if others > 0 && !any_served {
                result(
                    RefusalTarget::Network,
                    None,
                    "All clients were refused, including the browser. This points to a rule about \
                     our IP address or the way our client connects. Other visitors may get the page.",
                )
            } else {
                result(
                    RefusalTarget::Unknown,
                    None,
                    "Our browser request was refused, while other clients got the page or were not \
                     measured. Our client may not connect as a real browser does, so there is \
                     nothing to compare the AI crawlers with.",
                )
            };
        }
        Some(true) => {}
    }

    if ai.is_empty() {
        return result(
            RefusalTarget::Unknown,
            None,
            "The browser got the page. No AI crawler could be measured.",
        );
    }
    let names = join_labels(&refused);
    if refused.is_empty() {
        return if control == Some(false) {
            result(
                RefusalTarget::UnnamedClient,
                None,
                "The browser and the AI crawlers got the page, but the unnamed control client did \
                 not. This points to a rule against clients that do not identify themselves.",
            )
        } else {
            result(RefusalTarget::None, None, "All measured clients got the page.")
        };
    }
    let all = refused.len() == ai.len();
    match control {
        Some(false) if all => {
            return result(
                RefusalTarget::NonBrowser,
                None,
                "The browser got the page; the unnamed control client and all AI crawlers did not. \
                 This points to a rule against all non-browser clients, not against AI crawlers by \
                 name.",
            );
        }
        Some(false) => {
            return result(
                RefusalTarget::NonBrowser,
                None,
                &format!(
                    "The browser got the page; the unnamed control client and {names} did not. This \
                     points to a rule against non-browser clients, with exceptions for the other AI \
                     crawlers."
                ),
            );
        }
        None if all => {
            return result(
                RefusalTarget::Unknown,
                None,
                "The browser got the page and the AI crawlers did not. The unnamed control client was \
                 not measured, so we cannot tell whether the rule is against their names or against \
                 all non-browser clients.",
            );
        }
        _ => {}
    }

    if let [only] = refused.as_slice() {
        return result(
            RefusalTarget::OneAgent,
            None,
            &format!(
                "Of {} AI crawlers, only {} was refused. This points to a rule for this crawler.",
                ai.len(),
                only.label
            ),
        );
    }
    if all {
        return result(
            RefusalTarget::NamedAgents,
            None,
            "The browser and the unnamed control client got the page, but no AI crawler did. This \
             points to a rule against AI crawlers by name.",
        );
    }
    if let Some(operator) = common_value(&refused, &ai, |row| row.operator) {
        return result(
            RefusalTarget::OneAgent,
            None,
            &format!(
                "Only the AI crawlers of {operator} were refused ({names}). This points to a rule for this operator."
            ),
        );
    }
    if let Some(role) = common_value(&refused, &ai, |row| Some(row.role)) {
        let (purpose, words) = match role {
            Role::Train => ("training", "collect training data"),
            Role::Search => ("search", "build search indexes"),
            _ => ("user_fetch", "fetch at a user's request"),
        };
        return result(
            RefusalTarget::OnePurpose,
            Some(purpose),
            &format!(
                "Only the AI crawlers that {words} were refused ({names}). This points to a rule by purpose."
            ),
        );
    }
    result(
        RefusalTarget::NamedAgents,
        None,
        &format!(
            "{} of {} AI crawlers were refused ({names}); the unnamed control client was not. This \
             points to a rule that lists crawlers by name.",
            refused.len(),
            ai.len()
        ),
    )
}

/// The value that all refused rows share and no served row has.
fn common_value<'a, T: PartialEq + Copy>(
    refused: &[&IdentityResult<'a>],
    ai: &[&IdentityResult<'a>],
    of: impl Fn(&IdentityResult<'a>) -> Option<T>,
) -> Option<T> {
    let first = of(refused.first()?)?;
    let same = |row: &&IdentityResult<'a>| of(row) == Some(first);
    (refused.iter().all(same) && ai.iter().filter(|row| same(row)).count() == refused.len())
        .then_some(first)
}

fn join_labels(rows: &[&IdentityResult<'_>]) -> String {
    rows.iter().map(|row| row.label).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter a row: `s` served, `r` refused, `?` not measured. In order: browser, control,
    /// then training (Aco, Bco), search (Aco, Bco), user (Aco, Cco).
    fn of(pattern: &str) -> RefusalAnalysis {
        const WHO: [(&str, Role, Option<&str>); 8] = [
            ("browser", Role::Browser, None),
            ("control", Role::Control, None),
            ("a-train", Role::Train, Some("Aco")),
            ("b-train", Role::Train, Some("Bco")),
            ("a-search", Role::Search, Some("Aco")),
            ("b-search", Role::Search, Some("Bco")),
            ("a-user", Role::User, Some("Aco")),
            ("c-user", Role::User, Some("Cco")),
        ];
        let results = pattern.chars().filter(|c| !c.is_whitespace());
        let mut rows: Vec<IdentityResult<'_>> = WHO
            .into_iter()
            .zip(results)
            .map(|((label, role, operator), result)| IdentityResult {
                label,
                role,
                operator,
                served: match result {
                    's' => Some(true),
                    'r' => Some(false),
                    _ => None,
                },
            })
            .collect();
        let found = analyse_refusals(&rows);
        rows.reverse();
        let reversed = analyse_refusals(&rows);
        assert_eq!((found.target, found.purpose), (reversed.target, reversed.purpose), "{pattern}");
        found
    }

    #[test]
    fn the_pattern_of_refusals_shows_the_target() {
        for (pattern, cause) in [
            ("s s ssssss", "none"),
            ("s ? ssssss", "none"),
            ("s s s?????", "none"),
            ("r r rrrrrr", "network"),
            ("r ? rrrrrr", "network"),
            ("r r ??????", "network"),
            ("r r rrrrrs", "unknown"),
            ("r s rrrrrr", "unknown"),
            ("r s ssssss", "unknown"),
            ("r ? ??????", "unknown"),
            ("? s rrrrrr", "unknown"),
            ("? ? ??????", "unknown"),
            ("s s ??????", "unknown"),
            ("s r ??????", "unknown"),
            ("s ? rrrrrr", "unknown"),
            ("s r rrrrrr", "non_browser"),
            ("s r rrrrrs", "non_browser"),
            ("s r ssssss", "unnamed_client"),
            ("s s rrrrrr", "named_agents"),
            ("s s rr???r", "named_agents"),
            ("s s rssrss", "named_agents"),
            ("s s rsssss", "one_agent"),
            ("s s r?????", "one_agent"),
            ("s ? rsssss", "one_agent"),
            ("s s rsrsrs", "one_agent"),
            ("s s sssssr", "one_agent"),
            ("s s rrssss", "one_purpose"),
            ("s ? rrssss", "one_purpose"),
            ("s s ssrrss", "one_purpose"),
            ("s s ssssrr", "one_purpose"),
        ] {
            assert_eq!(of(pattern).target.as_str(), cause, "{pattern}");
        }
    }

    #[test]
    fn the_sentence_names_the_refused_and_ends_with_the_caveat() {
        let training = of("s s rrssss");
        assert_eq!(training.purpose, Some("training"));
        assert_eq!(training.refused, ["a-train", "b-train"]);
        assert!(training.sentence.contains("training data were refused (a-train, b-train)"));
        assert!(of("s s rsrsrs").sentence.contains("Only the AI crawlers of Aco"));
        assert!(of("s s rsssss").sentence.contains("only a-train"));
        assert!(of("r r rrrrrr").sentence.contains("Other visitors may get the page"));
        for pattern in ["r r rrrrrr", "s r ssssss", "s s rrrrrr", "? s rsssss", "s s rrssss"] {
            assert!(of(pattern).sentence.ends_with(OWN_NETWORK_CAVEAT), "{pattern}");
        }
        assert!(!of("s s ssssss").sentence.contains(OWN_NETWORK_CAVEAT), "nothing was refused");
    }

    #[test]
    fn operators_that_are_not_known_are_not_one_operator() {
        let row = |label, role, served| IdentityResult {
            label,
            role,
            operator: None,
            served: Some(served),
        };
        let found = analyse_refusals(&[
            row("browser", Role::Browser, true),
            row("control", Role::Control, true),
            row("x", Role::Train, false),
            row("y", Role::Search, false),
            row("z", Role::User, true),
        ]);
        assert_eq!(found.target, RefusalTarget::NamedAgents);
    }
}
