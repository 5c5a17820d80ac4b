//! The identities that a scan sends its requests as: a browser, an unnamed control client, AI
//! crawlers, and this service itself.

use contract::records::Purpose;
use serde::{Deserialize, Serialize};

/// The built-in catalogue. An operator can configure another one (`agents.catalogue`).
const BUILT_IN: &str = include_str!("../data/identities.json");

/// Every identity that a scan may use, in file order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Deserialised so that a file of another version is refused.
    #[serde(skip_serializing)]
    v: Version,
    /// This service's own robots.txt token. A site can use it to disallow scans.
    pub own_token: String,
    identities: Vec<Identity>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    pub id: String,
    pub label: String,
    pub role: Role,
    /// Its robots.txt token; every AI identity has one.
    #[serde(default)]
    pub robots_token: Option<String>,
    /// Who operates the agent that the user agent names.
    #[serde(default)]
    pub operator: Option<String>,
    /// Its purpose, as stated by the operator.
    #[serde(default)]
    pub purpose: Option<Purpose>,
    /// Whether a person's request triggers each fetch. Such agents may not follow robots.txt.
    #[serde(default)]
    pub user_triggered: Option<bool>,
    /// May contain the placeholders `{version}` and `{base_url}`, which
    /// [`Catalogue::with_placeholders_filled`] replaces.
    pub user_agent: String,
    /// The source for this exact user agent.
    #[serde(default)]
    pub user_agent_evidence: Option<UserAgentEvidence>,
    /// Names and values in the order sent. `{user_agent}` is replaced by the user agent,
    /// `{sec_ch_ua}` by the brands that Chrome derives from its version. In the built-in catalogue
    /// the compared identities differ only in the user agent (and the browser in its client hints),
    /// so that a different response has a single cause. Chrome's `priority` is left out, because it
    /// is used only with HTTP/2 and one set of headers serves both versions.
    headers: Vec<(String, String)>,
}

/// The source of a user agent. Not every operator publishes the complete text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserAgentEvidence {
    OperatorPage,
    CopyOfOperatorPage,
    /// Lists maintained by third parties.
    PublicLists,
    /// The request logs of one's own servers.
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

/// The role of an identity in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What a person sees; the others are compared with it.
    Browser,
    /// A client without a name: distinguishes "blocks AI" from "blocks everything but browsers".
    Control,
    Train,
    Search,
    /// Fetches single pages on a person's request.
    User,
    /// This service's own identity, used for robots.txt and machine files.
    Own,
}

impl Role {
    /// The role of an identity with this purpose in the comparison. `None`: agents with such a
    /// purpose do not read sites for AI, so scans do not compare them.
    #[must_use]
    pub fn for_purpose(purpose: &Purpose) -> Option<Self> {
        match purpose {
            Purpose::Training => Some(Self::Train),
            Purpose::Search => Some(Self::Search),
            Purpose::UserFetch | Purpose::Agent => Some(Self::User),
            Purpose::Preview
            | Purpose::Ads
            | Purpose::TrainingControl
            | Purpose::Other
            | Purpose::Unrecognised(_) => None,
        }
    }

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

/// Deserialises only from version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub(crate) struct Version;

impl TryFrom<u32> for Version {
    type Error = &'static str;

    fn try_from(v: u32) -> Result<Self, Self::Error> {
        if v == 1 { Ok(Self) } else { Err("only catalogue version 1 is supported") }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error(transparent)]
    InvalidJson(#[from] serde_json::Error),
    #[error("the catalogue of identities must have {0}")]
    Missing(&'static str),
    #[error("two identities have the same id {0}")]
    DuplicateId(String),
    #[error("the purpose of identity {0} does not match its role")]
    PurposeMismatch(String),
    #[error(
        "identity {id}: scans cannot use the purpose {purpose}; use training, search, user_fetch or agent"
    )]
    UnusablePurpose { id: String, purpose: Purpose },
    #[error("identity {id}: the header {name} cannot be sent")]
    BadHeader { id: String, name: String },
}

impl Catalogue {
    pub fn built_in() -> Result<Self, CatalogueError> {
        Self::parse(BUILT_IN)
    }

    /// Parses a catalogue and refuses one that scans could not use.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        let catalogue: Self = serde_json::from_str(text)?;
        let count = |role: Role| catalogue.identities.iter().filter(|i| i.role == role).count();
        if count(Role::Browser) != 1 {
            return Err(CatalogueError::Missing("exactly one browser"));
        }
        if count(Role::Control) != 1 {
            return Err(CatalogueError::Missing("exactly one control"));
        }
        if count(Role::Own) != 1 {
            return Err(CatalogueError::Missing("exactly one identity with the role own"));
        }
        if catalogue.ai_identities().count() < 3 {
            return Err(CatalogueError::Missing("at least three AI identities"));
        }
        if catalogue.ai_identities().any(|identity| identity.robots_token.is_none()) {
            return Err(CatalogueError::Missing("a robots token for every AI identity"));
        }
        for (at, identity) in catalogue.identities.iter().enumerate() {
            if catalogue.identities.iter().take(at).any(|other| other.id == identity.id) {
                return Err(CatalogueError::DuplicateId(identity.id.clone()));
            }
            if let Some(purpose) = &identity.purpose {
                let Some(role) = Role::for_purpose(purpose) else {
                    return Err(CatalogueError::UnusablePurpose {
                        id: identity.id.clone(),
                        purpose: purpose.clone(),
                    });
                };
                if role != identity.role {
                    return Err(CatalogueError::PurposeMismatch(identity.id.clone()));
                }
            }
            let sendable = |name: &str, value: &str| {
                !name.is_empty()
                    && name
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
                    && value.bytes().all(|b| (0x20..0x7f).contains(&b))
            };
            let no_hint = crate::client_hints::sec_ch_ua(&identity.user_agent).is_none();
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

    /// The catalogue with the placeholders for version and base address replaced.
    #[must_use]
    pub fn with_placeholders_filled(mut self, version: &str, base_url: &str) -> Self {
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

    /// The first identity with this role. [`Catalogue::parse`] ensures that there is exactly one
    /// with each of the roles browser, control and own.
    pub fn identity_with_role(&self, role: Role) -> Option<&Identity> {
        self.identities.iter().find(|identity| identity.role == role)
    }

    pub fn ai_identities(&self) -> impl Iterator<Item = &Identity> {
        self.identities.iter().filter(|identity| identity.role.is_ai())
    }

    /// The identities that are compared on the home page: all but this service's own.
    pub fn compared_identities(&self) -> impl Iterator<Item = &Identity> {
        self.identities.iter().filter(|identity| identity.role != Role::Own)
    }
}

impl Identity {
    /// The header fields in the order sent.
    #[must_use]
    pub fn headers(&self) -> Vec<(String, String)> {
        let brands = crate::client_hints::sec_ch_ua(&self.user_agent).unwrap_or_default();
        let fill = |value: &str| {
            value.replace("{user_agent}", &self.user_agent).replace("{sec_ch_ua}", &brands)
        };
        self.headers.iter().map(|(name, value)| (name.clone(), fill(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_catalogue_is_usable() {
        let catalogue =
            Catalogue::built_in().unwrap().with_placeholders_filled("1.2.3", "https://svc.example");
        let own = catalogue.identity_with_role(Role::Own).unwrap();
        assert_eq!(
            own.user_agent,
            "Mozilla/5.0 (compatible; Wayleave/1.2.3; +https://svc.example/docs/reader)"
        );
        assert!(own.headers().iter().any(|(_, value)| value == &own.user_agent));
        for purpose in [Role::Train, Role::Search, Role::User] {
            assert!(catalogue.identity_with_role(purpose).is_some(), "{purpose:?}");
        }
    }

    #[test]
    fn every_compared_identity_prefers_html() {
        // With a bare `*/*` some sites respond with Markdown, which would then be compared with a
        // page.
        for identity in Catalogue::built_in().unwrap().compared_identities() {
            let headers = identity.headers();
            let accept = headers.iter().find(|(name, _)| name == "accept").unwrap();
            assert!(accept.1.starts_with("text/html"), "{}", identity.id);
        }
    }

    #[test]
    fn identities_differ_only_in_their_user_agent_and_the_browser_in_its_hints() {
        let catalogue = Catalogue::built_in().unwrap();
        let without_hints = |identity: &Identity| -> Vec<(String, String)> {
            let own = |name: &str| {
                name == "user-agent"
                    || name == "upgrade-insecure-requests"
                    || name.starts_with("sec-")
            };
            identity.headers().into_iter().filter(|(name, _)| !own(name)).collect()
        };
        let control = catalogue.identity_with_role(Role::Control).unwrap();
        for identity in catalogue.compared_identities() {
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
        let browser = catalogue.identity_with_role(Role::Browser).unwrap();
        let (_, after) = browser.user_agent.split_once("Chrome/").unwrap();
        let major = after.split('.').next().unwrap();
        let brands = browser.headers().into_iter().find(|(name, _)| name == "sec-ch-ua").unwrap().1;
        assert!(brands.contains(&format!("\"Google Chrome\";v=\"{major}\"")), "{brands}");
        assert!(brands.contains(&format!("\"Chromium\";v=\"{major}\"")), "{brands}");
    }

    #[test]
    fn every_ai_identity_has_an_operator_and_a_source_for_its_user_agent() {
        let catalogue = Catalogue::built_in().unwrap();
        assert!((9..=10).contains(&catalogue.ai_identities().count()));
        for identity in catalogue.ai_identities() {
            assert!(identity.operator.is_some() && identity.user_agent_evidence.is_some());
            let purpose = identity.purpose.as_ref().unwrap();
            assert_eq!(Role::for_purpose(purpose), Some(identity.role), "{}", identity.id);
            assert_eq!(identity.user_triggered, Some(*purpose == Purpose::UserFetch));
            let token = identity.robots_token.as_deref().unwrap();
            assert!(identity.user_agent.contains(token), "{}", identity.id);
        }
        for purpose in [Purpose::Training, Purpose::Search, Purpose::UserFetch] {
            let of_it = catalogue
                .ai_identities()
                .filter(|identity| identity.purpose.as_ref() == Some(&purpose));
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
        let control = catalogue.identity_with_role(Role::Control).unwrap();
        let names_it = |token: &str| control.user_agent.contains(token);
        assert!(
            !catalogue.ai_identities().filter_map(|ai| ai.robots_token.as_deref()).any(names_it)
        );
        assert!(!control.user_agent.to_ascii_lowercase().contains("bot"));
    }

    #[test]
    fn descriptive_members_are_optional_in_a_custom_catalogue() {
        let mut value: serde_json::Value = serde_json::from_str(BUILT_IN).unwrap();
        for identity in value["identities"].as_array_mut().unwrap() {
            let fields = identity.as_object_mut().unwrap();
            for member in ["operator", "purpose", "user_triggered", "user_agent_evidence"] {
                fields.remove(member);
            }
        }
        let catalogue = Catalogue::parse(&value.to_string()).unwrap();
        assert!(catalogue.ai_identities().all(|identity| identity.operator.is_none()));
    }

    #[test]
    fn an_identity_that_acts_for_a_person_has_the_role_user() {
        let mut value: serde_json::Value = serde_json::from_str(BUILT_IN).unwrap();
        let identities = value["identities"].as_array_mut().unwrap();
        let user = identities.iter_mut().find(|identity| identity["role"] == "user").unwrap();
        user["purpose"] = "agent".into();
        Catalogue::parse(&value.to_string()).unwrap();
    }

    #[test]
    fn purposes_are_written_as_they_were_read() {
        let purposes = |value: &serde_json::Value| -> Vec<serde_json::Value> {
            let identities = value["identities"].as_array().unwrap().iter();
            identities.map(|identity| identity["purpose"].clone()).collect()
        };
        let written = serde_json::to_value(Catalogue::built_in().unwrap()).unwrap();
        let read: serde_json::Value = serde_json::from_str(BUILT_IN).unwrap();
        assert_eq!(purposes(&written), purposes(&read));
    }

    fn broken(change: impl Fn(&mut serde_json::Value)) -> String {
        let mut value: serde_json::Value = serde_json::from_str(BUILT_IN).unwrap();
        change(&mut value);
        Catalogue::parse(&value.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn an_unusable_catalogue_is_refused() {
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
        for unusable in ["fun", "ads", "preview", "training_control", "other"] {
            let fault = broken(|v| v["identities"][2]["purpose"] = unusable.into());
            assert!(fault.contains("gptbot") && fault.contains(unusable), "{fault}");
        }
        assert!(
            broken(|v| v["identities"][1]["headers"][0][1] = "{sec_ch_ua}".into())
                .contains("header")
        );
        assert!(broken(|v| v["surprise"] = 1.into()).contains("surprise"));
    }
}
