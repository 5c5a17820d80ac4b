//! Every section, rule and cap, with the texts that are published in the scoring method.

use super::model::{Cap, Rule, Section};

pub(super) fn sections() -> Vec<Section> {
    let section = |id, title, about| Section { id, title, about };
    vec![
        section("reach", "Reach", "Whether AI crawlers of each purpose get the home page."),
        section(
            "policy",
            "Declared policy",
            "What robots.txt and the rights signals say, and whether the server acts accordingly.",
        ),
        section(
            "machine_files",
            "Machine files",
            "Files meant for machines. Every such file that exists must be valid.",
        ),
        section(
            "content",
            "Content without scripts",
            "What the home page contains for a client that runs no scripts.",
        ),
        section(
            "identity",
            "Structured identity",
            "Whether structured data names the site's owner, and whether all sources agree.",
        ),
        section(
            "equivalence",
            "Same page for every reader",
            "Whether AI crawlers get the same text as a browser.",
        ),
        section("caching", "Caching", "Whether caches serve the current page."),
        section("transport", "Transport", "Whether the page is served over valid https."),
    ]
}

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule {
            id: "reach.training",
            section: "reach",
            title: "Training crawlers get the page",
            weight: 7,
            asks: "Points for the share of training crawlers that get the page: a success status, and not a \
                   challenge, payment demand or block page in its place. Only crawlers that received an answer and \
                   that robots.txt does not disallow count.",
            left_out: "Not assessed when the browser did not get the page either, or when no training crawler received an answer.\
                       Not applicable when robots.txt disallows all of them.",
            why: "Models cannot learn from pages that training crawlers cannot read. We send requests under the \
                  crawlers' names from our own network. A site that verifies crawlers may treat the real ones \
                  differently.",
            standard: None,
        },
        Rule {
            id: "reach.search",
            section: "reach",
            title: "AI search crawlers get the page",
            weight: 13,
            asks: "Points for the share of crawlers building AI search indexes that get the page. Only those that robots.txt \
                   does not disallow count.",
            left_out: "Not assessed when the browser did not get the page either, or when no AI search crawler received an answer.\
                       Not applicable when robots.txt disallows all of them.",
            why: "Assistants cite pages that these crawlers have read. We send requests under the crawlers' names \
                  from our own network. A site that verifies crawlers may treat the real ones differently.",
            standard: None,
        },
        Rule {
            id: "reach.user",
            section: "reach",
            title: "AI assistants fetching for a user get the page",
            weight: 13,
            asks: "Points for the share of agents fetching a page at a user's request that get the page. Only those that \
                   robots.txt does not disallow count.",
            left_out: "Not assessed when the browser did not get the page either, or when no such agent received an answer.\
                       Not applicable when robots.txt disallows all of them.",
            why: "If an assistant cannot fetch the page, its user gets no answer about the site, or an answer from \
                  another source. We send requests under the agents' names from our own network. A site that \
                  verifies agents may treat the real ones differently.",
            standard: None,
        },
        Rule {
            id: "policy.open",
            section: "policy",
            title: "robots.txt allows AI crawlers to read the home page",
            weight: 5,
            asks: "Points for the share of the AI crawlers we test that robots.txt allows to read the home page: one \
                   fifth for training crawlers, two fifths each for search crawlers and user agents. A site without a \
                   robots.txt forbids nothing.",
            left_out: "Not assessed when robots.txt could not be read or is not a valid policy file.",
            why: "Crawlers that obey robots.txt stay away if it disallows them, even if the server would give them \
                  the page. Owners are free to disallow crawlers. The grade shows what agents can do, not what \
                  owners should allow.",
            standard: Some("RFC 9309"),
        },
        Rule {
            id: "policy.robots_readable",
            section: "policy",
            title: "robots.txt can be read",
            weight: 3,
            asks: "robots.txt is served as text, or is clearly absent (404 or 410).",
            left_out: "Not assessed when robots.txt was not requested or the network failed on our side.",
            why: "After a server error, a crawler must treat the whole site as disallowed. After an HTML page or a \
                  block page, it has to guess the policy.",
            standard: Some("RFC 9309 section 2.3.1"),
        },
        Rule {
            id: "policy.robots_valid",
            section: "policy",
            title: "robots.txt has no ignored or misread lines",
            weight: 2,
            asks: "robots.txt has no line that crawlers skip or interpret differently than intended.",
            left_out: "Not applicable without a robots.txt.",
            why: "A skipped rule protects nothing. A misread rule may close the whole site.",
            standard: Some("RFC 9309 section 2.2"),
        },
        Rule {
            id: "policy.consistent",
            section: "policy",
            title: "The server follows robots.txt",
            weight: 3,
            asks: "No crawler that robots.txt allows is kept out while the browser gets the page (a server error or a rate \
                   limit counts only if a group names the crawler), no crawler that it disallows gets the page, and \
                   every identity gets the same robots.txt.",
            left_out: "Not applicable without a robots.txt. Not assessed when robots.txt or the page could not be read.",
            why: "A crawler cannot know whether robots.txt or the server states the intended policy. The cause is \
                  often a CDN rule that the owner does not know about.",
            standard: Some("RFC 9309"),
        },
        Rule {
            id: "policy.signals",
            section: "policy",
            title: "Rights signals are valid and consistent",
            weight: 2,
            asks: "No rights signal (Content-Signal, Content-Usage, TDMRep, RSL, X-Robots-Tag, robots meta, ai.txt) \
                   is malformed, and no two signals contradict each other about the same use.",
            left_out: "Not applicable when the site has no rights signals.",
            why: "A malformed signal reserves no rights. If two signals contradict each other, some agents follow \
                  the stricter one and others do not.",
            standard: Some("AIPREF drafts; TDMRep; RSL 1.0; contentsignals.org"),
        },
        Rule {
            id: "machine_files.sitemap",
            section: "machine_files",
            title: "A readable sitemap exists",
            weight: 2,
            asks: "/sitemap.xml, or a sitemap named in robots.txt, exists and can be read.",
            left_out: "Not assessed when the sitemap URLs were refused or could not be read. Not applicable when a \
                       sitemap exists but is invalid: the rule for valid machine files counts that.",
            why: "A sitemap lets agents find pages without following every link.",
            standard: Some("sitemaps.org 0.9"),
        },
        Rule {
            id: "machine_files.valid",
            section: "machine_files",
            title: "Machine files are valid",
            weight: 5,
            asks: "Points for the share of existing machine files that conform to their standard.",
            left_out: "Not applicable when there is no machine file. A missing optional file costs no points.",
            why: "Agents that rely on an invalid file act on wrong information.",
            standard: None,
        },
        Rule {
            id: "machine_files.honest_404",
            section: "machine_files",
            title: "Missing paths do not return success",
            weight: 3,
            asks: "Requests for random paths that do not exist do not return a success status.",
            left_out: "Not assessed when these paths were refused or could not be read.",
            why: "If every path returns success, agents mistake an error page for the file they requested.",
            standard: Some("RFC 9110 section 15.5.5"),
        },
        Rule {
            id: "content.words",
            section: "content",
            title: "The page has text without scripts",
            weight: 10,
            asks: "The HTML of the home page contains text before any script runs. Half the points for only a few words. \
                   No points for a home page that is a PDF file, JSON or an image. If AI crawlers get the text of a page \
                   that scripts fill for browsers, their page counts.",
            left_out: "Not assessed when no page was served.",
            why: "Most agents read the HTML and run no scripts. A page that is filled by scripts is empty for them.",
            standard: None,
        },
        Rule {
            id: "content.described",
            section: "content",
            title: "The page has a title and a description",
            weight: 2,
            asks: "The page has a title and a meta description, half the points each.",
            left_out: "Not assessed when the browser got no HTML page.",
            why: "Agents show the title and the description when they link to the page.",
            standard: Some("HTML Living Standard, title and meta elements"),
        },
        Rule {
            id: "content.clean",
            section: "content",
            title: "No hidden instructions to machines",
            weight: 6,
            asks: "No hidden text, and no text served only to AI crawlers, gives instructions to machines. Half the \
                   points if everybody can read such text, for example a request to rank or recommend the site.",
            left_out: "Not assessed when no readable page was served.",
            why: "Agents that find such text must treat the whole page as hostile. It is often placed by someone \
                  other than the owner.",
            standard: None,
        },
        Rule {
            id: "identity.named",
            section: "identity",
            title: "Structured data names the site's owner",
            weight: 3,
            asks: "Structured data (JSON-LD, microdata) names the organisation, business or person behind the site. Half the \
                   points if the data has errors.",
            left_out: "Not assessed when the browser got no HTML page.",
            why: "Agents can then name or cite the owner without guessing.",
            standard: Some("schema.org Organization"),
        },
        Rule {
            id: "identity.agrees",
            section: "identity",
            title: "Name, address, telephone and hours are consistent",
            weight: 3,
            asks: "No two statements about the owner contradict each other.",
            left_out: "Not applicable when no fact is stated by two sources.",
            why: "Agents pass on one of the contradicting values. Customers may then call the wrong number or come \
                  when the business is closed.",
            standard: Some("schema.org LocalBusiness"),
        },
        Rule {
            id: "equivalence.same_text",
            section: "equivalence",
            title: "AI crawlers get the same text as the browser",
            weight: 9,
            asks: "Points for the share of AI crawlers that get the page that people get. A difference counts only if it \
                   follows the identity: the crawler's page must match no page of the browser and the unnamed client, \
                   again in a second reading, and in a trial of 15 to 20 requests in random order, in which a site that \
                   does not look at the identity is accused less than once in 1,000 scans. Text, prices and contact \
                   details are compared, each by itself.",
            left_out: "Not assessed when the browser got no text, no AI crawler got the page, or too few requests were \
                       possible to decide.",
            why: "If crawlers get a different text, assistants describe something that users do not see on the page.",
            standard: None,
        },
        Rule {
            id: "caching.same",
            section: "caching",
            title: "The cached page is current",
            weight: 2,
            asks: "The page at its plain URL matches the page requested with a unique query that bypasses caches. \
                   A difference counts only if a trial of further requests in random order confirms it.",
            left_out: "Not assessed when one of the two requests failed, or too few requests were possible to decide.",
            why: "Agents request the plain URL. If the cache is outdated, they read old content.",
            standard: Some("RFC 9111"),
        },
        Rule {
            id: "transport.https",
            section: "transport",
            title: "The page is served over https",
            weight: 2,
            asks: "The home page is served over https, after any redirects.",
            left_out: "Not assessed when no page was served.",
            why: "A page sent over plain http can be changed in transit.",
            standard: Some("RFC 9110 section 4.2.2"),
        },
        Rule {
            id: "transport.certificate",
            section: "transport",
            title: "The TLS certificate is valid",
            weight: 3,
            asks: "The certificate's chain, host name and validity period are all correct.",
            left_out: "Not applicable without https (its own rule counts that). Not assessed when no certificate was seen.",
            why: "Agents that check certificates stop before they read anything.",
            standard: Some("RFC 5280; RFC 9525"),
        },
        Rule {
            id: "transport.plain_http",
            section: "transport",
            title: "http redirects to https",
            weight: 1,
            asks: "http:// redirects to https://, or does not accept connections.",
            left_out: "Not assessed when plain http was not tested. Not applicable without https.",
            why: "Old links and typed addresses still start with http.",
            standard: Some("RFC 6797 section 7.2"),
        },
        Rule {
            id: "transport.hsts",
            section: "transport",
            title: "HSTS header is set",
            weight: 1,
            asks: "The page sends Strict-Transport-Security with a max-age above 0.",
            left_out: "Not applicable without https and a valid certificate.",
            why: "Without HSTS, an attacker can intercept a client that starts over plain http.",
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
            "AI crawlers that robots.txt does not disallow are kept out while the browser gets the page: 100 minus 70 \
             times their share of all crawlers, and minus what `declared_closed` takes off.",
        ),
        cap(
            "ai_challenged",
            35,
            true,
            "The same if all that are kept out get a challenge (CAPTCHA or browser check), with 65 for 70.",
        ),
        cap(
            "other_text",
            35,
            false,
            "AI crawlers get a different text, other prices or other contact details than people: 89 minus 54 times \
             the share of crawlers times how different the page is (1 for a wholly different text, at least 0.8 for \
             prices and contacts, at least 0.2).",
        ),
        cap("no_text", 40, true, "The page has no text, or none before its scripts run."),
        cap(
            "ai_tolled",
            50,
            true,
            "The same if all that are kept out are asked to pay, with 50 for 70.",
        ),
        cap(
            "declared_closed",
            60,
            true,
            "robots.txt disallows the home page for AI crawlers: 100 minus 3 times the share of training crawlers, 15 \
             times that of search crawlers and 22 times that of user agents.",
        ),
        cap(
            "ai_partly",
            60,
            true,
            "Crawlers of one purpose that robots.txt does not disallow are kept out: 100 minus 20 (training), 35 \
             (search) or 40 (user agents) times their share of the crawlers of that purpose.",
        ),
        cap(
            "use_forbidden",
            60,
            true,
            "A rights signal forbids generating answers from the content, or citing it.",
        ),
        cap(
            "bad_certificate",
            65,
            false,
            "The TLS certificate is invalid, so agents that check certificates cannot read the page.",
        ),
        cap(
            "hidden_instructions",
            65,
            false,
            "Hidden text, or text served only to AI crawlers, gives instructions to machines: 65 on the home page, 75 on \
             another page that was read.",
        ),
        cap(
            "pages_kept_out",
            70,
            true,
            "AI crawlers that get the home page are kept out of other pages that the browser gets: 100 minus 30 times \
             the share of these requests.",
        ),
        cap(
            "policy_unreadable",
            70,
            false,
            "robots.txt returns a server error, which crawlers must treat as a full disallow.",
        ),
        cap("no_https", 75, false, "The page is served without encryption."),
    ]
}
