//! Why somebody was refused, as far as it shows in who else was.
//!
//! One answer never tells the rule behind it; who was let in and who was not narrows it down. All
//! of it is about *copies* sent from one network, and every sentence says so.

use agents::Role;

/// How one identity fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// The identity's name in sentences.
    pub label: &'a str,
    pub role: Role,
    pub operator: Option<&'a str>,
    /// Whether it was given the page; nothing when that was not measured.
    pub served: Option<bool>,
}

/// What the pattern of refusals points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Nobody was refused.
    None,
    /// Everybody was, the browser too: a rule about our address or the fingerprint of our client.
    Network,
    /// Whatever is not a browser.
    NonBrowser,
    /// The unnamed control alone: those that say who they are get in.
    UnnamedClient,
    /// Agents by their names, and no one purpose or operator.
    NamedAgents,
    /// One agent, or the agents of one operator.
    OneAgent,
    /// The agents of one purpose.
    OnePurpose,
    /// The rows do not tell.
    Unknown,
}

impl Cause {
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contrast {
    pub cause: Cause,
    /// `training`, `search` or `user_fetch`, for [`Cause::OnePurpose`].
    pub purpose: Option<&'static str>,
    /// Labels of the AI identities that were refused, in the order of the rows.
    pub refused: Vec<String>,
    /// What was seen and what it may mean, for the owner of the site.
    pub sentence: String,
}

/// What a refusal of a copy does not show. Part of every sentence that tells of one.
pub const COPIES: &str = "All of these were copies sent from our own network: a site that checks \
    the address or signature of a bot refuses copies, so a refused copy is not what the real bot \
    gets.";

/// Compares how the identities fared. Order does not matter.
#[must_use]
pub fn contrast(rows: &[Row<'_>]) -> Contrast {
    let of = |role| rows.iter().filter(move |row| row.role == role).find_map(|row| row.served);
    let (browser, control) = (of(Role::Browser), of(Role::Control));
    let ai: Vec<&Row<'_>> =
        rows.iter().filter(|row| row.role.is_ai() && row.served.is_some()).collect();
    let refused: Vec<&Row<'_>> =
        ai.iter().copied().filter(|row| row.served == Some(false)).collect();
    let told = |cause, purpose, seen: &str| {
        let tail = if refused.is_empty() && control != Some(false) && browser != Some(false) {
            String::new()
        } else {
            format!(" {COPIES}")
        };
        Contrast {
            cause,
            purpose,
            refused: refused.iter().map(|row| row.label.to_owned()).collect(),
            sentence: format!("{seen}{tail}"),
        }
    };

    match browser {
        None => {
            return told(
                Cause::Unknown,
                None,
                "It was not seen how a browser is treated, so there is nothing to hold the others \
                 against.",
            );
        }
        Some(false) => {
            let others = refused.len() + usize::from(control == Some(false));
            let any_served = control == Some(true) || refused.len() < ai.len();
            return if others > 0 && !any_served {
                told(
                    Cause::Network,
                    None,
                    "The browser was refused as everybody else was: a rule about our address or \
                     about the way our client connects. That says nothing of other visitors.",
                )
            } else {
                told(
                    Cause::Unknown,
                    None,
                    "The copy of a browser was refused and others were not, or were not measured: \
                     our client may not connect as a real browser does, so there is nothing to \
                     hold the others against.",
                )
            };
        }
        Some(true) => {}
    }

    if ai.is_empty() {
        return told(
            Cause::Unknown,
            None,
            "The browser was served; how AI identities are treated was not seen.",
        );
    }
    let names = list(&refused);
    if refused.is_empty() {
        return if control == Some(false) {
            told(
                Cause::UnnamedClient,
                None,
                "The browser and the AI identities were served, and the client without a name was \
                 not: a rule against clients that do not say who they are.",
            )
        } else {
            told(Cause::None, None, "Everybody who was measured was served.")
        };
    }
    let all = refused.len() == ai.len();
    match control {
        Some(false) if all => {
            return told(
                Cause::NonBrowser,
                None,
                "The browser was served; the client without a name and the AI identities were \
                 not: a rule against whatever is not a browser, and not against AI by name.",
            );
        }
        Some(false) => {
            return told(
                Cause::NonBrowser,
                None,
                &format!(
                    "The browser was served; the client without a name and {names} were not: a \
                     rule against whatever is not a browser, with exceptions for the other AI \
                     identities."
                ),
            );
        }
        None if all => {
            return told(
                Cause::Unknown,
                None,
                "The browser was served and the AI identities were not. Whether that is for their \
                 names or for not being a browser cannot be told: the client without a name was \
                 not measured.",
            );
        }
        _ => {}
    }

    if let [only] = refused.as_slice() {
        return told(
            Cause::OneAgent,
            None,
            &format!(
                "Of {} AI identities {} alone was refused: a rule for this agent.",
                ai.len(),
                only.label
            ),
        );
    }
    if all {
        return told(
            Cause::NamedAgents,
            None,
            "The browser and the client without a name were served, and no AI identity was: a rule \
             against AI agents by their names.",
        );
    }
    if let Some(operator) = shared(&refused, &ai, |row| row.operator) {
        return told(
            Cause::OneAgent,
            None,
            &format!(
                "Of the AI identities those of {operator} alone were refused ({names}): a rule for the agents of this operator."
            ),
        );
    }
    if let Some(role) = shared(&refused, &ai, |row| Some(row.role)) {
        let (purpose, words) = match role {
            Role::Train => ("training", "gather training data"),
            Role::Search => ("search", "read for search"),
            _ => ("user_fetch", "read on a person's request"),
        };
        return told(
            Cause::OnePurpose,
            Some(purpose),
            &format!(
                "Of the AI identities those that {words} were refused ({names}), and the others were served: a rule by purpose."
            ),
        );
    }
    told(
        Cause::NamedAgents,
        None,
        &format!(
            "{} of {} AI identities were refused ({names}), and the client without a name was not: \
             a rule that lists agents by their names.",
            refused.len(),
            ai.len()
        ),
    )
}

/// What all refused rows and none of the served ones have in common.
fn shared<'a, T: PartialEq + Copy>(
    refused: &[&Row<'a>],
    ai: &[&Row<'a>],
    of: impl Fn(&Row<'a>) -> Option<T>,
) -> Option<T> {
    let first = of(refused.first()?)?;
    let same = |row: &&Row<'a>| of(row) == Some(first);
    (refused.iter().all(same) && ai.iter().filter(|row| same(row)).count() == refused.len())
        .then_some(first)
}

fn list(rows: &[&Row<'_>]) -> String {
    rows.iter().map(|row| row.label).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter a row: `s` served, `r` refused, `?` not measured. In order: browser, control,
    /// then training (Aco, Bco), search (Aco, Bco), user (Aco, Cco).
    fn of(pattern: &str) -> Contrast {
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
        let fared = pattern.chars().filter(|c| !c.is_whitespace());
        let mut rows: Vec<Row<'_>> = WHO
            .into_iter()
            .zip(fared)
            .map(|((label, role, operator), fared)| Row {
                label,
                role,
                operator,
                served: match fared {
                    's' => Some(true),
                    'r' => Some(false),
                    _ => None,
                },
            })
            .collect();
        let told = contrast(&rows);
        rows.reverse();
        let reversed = contrast(&rows);
        assert_eq!((told.cause, told.purpose), (reversed.cause, reversed.purpose), "{pattern}");
        told
    }

    #[test]
    fn the_pattern_of_refusals_tells_the_cause() {
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
            assert_eq!(of(pattern).cause.as_str(), cause, "{pattern}");
        }
    }

    #[test]
    fn the_sentence_names_who_and_never_claims_more_than_copies_show() {
        let training = of("s s rrssss");
        assert_eq!(training.purpose, Some("training"));
        assert_eq!(training.refused, ["a-train", "b-train"]);
        assert!(training.sentence.contains("training data were refused (a-train, b-train)"));
        assert!(of("s s rsrsrs").sentence.contains("those of Aco alone"));
        assert!(of("s s rsssss").sentence.contains("a-train alone"));
        assert!(of("r r rrrrrr").sentence.contains("nothing of other visitors"));
        for pattern in ["r r rrrrrr", "s r ssssss", "s s rrrrrr", "? s rsssss", "s s rrssss"] {
            assert!(of(pattern).sentence.ends_with(COPIES), "{pattern}");
        }
        assert!(!of("s s ssssss").sentence.contains(COPIES), "nothing was refused");
    }

    #[test]
    fn operators_that_are_not_known_are_not_one_operator() {
        let row = |label, role, served| Row { label, role, operator: None, served: Some(served) };
        let told = contrast(&[
            row("browser", Role::Browser, true),
            row("control", Role::Control, true),
            row("x", Role::Train, false),
            row("y", Role::Search, false),
            row("z", Role::User, true),
        ]);
        assert_eq!(told.cause, Cause::NamedAgents);
    }
}
