//! To whom a section of a case file is served.

/// The identities of a scan: their ids, and the token that tells each from the others in a user
/// agent. The control identity has no token; it is recognised by its whole user agent.
const AI_IDENTITIES: [(&str, &str); 10] = [
    ("gptbot", "GPTBot"),
    ("claudebot", "ClaudeBot"),
    ("ccbot", "CCBot"),
    ("meta-externalagent", "meta-externalagent"),
    ("oai-searchbot", "OAI-SearchBot"),
    ("perplexitybot", "PerplexityBot"),
    ("claude-searchbot", "Claude-SearchBot"),
    ("chatgpt-user", "ChatGPT-User"),
    ("claude-user", "Claude-User"),
    ("perplexity-user", "Perplexity-User"),
];
const CONTROL_USER_AGENT: &str = "Mozilla/5.0 (compatible)";
/// The scanner's own name. It is an unnamed client to the sites of the cases.
const OWN_TOKEN: &str = "wayleave/";

const AI: u16 = (1 << 10) - 1;
const BROWSER: u16 = 1 << 10;
const CONTROL: u16 = 1 << 11;

/// A set of identities, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Who(u16);

impl Who {
    /// `all`, `browser`, `control`, `people`, `ai`, or a comma list of identity ids.
    pub(super) fn parse(word: &str) -> Result<Self, String> {
        match word {
            // A dash reads well in front of a file that does not exist.
            "all" | "-" => return Ok(Self(AI | BROWSER | CONTROL)),
            "people" => return Ok(Self(BROWSER | CONTROL)),
            "ai" => return Ok(Self(AI)),
            _ => {}
        }
        let mut all = 0;
        for id in word.split(',') {
            let bit = match id {
                "browser" => BROWSER,
                "control" => CONTROL,
                _ => AI_IDENTITIES
                    .iter()
                    .position(|(known, _)| *known == id)
                    .map(|index| 1 << index)
                    .ok_or_else(|| format!("{id:?} is no identity"))?,
            };
            if all & bit != 0 {
                return Err(format!("{id:?} is listed twice"));
            }
            all |= bit;
        }
        Ok(Self(all))
    }

    /// The identity that sends this user agent. Clients that are neither AI identities nor the
    /// control identity count as browsers.
    pub(super) fn from_user_agent(user_agent: &str) -> Self {
        let lower = user_agent.to_ascii_lowercase();
        let ai = AI_IDENTITIES.iter().position(|(_, token)| lower.contains(&token.to_lowercase()));
        match ai {
            Some(index) => Self(1 << index),
            None if user_agent == CONTROL_USER_AGENT || lower.contains(OWN_TOKEN) => Self(CONTROL),
            None => Self(BROWSER),
        }
    }

    pub(super) fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// How many identities it names. The smaller set is the more specific one.
    pub(super) fn size(self) -> u32 {
        self.0.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lists_are_read_and_others_refused() {
        assert_eq!(Who::parse("all").unwrap().size(), 12);
        assert_eq!(Who::parse("ai").unwrap().size(), 10);
        assert_eq!(Who::parse("people"), Who::parse("browser,control"));
        assert_eq!(Who::parse("gptbot,claudebot").unwrap().size(), 2);
        for wrong in ["", "robots", "gptbot,", "gptbot,gptbot", "GPTBot", "ai,browser"] {
            assert!(Who::parse(wrong).is_err(), "{wrong}");
        }
    }

    /// The table must name exactly the identities that scans use, and tell their user agents apart.
    #[test]
    fn every_identity_of_a_scan_is_recognised_by_its_user_agent() {
        let catalogue = agents::Catalogue::built_in().unwrap();
        let mut ai = 0;
        for identity in catalogue.ai_identities() {
            let who = Who::parse(&identity.id).unwrap();
            assert_eq!(Who::from_user_agent(&identity.user_agent), who, "{}", identity.id);
            ai += 1;
        }
        assert_eq!(ai, AI_IDENTITIES.len());
        for identity in catalogue.compared_identities() {
            let who = Who::parse(&identity.id).unwrap();
            assert_eq!(Who::from_user_agent(&identity.user_agent), who, "{}", identity.id);
        }
        let own = "Mozilla/5.0 (compatible; Wayleave/0.1; +https://example.org/docs)";
        assert_eq!(Who::from_user_agent(own), Who(CONTROL));
        assert_eq!(Who::from_user_agent("curl/8.9"), Who(BROWSER));
    }
}
