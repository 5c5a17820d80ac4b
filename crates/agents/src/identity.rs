//! Who a scan asks as: a browser, an unnamed control, AI crawlers, and ourselves.

use serde::{Deserialize, Serialize};

/// The catalogue that is built in. An operator can give another (`agents.catalogue`).
const BUILT_IN: &str = include_str!("../data/identities.json");

/// Every identity a scan may ask as, in the order of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    #[serde(skip_serializing)]
    #[expect(dead_code, reason = "read so that a file of another version is refused")]
    v: Version,
    /// The robots.txt token of our own reader: a group that names it can ask us to stay away.
    pub own_token: String,
    identities: Vec<Identity>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    pub id: String,
    pub label: String,
    pub role: Role,
    /// The name robots.txt knows it by; every AI identity has one.
    #[serde(default)]
    pub robots_token: Option<String>,
    /// Who runs the agent that the user agent names.
    #[serde(default)]
    pub operator: Option<String>,
    /// What the operator says it reads for.
    #[serde(default)]
    pub purpose: Option<Purpose>,
    /// Whether a person's request sets off each fetch; such agents may not heed robots.txt.
    #[serde(default)]
    pub user_triggered: Option<bool>,
    /// May hold `{version}` and `{base_url}`, filled in once by [`Catalogue::filled_in`].
    pub user_agent: String,
    /// How we know that the agent sends this very text.
    #[serde(default)]
    pub user_agent_evidence: Option<UserAgentEvidence>,
    /// Name and value in the order they are sent; `{user_agent}` stands for the line above, and
    /// `{sec_ch_ua}` for the brands that Chrome works out from its version. Built in, what is
    /// compared differs in the user agent alone, and the browser in its hints, so that another
    /// answer has one cause. Chrome's `priority` is left out: it belongs to HTTP/2 only, and one
    /// set serves both versions.
    headers: Vec<(String, String)>,
}

/// What an agent reads for, in its operator's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Training,
    Search,
    UserFetch,
}

impl Purpose {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Search => "search",
            Self::UserFetch => "user_fetch",
        }
    }

    /// The part that an identity with this purpose has in the comparison.
    #[must_use]
    pub fn role(self) -> Role {
        match self {
            Self::Training => Role::Train,
            Self::Search => Role::Search,
            Self::UserFetch => Role::User,
        }
    }
}

/// Where a user agent was read. Not every operator prints the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserAgentEvidence {
    OperatorPage,
    CopyOfOperatorPage,
    /// Lists that others keep of what they saw.
    PublicLists,
    /// Requests that came to servers of one's own.
    Logs,
}

impl UserAgentEvidence {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OperatorPage => "operator page",
            Self::CopyOfOperatorPage => "copy of the operator page",
            Self::PublicLists => "public lists",
            Self::Logs => "logs",
        }
    }
}

/// What an identity is in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What a person sees: the yardstick.
    Browser,
    /// Software that does not say who it is: tells "blocks AI" from "blocks everything but browsers".
    Control,
    Train,
    Search,
    /// Fetches one page because a person asked.
    User,
    /// Our own reader, for robots.txt and machine files.
    Own,
}

impl Role {
    #[must_use]
    pub fn is_ai(self) -> bool {
        matches!(self, Self::Train | Self::Search | Self::User)
    }

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::Control => "control",
            Self::Train => "train",
            Self::Search => "search",
            Self::User => "user",
            Self::Own => "own",
        }
    }
}

/// Only version 1 is understood.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
struct Version;

impl TryFrom<u32> for Version {
    type Error = &'static str;

    fn try_from(v: u32) -> Result<Self, Self::Error> {
        if v == 1 { Ok(Self) } else { Err("only catalogue version 1 is understood") }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error(transparent)]
    NotValid(#[from] serde_json::Error),
    #[error("the catalogue of identities needs {0}")]
    Lacks(&'static str),
    #[error("two identities share the id {0}")]
    TwiceTheSame(String),
    #[error("identity {0} has a purpose that does not belong to its role")]
    OtherPurpose(String),
    #[error("identity {id} has the header {name}, which cannot be sent")]
    BadHeader { id: String, name: String },
}

impl Catalogue {
    pub fn built_in() -> Result<Self, CatalogueError> {
        Self::read(BUILT_IN)
    }

    /// Reads a catalogue and refuses one that a scan could not be run with.
    pub fn read(text: &str) -> Result<Self, CatalogueError> {
        let catalogue: Self = serde_json::from_str(text)?;
        let count = |role: Role| catalogue.identities.iter().filter(|i| i.role == role).count();
        if count(Role::Browser) != 1 {
            return Err(CatalogueError::Lacks("exactly one browser"));
        }
        if count(Role::Control) != 1 {
            return Err(CatalogueError::Lacks("exactly one control"));
        }
        if count(Role::Own) != 1 {
            return Err(CatalogueError::Lacks("exactly one identity of our own"));
        }
        if catalogue.ai().count() < 3 {
            return Err(CatalogueError::Lacks("at least three AI identities"));
        }
        if catalogue.ai().any(|identity| identity.robots_token.is_none()) {
            return Err(CatalogueError::Lacks("a robots token for every AI identity"));
        }
        for (at, identity) in catalogue.identities.iter().enumerate() {
            if catalogue.identities.iter().take(at).any(|other| other.id == identity.id) {
                return Err(CatalogueError::TwiceTheSame(identity.id.clone()));
            }
            if identity.purpose.is_some_and(|purpose| purpose.role() != identity.role) {
                return Err(CatalogueError::OtherPurpose(identity.id.clone()));
            }
            let sendable = |name: &str, value: &str| {
                !name.is_empty()
                    && name
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
                    && value.bytes().all(|b| (0x20..0x7f).contains(&b))
            };
            let no_hint = crate::chrome::sec_ch_ua(&identity.user_agent).is_none();
            for (name, value) in &identity.headers {
                if !sendable(name, value)
                    || matches!(name.as_str(), "host" | "cookie")
                    || (no_hint && value.contains("{sec_ch_ua}"))
                {
                    return Err(CatalogueError::BadHeader {
                        id: identity.id.clone(),
                        name: name.clone(),
                    });
                }
            }
            if !sendable("user-agent", &identity.user_agent) {
                return Err(CatalogueError::BadHeader {
                    id: identity.id.clone(),
                    name: "user-agent".to_owned(),
                });
            }
        }
        Ok(catalogue)
    }

    /// The same catalogue with the places for our version and address filled in.
    #[must_use]
    pub fn filled_in(mut self, version: &str, base_url: &str) -> Self {
        for identity in &mut self.identities {
            identity.user_agent =
                identity.user_agent.replace("{version}", version).replace("{base_url}", base_url);
        }
        self
    }

    #[must_use]
    pub fn identities(&self) -> &[Identity] {
        &self.identities
    }

    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Identity> {
        self.identities.iter().find(|identity| identity.id == id)
    }

    /// The one identity of a role that [`Catalogue::read`] demands exactly once.
    pub fn the(&self, role: Role) -> Option<&Identity> {
        self.identities.iter().find(|identity| identity.role == role)
    }

    pub fn ai(&self) -> impl Iterator<Item = &Identity> {
        self.identities.iter().filter(|identity| identity.role.is_ai())
    }

    /// Those that are compared on the home page: everyone but ourselves.
    pub fn compared(&self) -> impl Iterator<Item = &Identity> {
        self.identities.iter().filter(|identity| identity.role != Role::Own)
    }
}

impl Identity {
    /// The header fields in the order they are sent.
    #[must_use]
    pub fn headers(&self) -> Vec<(String, String)> {
        let brands = crate::chrome::sec_ch_ua(&self.user_agent).unwrap_or_default();
        let filled = |value: &str| {
            value.replace("{user_agent}", &self.user_agent).replace("{sec_ch_ua}", &brands)
        };
        self.headers.iter().map(|(name, value)| (name.clone(), filled(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_catalogue_is_usable() {
        let catalogue = Catalogue::built_in().unwrap().filled_in("1.2.3", "https://svc.example");
        let own = catalogue.the(Role::Own).unwrap();
        assert_eq!(
            own.user_agent,
            "Mozilla/5.0 (compatible; Wayleave/1.2.3; +https://svc.example/docs)"
        );
        assert!(own.headers().iter().any(|(_, value)| value == &own.user_agent));
        for purpose in [Role::Train, Role::Search, Role::User] {
            assert!(catalogue.the(purpose).is_some(), "{purpose:?}");
        }
    }

    #[test]
    fn a_page_is_what_every_compared_identity_asks_for_first() {
        // A bare `*/*` makes some sites answer with Markdown, which would then be compared
        // with a page.
        for identity in Catalogue::built_in().unwrap().compared() {
            let headers = identity.headers();
            let accept = headers.iter().find(|(name, _)| name == "accept").unwrap();
            assert!(accept.1.starts_with("text/html"), "{}", identity.id);
        }
    }

    #[test]
    fn identities_differ_in_their_user_agent_alone_and_the_browser_in_its_hints() {
        let catalogue = Catalogue::built_in().unwrap();
        let without_hints = |identity: &Identity| -> Vec<(String, String)> {
            let own = |name: &str| {
                name == "user-agent"
                    || name == "upgrade-insecure-requests"
                    || name.starts_with("sec-")
            };
            identity.headers().into_iter().filter(|(name, _)| !own(name)).collect()
        };
        let control = catalogue.the(Role::Control).unwrap();
        for identity in catalogue.compared() {
            assert_eq!(without_hints(identity), without_hints(control), "{}", identity.id);
            if identity.role != Role::Browser {
                let names: Vec<String> = identity.headers().into_iter().map(|(n, _)| n).collect();
                assert_eq!(
                    names,
                    ["user-agent", "accept", "accept-encoding", "accept-language"],
                    "{}",
                    identity.id
                );
            }
        }
    }

    #[test]
    fn the_browser_names_the_same_version_everywhere() {
        let catalogue = Catalogue::built_in().unwrap();
        let browser = catalogue.the(Role::Browser).unwrap();
        let (_, after) = browser.user_agent.split_once("Chrome/").unwrap();
        let major = after.split('.').next().unwrap();
        let brands = browser.headers().into_iter().find(|(name, _)| name == "sec-ch-ua").unwrap().1;
        assert!(brands.contains(&format!("\"Google Chrome\";v=\"{major}\"")), "{brands}");
        assert!(brands.contains(&format!("\"Chromium\";v=\"{major}\"")), "{brands}");
    }

    #[test]
    fn every_ai_identity_says_whose_it_is_and_how_its_name_is_known() {
        let catalogue = Catalogue::built_in().unwrap();
        assert!((9..=10).contains(&catalogue.ai().count()));
        for identity in catalogue.ai() {
            assert!(identity.operator.is_some() && identity.user_agent_evidence.is_some());
            let purpose = identity.purpose.unwrap();
            assert_eq!(purpose.role(), identity.role, "{}", identity.id);
            assert_eq!(identity.user_triggered, Some(purpose == Purpose::UserFetch));
            let token = identity.robots_token.as_deref().unwrap();
            assert!(identity.user_agent.contains(token), "{}", identity.id);
        }
        for purpose in [Purpose::Training, Purpose::Search, Purpose::UserFetch] {
            let of_it = catalogue.ai().filter(|identity| identity.purpose == Some(purpose));
            assert!(of_it.count() >= 3, "{purpose:?}");
        }
    }

    #[test]
    fn the_other_identities_stay_unnamed_and_the_well_known_ids_stay() {
        let catalogue = Catalogue::built_in().unwrap();
        for id in [
            "browser",
            "control",
            "gptbot",
            "claudebot",
            "oai-searchbot",
            "perplexitybot",
            "chatgpt-user",
            "wayleave",
        ] {
            assert!(catalogue.get(id).is_some(), "{id}");
        }
        let control = catalogue.the(Role::Control).unwrap();
        let names_it = |token: &str| control.user_agent.contains(token);
        assert!(!catalogue.ai().filter_map(|ai| ai.robots_token.as_deref()).any(names_it));
        assert!(!control.user_agent.to_ascii_lowercase().contains("bot"));
    }

    #[test]
    fn what_is_only_told_may_be_left_out_of_a_catalogue_of_ones_own() {
        let mut value: serde_json::Value = serde_json::from_str(BUILT_IN).unwrap();
        for identity in value["identities"].as_array_mut().unwrap() {
            let fields = identity.as_object_mut().unwrap();
            for told in ["operator", "purpose", "user_triggered", "user_agent_evidence"] {
                fields.remove(told);
            }
        }
        let catalogue = Catalogue::read(&value.to_string()).unwrap();
        assert!(catalogue.ai().all(|identity| identity.operator.is_none()));
    }

    fn broken(change: impl Fn(&mut serde_json::Value)) -> String {
        let mut value: serde_json::Value = serde_json::from_str(BUILT_IN).unwrap();
        change(&mut value);
        Catalogue::read(&value.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn a_catalogue_that_cannot_be_scanned_with_is_refused() {
        assert!(broken(|v| v["v"] = 2.into()).contains("version 1"));
        assert!(broken(|v| v["identities"][0]["role"] = "train".into()).contains("browser"));
        assert!(broken(|v| v["identities"][3]["id"] = "gptbot".into()).contains("gptbot"));
        assert!(
            broken(|v| v["identities"][2]["headers"][0][0] = "Host: x\r\n".into())
                .contains("header")
        );
        assert!(
            broken(|v| v["identities"][2]["user_agent"] = "a\r\nb".into()).contains("user-agent")
        );
        assert!(broken(|v| v["identities"][2]["purpose"] = "search".into()).contains("purpose"));
        assert!(broken(|v| v["identities"][2]["purpose"] = "fun".into()).contains("fun"));
        assert!(
            broken(|v| v["identities"][1]["headers"][0][1] = "{sec_ch_ua}".into())
                .contains("header")
        );
        assert!(broken(|v| v["surprise"] = 1.into()).contains("surprise"));
    }
}
