//! Every section, rule and cap, in words that a site owner can hold against the record.

use super::{Cap, Rule, Section};

pub(super) fn sections() -> Vec<Section> {
    let section = |id, title, about| Section { id, title, about };
    vec![
        section("reach", "Reach", "Whether agents of each purpose are given the home page."),
        section(
            "policy",
            "Declared policy",
            "What robots.txt and the rights signals say, and whether the server acts on it.",
        ),
        section(
            "machine_files",
            "Machine files",
            "Files meant for machines: those that are there must be what they claim to be.",
        ),
        section(
            "content",
            "Content without scripts",
            "What a reader that runs no scripts is told by the home page.",
        ),
        section(
            "identity",
            "Structured identity",
            "Whether the page says whose it is, and says it the same way everywhere.",
        ),
        section(
            "equivalence",
            "Same page for every reader",
            "Whether agents are given what people are given.",
        ),
        section("caching", "Caching", "Whether a cached copy says what the site says now."),
        section("transport", "Transport", "How the page travels."),
    ]
}

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule {
            id: "reach.training",
            section: "reach",
            title: "Training crawlers are given the page",
            weight: 7,
            asks: "Of the training crawlers that were answered, the share that was given a page: a success \
                   status, and no challenge, toll or refusal in its place.",
            left_out: "Not assessed when the browser was not given the page either, or no such crawler was answered.",
            why: "What these crawlers cannot read, models do not know of. We send their names from our own \
                  network; a site that checks addresses may treat the crawlers themselves otherwise.",
            standard: None,
        },
        Rule {
            id: "reach.search",
            section: "reach",
            title: "AI search crawlers are given the page",
            weight: 13,
            asks: "Of the crawlers that build AI search indexes, the share that was given a page.",
            left_out: "Not assessed when the browser was not given the page either, or no such crawler was answered.",
            why: "Assistants cite what these crawlers have read. We send their names from our own network; a \
                  site that checks addresses may treat the crawlers themselves otherwise.",
            standard: None,
        },
        Rule {
            id: "reach.user",
            section: "reach",
            title: "Assistants that fetch for a person are given the page",
            weight: 13,
            asks: "Of the agents that fetch a page because a person asked for it, the share that was given it.",
            left_out: "Not assessed when the browser was not given the page either, or no such agent was answered.",
            why: "A person who asks an assistant about the site gets nothing, or somebody else's word for it. We \
                  send the agents' names from our own network; a site that checks addresses may treat the \
                  agents themselves otherwise.",
            standard: None,
        },
        Rule {
            id: "policy.open",
            section: "policy",
            title: "robots.txt lets AI agents read the home page",
            weight: 5,
            asks: "Of the AI agents we ask as, the share that robots.txt lets read the home page. A site without \
                   a robots.txt forbids nothing.",
            left_out: "Not assessed when robots.txt could not be read, or what is there is no policy.",
            why: "Agents that honour robots.txt stay away where it says so, whatever the server would give them. \
                  Closing the door is the owner's right; the grade says what agents can do, not what they should.",
            standard: Some("RFC 9309"),
        },
        Rule {
            id: "policy.robots_readable",
            section: "policy",
            title: "robots.txt can be read",
            weight: 3,
            asks: "robots.txt is served as text, or plainly absent (404 or 410).",
            left_out: "Not assessed when it was not asked for, or the network failed on our side.",
            why: "A crawler that gets a server error must take the whole site as forbidden; one that gets a page or \
                  a wall must guess.",
            standard: Some("RFC 9309 section 2.3.1"),
        },
        Rule {
            id: "policy.robots_valid",
            section: "policy",
            title: "Every line of robots.txt is read as it was meant",
            weight: 2,
            asks: "No line that readers pass over or take for something else.",
            left_out: "Not applicable without a robots.txt.",
            why: "A rule that is not read protects nothing; one that is read otherwise may close the site.",
            standard: Some("RFC 9309 section 2.2"),
        },
        Rule {
            id: "policy.consistent",
            section: "policy",
            title: "The server does what robots.txt says",
            weight: 3,
            asks: "No agent that robots.txt lets in is turned away while the browser is served, none that it keeps out is served, and \
                   every identity is given the same robots.txt.",
            left_out: "Not applicable without a robots.txt; not assessed when it or the page could not be read.",
            why: "An agent cannot know which of the two is meant. Owners often find a rule of their CDN here that \
                  is not in their own file.",
            standard: Some("RFC 9309"),
        },
        Rule {
            id: "policy.signals",
            section: "policy",
            title: "Rights signals can be read and agree",
            weight: 2,
            asks: "No rights signal (Content-Signal, Content-Usage, TDMRep, RSL, X-Robots-Tag, robots meta, ai.txt) \
                   is malformed, and none contradicts another about the same use.",
            left_out: "Not applicable when the site gives no such signal.",
            why: "A signal that cannot be read reserves nothing, and of two that disagree a careful agent takes the \
                  stricter, a careless one the other.",
            standard: Some("AIPREF drafts; TDMRep; RSL 1.0; contentsignals.org"),
        },
        Rule {
            id: "machine_files.sitemap",
            section: "machine_files",
            title: "A sitemap lists the pages",
            weight: 2,
            asks: "/sitemap.xml, or a sitemap that robots.txt names, is there and can be read.",
            left_out: "Not assessed when the addresses were refused or could not be read.",
            why: "Agents find pages by it without following every link.",
            standard: Some("sitemaps.org 0.9"),
        },
        Rule {
            id: "machine_files.valid",
            section: "machine_files",
            title: "Machine files are what they claim to be",
            weight: 5,
            asks: "Of the machine files that are there, the share that holds to its own standard.",
            left_out: "Not applicable when there is none. That an optional file is absent costs nothing.",
            why: "An agent that trusts a broken file acts on it.",
            standard: None,
        },
        Rule {
            id: "machine_files.honest_404",
            section: "machine_files",
            title: "What does not exist is answered as missing",
            weight: 3,
            asks: "Paths that cannot exist are not answered with success.",
            left_out: "Not assessed when those paths were refused or could not be read.",
            why: "Where everything answers, an agent takes a page for the file it asked for.",
            standard: Some("RFC 9110 section 15.5.5"),
        },
        Rule {
            id: "content.words",
            section: "content",
            title: "The page says something without scripts",
            weight: 10,
            asks: "The home page holds text that is there before any script runs; half the points for a few words.",
            left_out: "Not assessed when no HTML page was given to the browser.",
            why: "Most agents read what the server sends and run nothing. To them a page that its scripts would \
                  fill is empty.",
            standard: None,
        },
        Rule {
            id: "content.described",
            section: "content",
            title: "The page has a title and a description",
            weight: 2,
            asks: "A title, and a description for those who show one line of the page.",
            left_out: "Not assessed when no HTML page was given to the browser.",
            why: "It is what an agent shows when it points to the page.",
            standard: Some("HTML Living Standard, title and meta elements"),
        },
        Rule {
            id: "content.clean",
            section: "content",
            title: "No hidden text tells machines what to do",
            weight: 6,
            asks: "No text that a person does not see, or that only AI identities are given, reads like an \
                   instruction to a machine, and no text tells a machine to disregard its own instructions.",
            left_out: "Not assessed when no page was given that could be read.",
            why: "Agents that find such text must take the whole page for hostile. Often it is not the owner who \
                  put it there.",
            standard: None,
        },
        Rule {
            id: "identity.named",
            section: "identity",
            title: "The page says whose it is",
            weight: 3,
            asks: "Structured data (JSON-LD, microdata) names the organisation, business or person behind the site.",
            left_out: "Not assessed when no HTML page was given to the browser.",
            why: "An agent that is asked for the owner, or is about to cite them, need not guess.",
            standard: Some("schema.org Organization"),
        },
        Rule {
            id: "identity.agrees",
            section: "identity",
            title: "Name, address, telephone and hours agree wherever they stand",
            weight: 3,
            asks: "No fact about the owner is stated in two ways that contradict each other.",
            left_out: "Not applicable when no fact is stated by two sources.",
            why: "An agent passes on one of the two. People then stand before a closed door or call the wrong number.",
            standard: Some("schema.org LocalBusiness"),
        },
        Rule {
            id: "equivalence.same_text",
            section: "equivalence",
            title: "Agents are given the text that people are given",
            weight: 9,
            asks: "Of the AI identities that were given a page, the share whose text is the browser's, less what the \
                   page changes by itself.",
            left_out: "Not assessed when the browser was given no text, no AI identity was served, or the page is \
                       not even like itself.",
            why: "What an assistant then says about the page is not what a person sees there.",
            standard: None,
        },
        Rule {
            id: "caching.same",
            section: "caching",
            title: "The cached copy is the present page",
            weight: 2,
            asks: "The bare address and a reading past every cache give the same, less what the page changes by itself.",
            left_out: "Not assessed when one of the two readings did not come, or the page is not like itself.",
            why: "Agents ask for the bare address and are told what the site said some time ago.",
            standard: Some("RFC 9111"),
        },
        Rule {
            id: "transport.https",
            section: "transport",
            title: "The page comes over https",
            weight: 2,
            asks: "The home page is given over https in the end.",
            left_out: "Not assessed when no page came.",
            why: "What comes over plain http may have been changed on the way.",
            standard: Some("RFC 9110 section 4.2.2"),
        },
        Rule {
            id: "transport.certificate",
            section: "transport",
            title: "The certificate holds",
            weight: 3,
            asks: "Chain, name and time of the certificate hold.",
            left_out: "Not applicable without https, which its own rule counts.",
            why: "Agents that check certificates, as they should, stop before they read anything.",
            standard: Some("RFC 5280; RFC 9525"),
        },
        Rule {
            id: "transport.plain_http",
            section: "transport",
            title: "Plain http leads to https",
            weight: 1,
            asks: "http:// answers with a redirect to https://, or not at all.",
            left_out: "Not assessed when plain http was not tried; not applicable without https.",
            why: "Old links and typed addresses still begin there.",
            standard: Some("RFC 6797 section 7.2"),
        },
        Rule {
            id: "transport.hsts",
            section: "transport",
            title: "Readers are told to keep to https",
            weight: 1,
            asks: "Strict-Transport-Security with a max-age above 0.",
            left_out: "Not applicable without https that holds.",
            why: "Without it, every first visit can be led astray.",
            standard: Some("RFC 6797"),
        },
    ]
}

pub(super) fn caps() -> Vec<Cap> {
    let cap = |id, at_most, reach, when| Cap { id, at_most, reach, when };
    vec![
        cap(
            "ai_refused",
            30,
            true,
            "Every AI identity is turned away while the browser is given the page.",
        ),
        cap(
            "ai_challenged",
            35,
            true,
            "Every AI identity is asked to prove that it is a person while the browser is given the page.",
        ),
        cap(
            "no_text",
            40,
            true,
            "The page holds no text, or none until its scripts have run, so agents that run none get nothing.",
        ),
        cap(
            "ai_tolled",
            50,
            true,
            "Every AI identity is asked to pay while the browser is given the page.",
        ),
        cap(
            "declared_closed",
            55,
            true,
            "robots.txt keeps every AI agent we ask as from the home page.",
        ),
        cap(
            "other_text",
            60,
            false,
            "Every AI identity that is given a page is given another text than the browser.",
        ),
        cap(
            "bad_certificate",
            65,
            false,
            "The certificate does not hold, so careful agents stop before they read.",
        ),
        cap("hidden_instructions", 65, false, "Hidden text on the page tells machines what to do."),
        cap(
            "policy_unreadable",
            70,
            false,
            "robots.txt is answered with an error, which crawlers must take as a full disallow.",
        ),
        cap("no_https", 75, false, "The page is given without encryption."),
        cap(
            "ai_partly",
            75,
            true,
            "AI identities of one purpose or more are all kept out while others are given the page.",
        ),
    ]
}
