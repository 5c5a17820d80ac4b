//! How to let crawlers in that a site refuses, by the product that refused them: steps in our own words and,
//! where there is one, a text to copy. Pure data; product names are those of the wall catalogue.

/// The steps for one product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnblockGuide {
    /// What people call the product.
    pub name: &'static str,
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
    AwsOverride,
    FastlyCondition,
    Search(&'static str, &'static str),
}

const GUIDES: &[Guide] = &[
    Guide {
        name: "Cloudflare",
        vendors: &["cloudflare", "cloudflare turnstile"],
        steps: &[
            "Open your domain in the dashboard and go to Security, Settings, Bot traffic. Set “Block AI bots” to “Do not block”.",
            "Open AI Crawl Control and allow each crawler that you want.",
            "If Bot Fight Mode or a custom rule stops them, add a custom rule with the action Skip above it, with this expression.",
            "If “Managed robots.txt” is on, check that it does not disallow the crawlers that you let in.",
        ],
        copy: Some(("Custom rule, expression editor, action Skip", Copy::CloudflareExpression)),
    },
    Guide {
        name: "Akamai",
        vendors: &["akamai"],
        steps: &[
            "Open your security configuration and find the bot management settings of the policy that protects this host.",
            "Look up the category of AI crawlers among the known bots and set its action to Monitor or Allow.",
            "Look for a custom rule or a client list that matches the user agent, and take these names out.",
            "Activate the new version in production and scan again after a few minutes.",
        ],
        copy: None,
    },
    Guide {
        name: "DataDome",
        vendors: &["datadome"],
        steps: &[
            "Open the dashboard and go to the list of verified bots and AI agents.",
            "Set the crawlers that you want to Allow. DataDome checks their addresses itself, so impostors stay out.",
            "Look in your custom rules for these user agents, and remove or disable the rule.",
        ],
        copy: None,
    },
    Guide {
        name: "AWS WAF",
        vendors: &["aws waf", "amazon cloudfront"],
        steps: &[
            "Open the web ACL that is attached to your distribution or load balancer, and edit the managed rule group Bot Control.",
            "Override the rule for AI bots (CategoryAI) with the action Count. Verified crawlers then pass.",
            "Look for your own rules that inspect the User-Agent header, and take these names out.",
        ],
        copy: Some(("Rule action override in the rule group's settings", Copy::AwsOverride)),
    },
    Guide {
        name: "Fastly",
        vendors: &["fastly"],
        steps: &[
            "In the Next-Gen WAF, open the site's rules and look for a rule that blocks by user agent or by the signal for AI crawlers.",
            "Add an allow rule for verified AI crawlers above it, or remove the signal from the blocking rule.",
            "If the block is in VCL, find the condition on req.http.User-Agent. This condition matches the crawlers in question.",
        ],
        copy: Some(("Condition in VCL, to exempt them from the rule", Copy::FastlyCondition)),
    },
    Guide {
        name: "Imperva",
        vendors: &["imperva (incapsula)"],
        steps: &[
            "Open the site in the console and go to Security, Bot Access Control or Advanced Bot Protection.",
            "Move the AI crawlers that you want to the list of good bots, or set their category to Allow.",
            "Check the security rules for a condition on the user agent with the action Block, and take these names out.",
        ],
        copy: None,
    },
    Guide {
        name: "Sucuri",
        vendors: &["sucuri"],
        steps: &[
            "Open the firewall's settings for the site and go to Access Control.",
            "Remove these names from “Blocked user agents”.",
            "Under Security, check whether “Block AI bots and scrapers” or the emergency protection is on, and switch it off.",
            "Clear the firewall's cache, because a refusal may be cached.",
        ],
        copy: None,
    },
    Guide {
        name: "WordPress plug-ins",
        vendors: &["wordfence", "imunify360", "siteground"],
        steps: &[
            "Look in your security and SEO plug-ins for settings such as “Block AI crawlers”, “Bad bots” or “Blocked user agents”, and take these names out.",
            "In Wordfence, look at Firewall, Blocking for custom patterns, and at Rate Limiting for crawlers.",
            "Ask your host whether its own bot protection (Imunify360, SiteGround) refuses them.",
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
            "Find the rule with this command. It is often a map or an if on $http_user_agent.",
            "Take the names out, test the configuration and reload: nginx -t && nginx -s reload.",
        ],
        copy: Some(("Find the rule", Copy::Search("nginx -T 2>/dev/null | grep -nEi '", "'"))),
    },
    Guide {
        name: "Apache",
        vendors: &["apache", "litespeed", "modsecurity", "apache tomcat"],
        steps: &[
            "Find the rule with this command. It is often a RewriteCond on %{HTTP_USER_AGENT}, a BrowserMatch or a ModSecurity rule.",
            "Take the names out, test the configuration and reload: apachectl configtest && apachectl graceful.",
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
            "Find the rule with this command. It is often a matcher on the header User-Agent with abort or respond 403.",
            "Take the names out and reload: caddy reload.",
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
    guides
        .into_iter()
        .map(|guide| UnblockGuide {
            name: guide.name,
            steps: guide.steps,
            copy: guide.copy.as_ref().map(|(caption, copy)| (*caption, copy.text(agents))),
        })
        .collect()
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
    fn text(&self, agents: &[&str]) -> String {
        let names: Vec<String> = agents.iter().map(|agent| token(agent)).collect();
        match self {
            Self::CloudflareExpression => {
                let conditions: Vec<String> = names
                    .iter()
                    .map(|name| format!("(http.user_agent contains \"{name}\")"))
                    .collect();
                conditions.join(" or\n")
            }
            Self::AwsOverride => {
                "{ \"Name\": \"CategoryAI\", \"ActionToUse\": { \"Count\": {} } }".to_owned()
            }
            Self::FastlyCondition => format!("req.http.User-Agent ~ \"(?i){}\"", names.join("|")),
            Self::Search(before, after) => format!("{before}{}{after}", names.join("|")),
        }
    }
}

/// A name that is safe inside quotes of shells and rule languages: letters, digits, `-`, `_` and `.`.
fn token(agent: &str) -> String {
    agent.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recognised_product_comes_first() {
        let first = |vendors: &[&str]| unblock_guides(vendors, &["GPTBot"])[0].name;
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

    #[test]
    fn texts_name_the_crawlers_and_nothing_can_break_out_of_them() {
        let guides = unblock_guides(&["nginx"], &["GPTBot", "x' \"; rm -rf / #"]);
        assert_eq!(
            guides[0].copy.as_ref().unwrap().1,
            "nginx -T 2>/dev/null | grep -nEi 'GPTBot|xrm-rf'"
        );
        let guides = unblock_guides(&["Cloudflare"], &["OAI-SearchBot", "PerplexityBot"]);
        assert_eq!(
            guides[0].copy.as_ref().unwrap().1,
            "(http.user_agent contains \"OAI-SearchBot\") or\n(http.user_agent contains \"PerplexityBot\")"
        );
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
