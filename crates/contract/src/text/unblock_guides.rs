//! How to let crawlers in that a site refuses, by the product that refused them: steps in our own words and,
//! where there is one, a text to copy. Pure data; product names are those of the wall catalogue.

/// The steps for one product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnblockGuide {
    /// What people call the product.
    pub name: String,
    pub steps: &'static [&'static str],
    /// A caption and a text to copy, made for the crawlers in question.
    pub copy: Option<(&'static str, String)>,
}

/// How to tell a genuine crawler from one that only uses its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GenuineCheck {
    /// The crawler's token.
    pub agent: &'static str,
    pub how: &'static str,
    /// The operator's list of addresses, if it publishes one.
    pub list: Option<&'static str>,
}

struct Guide {
    name: &'static str,
    /// Vendors of walls that this guide is for, in lower case.
    vendors: &'static [&'static str],
    steps: &'static [&'static str],
    copy: Option<(&'static str, Copy)>,
}

/// How a text to copy is made from the names of the crawlers.
enum Copy {
    CloudflareExpression,
    AwsRule,
    FastlyCondition,
    Search(&'static str, &'static str),
}

/// For products that verify crawlers: what we saw may hold for our copies only.
const CHECK_GENUINE: &str = "First look in the product's log of refused requests whether genuine crawlers are refused at all: compare the addresses with the lists that the operators publish. We sent our requests under the crawlers' names from our own network. A product that verifies crawlers may refuse our copies and serve the genuine ones; then there is nothing to change.";
/// For products that verify crawlers: what to expect of the next scan.
const STILL_REFUSED: &str = "A scan of ours may still show a refusal afterwards, because our requests are not from the genuine crawlers. The log of the product shows whether those get through.";
/// For rules that look at the name only.
const BY_NAME: &str = "Rules in this place usually look only at the name, so genuine crawlers get the same answer as our copies.";

const GENERAL_STEPS: &[&str] = &[
    CHECK_GENUINE,
    "Look for the setting that treats AI crawlers or bots as a group, and for your own rules on the user agent. Exempt only the crawlers that you want, and only requests that are verified by address, reverse lookup or signature: anybody can send a crawler's name.",
    "If there is no such setting, check the other places in this order: CDN, firewall, web server, plug-ins.",
    STILL_REFUSED,
];

const GUIDES: &[Guide] = &[
    Guide {
        name: "Cloudflare",
        vendors: &["cloudflare", "cloudflare turnstile"],
        steps: &[
            "First look in Security Events whether genuine crawlers are refused at all, and which service refused them: filter by user agent, and compare the addresses with the lists that the operators publish. We sent our requests under the crawlers' names from our own network. Cloudflare verifies crawlers, so it may refuse our copies and serve the genuine ones; then there is nothing to change.",
            "If “Block AI bots” refuses them, turn it off (Security, Settings, Bot traffic), and set in AI Crawl Control for each crawler whether it is allowed or blocked.",
            "If Bot Fight Mode refuses them: Turn Bot Fight Mode off; a custom rule cannot skip it.",
            "If Super Bot Fight Mode, a managed rule or one of your custom rules refuses them, add a custom rule with this expression and the action Skip above your other rules. Let it skip only what refused them. Do not leave out cf.client.bot: it is true only for crawlers that Cloudflare has verified, and without it anybody who sends the name passes.",
            "If “Managed robots.txt” is on, check that it does not disallow the crawlers that you let in.",
            "A scan of ours may still show a refusal afterwards, because our requests are not from the genuine crawlers. Security Events shows whether those get through.",
        ],
        copy: Some(("Custom rule, expression editor, action Skip", Copy::CloudflareExpression)),
    },
    Guide {
        name: "Akamai",
        vendors: &["akamai"],
        steps: &[
            CHECK_GENUINE,
            "In the security policy that protects this host, find the actions for the categories of bots that Akamai defines. Give the category of the crawlers that you want an action that neither denies nor challenges.",
            "Look for a custom rule or a client list that matches the user agent, and take these names out.",
            "Activate the new version in production.",
            STILL_REFUSED,
        ],
        copy: None,
    },
    Guide {
        name: "DataDome",
        vendors: &["datadome"],
        steps: &[
            CHECK_GENUINE,
            "Find your policy for verified bots and AI agents, and authorise the crawlers that you want. DataDome authenticates them by signature, reverse lookup or address, so requests that only use the name stay out.",
            "Look in your own rules for these user agents, and remove or disable the rule.",
            STILL_REFUSED,
        ],
        copy: None,
    },
    Guide {
        name: "AWS WAF",
        vendors: &["aws waf", "amazon cloudfront"],
        steps: &[
            "First look in the logs of the web ACL which rule refused (terminatingRuleId), and whether genuine crawlers are refused at all: compare the addresses with the lists that the operators publish. We sent our requests under the crawlers' names from our own network.",
            "If the rule CategoryAI of the managed rule group Bot Control refused: it blocks all AI bots, verified or not. Override its action to Count. It then blocks nobody and only labels the requests.",
            "Add this rule to the web ACL. It must run after Bot Control, so its priority must be the higher number. It blocks what Bot Control labels as AI, except requests of the crawlers that you want which Bot Control has verified. Without this rule, everybody who uses such a name passes.",
            "Look for your own rules that inspect the User-Agent header, and take these names out.",
            STILL_REFUSED,
        ],
        copy: Some(("Rule in JSON, after Bot Control with CategoryAI set to Count", Copy::AwsRule)),
    },
    Guide {
        name: "Fastly",
        vendors: &["fastly"],
        steps: &[
            CHECK_GENUINE,
            "With Bot Management, allow the crawlers that you want in its controls for bot categories and identities.",
            "In the Next-Gen WAF, look for a rule that blocks by user agent or by a signal for AI crawlers, and exempt verified bots from it.",
            "If the block is in VCL, find the condition on req.http.User-Agent and exempt requests that match this condition. Its first part needs Bot Management. Without it, compare the address with an ACL of the ranges that the operators publish; do not exempt by the name alone.",
            STILL_REFUSED,
        ],
        copy: Some(("Condition in VCL, to exempt them from the rule", Copy::FastlyCondition)),
    },
    Guide {
        name: "Imperva",
        vendors: &["imperva (incapsula)"],
        steps: &[
            CHECK_GENUINE,
            "Each site has a list of good bots and a list of bad bots. Take the crawlers that you want out of the list of bad bots, and check that nobody has removed them from the list of good ones.",
            "If you use the separate product for bot protection, look in its policies for what happens to AI crawlers.",
            "Check your own security rules for a condition on the user agent that blocks, and take these names out.",
            STILL_REFUSED,
        ],
        copy: None,
    },
    Guide {
        name: "Sucuri",
        vendors: &["sucuri"],
        steps: &[
            CHECK_GENUINE,
            "Look in the firewall's settings for the site for a list of blocked user agents, and take these names out.",
            "Look for a setting that blocks AI bots or scrapers as a group, and for a raised protection mode that challenges every visitor. Switch off what you do not need.",
            "Clear the firewall's cache, in case the refusal was cached.",
            STILL_REFUSED,
        ],
        copy: None,
    },
    Guide {
        name: "WordPress plug-ins",
        vendors: &["wordfence", "imunify360", "siteground"],
        steps: &[
            BY_NAME,
            "Look in your security and SEO plug-ins for settings that block AI crawlers, bad bots or user agents, and take these names out.",
            "In Wordfence, look for blocking rules with a pattern for the user agent, and for rate limits of crawlers.",
            "Ask your host whether its own bot protection (for example Imunify360) refuses them.",
            "Clear the page cache of the plug-in and of the host.",
        ],
        copy: Some((
            "Find the name in the plug-ins' files",
            Copy::Search("grep -rnEil '", "' wp-content/plugins .htaccess"),
        )),
    },
    Guide {
        name: "nginx",
        vendors: &["nginx", "openresty"],
        steps: &[
            BY_NAME,
            "Find the rule with this command. It is often a map or an if on $http_user_agent.",
            "Take the names out, test the configuration and reload: sudo nginx -t && sudo nginx -s reload.",
        ],
        copy: Some(("Find the rule", Copy::Search("sudo nginx -T | grep -nEi '", "'"))),
    },
    Guide {
        name: "Apache",
        vendors: &["apache", "litespeed", "modsecurity", "apache tomcat"],
        steps: &[
            BY_NAME,
            "Find the rule with this command. It is often a RewriteCond on %{HTTP_USER_AGENT}, a BrowserMatch or a ModSecurity rule.",
            "Take the names out, test the configuration and reload: sudo apachectl configtest && sudo apachectl graceful.",
        ],
        copy: Some((
            "Find the rule",
            Copy::Search(
                "grep -rnEi '",
                "' /etc/apache2 /etc/httpd /var/www --include='*.conf' --include=.htaccess",
            ),
        )),
    },
    Guide {
        name: "Caddy",
        vendors: &["caddy"],
        steps: &[
            BY_NAME,
            "Find the rule with this command. It is often a matcher on the header User-Agent with abort or respond 403.",
            "Take the names out and reload: caddy reload --config /etc/caddy/Caddyfile.",
        ],
        copy: Some(("Find the rule", Copy::Search("grep -nEi '", "' /etc/caddy/Caddyfile"))),
    },
];

const GENUINE: &[GenuineCheck] = &[
    genuine_by_list("GPTBot", "https://openai.com/gptbot.json"),
    genuine_by_list("OAI-SearchBot", "https://openai.com/searchbot.json"),
    genuine_by_list("ChatGPT-User", "https://openai.com/chatgpt-user.json"),
    genuine_by_list("ClaudeBot", "https://claude.com/crawling/bots.json"),
    genuine_by_list("Claude-SearchBot", "https://claude.com/crawling/bots.json"),
    genuine_by_list("Claude-User", "https://claude.com/crawling/bots.json"),
    genuine_by_list("PerplexityBot", "https://www.perplexity.com/perplexitybot.json"),
    genuine_by_list("Perplexity-User", "https://www.perplexity.com/perplexity-user.json"),
    GenuineCheck {
        agent: "CCBot",
        how: "The reverse lookup of its address ends in .crawl.commoncrawl.org, and that name leads back to the address.",
        list: Some("https://index.commoncrawl.org/ccbot.json"),
    },
    GenuineCheck {
        agent: "meta-externalagent",
        how: "Its address is announced by the network AS32934 (Meta).",
        list: Some("https://www.facebook.com/peering/geofeed"),
    },
];

const fn genuine_by_list(agent: &'static str, list: &'static str) -> GenuineCheck {
    GenuineCheck {
        agent,
        how: "Its address is in the list that the operator publishes.",
        list: Some(list),
    }
}

/// The guides for these vendors first, in their order, then the others. `agents` are the tokens of the
/// crawlers that should be let in.
#[must_use]
pub fn unblock_guides(recognised: &[&str], agents: &[&str]) -> Vec<UnblockGuide> {
    let rank = |guide: &Guide| {
        let vendor = |name: &&str| guide.vendors.contains(&name.to_ascii_lowercase().as_str());
        recognised.iter().position(vendor).unwrap_or(usize::MAX)
    };
    let mut guides: Vec<&Guide> = GUIDES.iter().collect();
    guides.sort_by_key(|guide| rank(guide));
    let names: Vec<String> =
        agents.iter().map(|agent| token(agent)).filter(|name| !name.is_empty()).collect();
    guides
        .into_iter()
        .map(|guide| UnblockGuide {
            name: guide.name.to_owned(),
            steps: guide.steps,
            // Without a name, an expression would match everybody.
            copy: guide
                .copy
                .as_ref()
                .filter(|_| !names.is_empty())
                .map(|(caption, copy)| (*caption, copy.text(&names))),
        })
        .collect()
}

/// The steps that hold for any product: for a vendor that has no guide, or if none was recognised.
#[must_use]
pub fn general_unblock_guide(vendor: Option<&str>) -> UnblockGuide {
    UnblockGuide {
        name: vendor.map_or_else(|| "Any product".to_owned(), ToOwned::to_owned),
        steps: GENERAL_STEPS,
        copy: None,
    }
}

/// Whether there is a guide for this vendor of a wall.
#[must_use]
pub fn has_unblock_guide(vendor: &str) -> bool {
    let vendor = vendor.to_ascii_lowercase();
    GUIDES.iter().any(|guide| guide.vendors.contains(&vendor.as_str()))
}

/// How to tell that these crawlers are genuine, for those whose operators say how.
#[must_use]
pub fn genuine_checks(agents: &[&str]) -> Vec<GenuineCheck> {
    let named =
        |check: &&GenuineCheck| agents.iter().any(|agent| agent.eq_ignore_ascii_case(check.agent));
    GENUINE.iter().filter(named).copied().collect()
}

/// Lines for robots.txt that ask these crawlers to stay out.
#[must_use]
pub fn robots_lines_to_disallow(agents: &[&str]) -> String {
    let mut lines: String =
        agents.iter().map(|agent| format!("User-agent: {}\n", token(agent))).collect();
    lines.push_str("Disallow: /\n");
    lines
}

impl Copy {
    fn text(&self, names: &[String]) -> String {
        match self {
            // The name alone is no proof: anybody can send it.
            Self::CloudflareExpression => {
                let conditions: Vec<String> = names
                    .iter()
                    .map(|name| format!("http.user_agent contains \"{name}\""))
                    .collect();
                format!("cf.client.bot and\n({})", conditions.join(" or\n"))
            }
            Self::AwsRule => AWS_RULE.replace("{names}", &names.join("|").to_ascii_lowercase()),
            Self::FastlyCondition => format!(
                "fastly.bot.category.is_verified && req.http.User-Agent ~ \"(?i){}\"",
                names.join("|")
            ),
            Self::Search(before, after) => format!("{before}{}{after}", names.join("|")),
        }
    }
}

/// Blocks requests with the label for AI, unless they are verified and of one of the crawlers `{names}`.
/// Agents that act for a person have a label of their own for "verified".
const AWS_RULE: &str = r#"{
  "Name": "block-other-ai-bots",
  "Priority": 100,
  "Statement": { "AndStatement": { "Statements": [
    { "LabelMatchStatement": { "Scope": "LABEL", "Key": "awswaf:managed:aws:bot-control:bot:category:ai" } },
    { "NotStatement": { "Statement": { "AndStatement": { "Statements": [
      { "OrStatement": { "Statements": [
        { "LabelMatchStatement": { "Scope": "LABEL", "Key": "awswaf:managed:aws:bot-control:bot:verified" } },
        { "LabelMatchStatement": { "Scope": "LABEL", "Key": "awswaf:managed:aws:bot-control:bot:user_triggered:verified" } }
      ] } },
      { "RegexMatchStatement": {
        "RegexString": "{names}",
        "FieldToMatch": { "SingleHeader": { "Name": "user-agent" } },
        "TextTransformations": [ { "Priority": 0, "Type": "LOWERCASE" } ]
      } }
    ] } } } }
  ] } },
  "Action": { "Block": {} },
  "VisibilityConfig": {
    "SampledRequestsEnabled": true,
    "CloudWatchMetricsEnabled": true,
    "MetricName": "block-other-ai-bots"
  }
}"#;

/// A name that is safe inside quotes of shells and rule languages: letters, digits, `-`, `_` and `.`.
fn token(agent: &str) -> String {
    agent.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recognised_product_comes_first() {
        let first = |vendors: &[&str]| unblock_guides(vendors, &["GPTBot"])[0].name.clone();
        assert_eq!(first(&["Imperva (Incapsula)"]), "Imperva");
        assert_eq!(first(&["Amazon CloudFront"]), "AWS WAF");
        assert_eq!(first(&["something unknown", "OpenResty"]), "nginx");
        assert_eq!(first(&["Wordfence", "Cloudflare"]), "WordPress plug-ins");
        assert_eq!(first(&[]), "Cloudflare");
        assert_eq!(unblock_guides(&[], &[]).len(), GUIDES.len());
        assert!(has_unblock_guide("cloudflare") && !has_unblock_guide("Reddit"));
    }

    /// Every product that owners are promised help for has steps, and no step keeps a crawler out.
    #[test]
    fn each_guide_lets_crawlers_in() {
        for name in [
            "Cloudflare",
            "Akamai",
            "DataDome",
            "AWS WAF",
            "Fastly",
            "Imperva",
            "Sucuri",
            "WordPress plug-ins",
            "nginx",
            "Apache",
            "Caddy",
        ] {
            let guides = unblock_guides(&[], &["GPTBot", "Claude-User"]);
            let guide = guides.iter().find(|guide| guide.name == name).unwrap();
            assert!(guide.steps.len() >= 2, "{name}");
            assert!(guide.steps.iter().all(|step| step.ends_with('.')), "{name}");
            let text = guide.copy.as_ref().map_or("", |(_, text)| text);
            assert!(!text.contains("Disallow") && !text.contains("deny"), "{name}");
        }
    }

    /// We only copy a crawler's name, so owners check first whether the genuine one is refused, and learn that
    /// our next scan may not tell.
    #[test]
    fn products_that_verify_crawlers_are_described_as_such() {
        let mut guides = unblock_guides(&[], &["GPTBot"]);
        guides.push(general_unblock_guide(Some("Kasada")));
        for name in
            ["Cloudflare", "Akamai", "DataDome", "AWS WAF", "Fastly", "Imperva", "Sucuri", "Kasada"]
        {
            let guide = guides.iter().find(|guide| guide.name == name).unwrap();
            let first = guide.steps.first().unwrap();
            assert!(first.contains("from our own network"), "{name}: {first}");
            let last = guide.steps.last().unwrap();
            assert!(last.contains("may still show a refusal"), "{name}: {last}");
        }
    }

    /// A text that lets in whoever sends the name would switch the protection off for everybody.
    #[test]
    fn no_text_lets_a_request_in_by_its_name_alone() {
        let text = |vendor: &str| {
            unblock_guides(&[vendor], &["OAI-SearchBot", "PerplexityBot"])[0]
                .copy
                .clone()
                .unwrap()
                .1
        };
        assert_eq!(
            text("Cloudflare"),
            "cf.client.bot and\n(http.user_agent contains \"OAI-SearchBot\" or\nhttp.user_agent contains \"PerplexityBot\")"
        );
        assert_eq!(
            text("Fastly"),
            "fastly.bot.category.is_verified && req.http.User-Agent ~ \"(?i)OAI-SearchBot|PerplexityBot\""
        );
        let rule: serde_json::Value = serde_json::from_str(&text("AWS WAF")).unwrap();
        let parts = rule.pointer("/Statement/AndStatement/Statements").unwrap();
        let label = "/0/LabelMatchStatement/Key";
        assert_eq!(parts.pointer(label).unwrap(), "awswaf:managed:aws:bot-control:bot:category:ai");
        let exempt = parts.pointer("/1/NotStatement/Statement/AndStatement/Statements").unwrap();
        let verified = exempt.pointer("/0/OrStatement/Statements").unwrap();
        assert_eq!(verified.pointer(label).unwrap(), "awswaf:managed:aws:bot-control:bot:verified");
        let names = exempt.pointer("/1/RegexMatchStatement/RegexString").unwrap();
        assert_eq!(names, "oai-searchbot|perplexitybot");
        assert!(rule.pointer("/Action/Block").is_some());
    }

    #[test]
    fn texts_name_the_crawlers_and_nothing_can_break_out_of_them() {
        let guides = unblock_guides(&["nginx"], &["GPTBot", "x' \"; rm -rf / #"]);
        assert_eq!(guides[0].copy.as_ref().unwrap().1, "sudo nginx -T | grep -nEi 'GPTBot|xrm-rf'");
        let nobody: &[&str] = &[];
        for agents in [nobody, &["'\" #"]] {
            let guides = unblock_guides(&[], agents);
            assert!(guides.iter().all(|guide| guide.copy.is_none()), "{agents:?}");
        }
    }

    #[test]
    fn a_vendor_without_a_guide_gets_the_general_one() {
        let guide = general_unblock_guide(Some("Kasada"));
        assert_eq!((guide.name.as_str(), guide.copy), ("Kasada", None));
        assert!(guide.steps.iter().all(|step| !step.contains("Cloudflare")));
        assert_eq!(general_unblock_guide(None).name, "Any product");
    }

    #[test]
    fn keeping_crawlers_out_is_a_text_of_its_own() {
        assert_eq!(
            robots_lines_to_disallow(&["GPTBot", "CCBot"]),
            "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"
        );
        let checks = genuine_checks(&["gptbot", "CCBot", "Unknown"]);
        assert_eq!(checks.iter().map(|check| check.agent).collect::<Vec<_>>(), ["GPTBot", "CCBot"]);
    }
}
