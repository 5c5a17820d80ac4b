//! Collects all rights signals of the site, each with the reading that shows it.

use contract::evidence::{ReadTarget, Reading, Response};
use contract::records::{SignalFault, SignalStatement};
use contract::text::display_safe;
use declared::rights::{
    Carrier, Mechanism, ParsedStatements as ParsedSignals, Statement, ai_txt, aipref,
    content_signal, payment, rsl, rsl_references, tdmrep, x_robots,
};
use url::Url;

use super::convert::{header_pairs, to_file_fault};
use super::parsed_evidence::{ParsedEvidence, is_success};

pub(super) struct RightsSignals {
    pub(super) statements: Vec<CollectedStatement>,
    pub(super) faults: Vec<SignalFault>,
}

/// A statement and the reading that contains it.
pub(super) struct CollectedStatement {
    pub(super) statement: Statement,
    reading_id: String,
}

/// The most statements collected for one site.
const MAX_STATEMENTS: usize = 100;

impl CollectedStatement {
    pub(super) fn to_signal_statement(&self) -> SignalStatement {
        let statement = &self.statement;
        SignalStatement {
            mechanism: statement.mechanism.as_str().to_owned(),
            carrier: statement.carrier.as_str().to_owned(),
            uses: statement
                .uses
                .iter()
                .map(|(what, effect)| (what.as_str().to_owned(), effect.as_str().to_owned()))
                .collect(),
            agents: statement.agents.clone(),
            path: statement.path.clone(),
            untrusted_raw: statement.raw.clone(),
            line: statement.line,
            note: statement.note.clone(),
            evidence: vec![self.reading_id.clone()],
        }
    }
}

impl RightsSignals {
    fn add(&mut self, read: ParsedSignals, mechanism: &str, carrier: Carrier, reading: &Reading) {
        for statement in read.statements {
            let known = self.statements.iter().any(|collected| collected.statement == statement);
            if !known && self.statements.len() < MAX_STATEMENTS {
                self.statements
                    .push(CollectedStatement { statement, reading_id: reading.id.clone() });
            }
        }
        for fault in read.faults {
            if self.faults.len() < MAX_STATEMENTS {
                self.faults.push(SignalFault {
                    mechanism: mechanism.to_owned(),
                    carrier: carrier.as_str().to_owned(),
                    fault: to_file_fault(fault),
                    evidence: vec![reading.id.clone()],
                });
            }
        }
    }
}

pub(super) fn collect_signals(parsed: &ParsedEvidence<'_>) -> RightsSignals {
    let mut signals = RightsSignals { statements: Vec::new(), faults: Vec::new() };
    collect_from_robots(parsed, &mut signals);
    collect_from_files(parsed, &mut signals);
    collect_from_page(parsed, &mut signals);
    collect_payment_demands(parsed, &mut signals);
    collect_unread_licences(parsed, &mut signals);
    signals
}

fn collect_from_robots(parsed: &ParsedEvidence<'_>, signals: &mut RightsSignals) {
    let Some((reading, robots)) = parsed.robots.reading.zip(parsed.robots.rules.as_ref()) else {
        return;
    };
    signals.add(content_signal::from_robots(robots), "content_signal", Carrier::RobotsTxt, reading);
    let tokens =
        parsed.catalogue.ai_identities().filter_map(|identity| identity.robots_token.as_deref());
    for token in std::iter::once("*").chain(tokens) {
        signals.add(aipref::from_robots(robots, token, "/"), "aipref", Carrier::RobotsTxt, reading);
    }
}

fn collect_from_files(parsed: &ParsedEvidence<'_>, signals: &mut RightsSignals) {
    let served = |path: &str| {
        let reading = parsed.last_reading(ReadTarget::MachineFile, path)?;
        let response = reading.exchange.response().filter(|response| is_success(response))?;
        let body = parsed.body(response)?;
        // An HTML page instead of the file is not a rights signal.
        let page = declared::sniff::looks_like_html(body);
        (!page && response.body.cut.is_none()).then_some((reading, body))
    };
    if let Some((reading, body)) = served("/.well-known/tdmrep.json") {
        signals.add(tdmrep::from_file(body, "/"), "tdmrep", Carrier::File, reading);
    }
    for reading in parsed.readings(ReadTarget::Licence) {
        if let Some(body) = whole_file(parsed, reading) {
            signals.add(rsl::parse(body, "/"), "rsl", Carrier::File, reading);
        }
    }
    for reading in parsed.readings(ReadTarget::Feed) {
        if let Some(body) = whole_file(parsed, reading) {
            signals.add(rsl_references::parse_feed(body, "/"), "rsl", Carrier::File, reading);
        }
    }
    if let Some((reading, body)) = served("/ai.txt") {
        signals.add(ai_txt::parse(body), "ai_txt", Carrier::File, reading);
    }
}

/// The body of a file that was served completely and is not a web page.
fn whole_file<'a>(parsed: &ParsedEvidence<'a>, reading: &Reading) -> Option<&'a [u8]> {
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    let body = parsed.body(response).filter(|_| response.body.cut.is_none())?;
    (!declared::sniff::looks_like_html(body)).then_some(body)
}

/// Signals in the headers and elements of the home page that the browser got, or else any identity.
fn collect_from_page(parsed: &ParsedEvidence<'_>, signals: &mut RightsSignals) {
    // Signals on a block page are not the site's own.
    let served = |reading: &&Reading| {
        let page = |response: &Response| is_success(response) && !parsed.is_certain_wall(response);
        reading.exchange.response().is_some_and(page)
    };
    let home = parsed
        .readings(ReadTarget::Home)
        .filter(served)
        .find(|reading| reading.identity == parsed.browser_id())
        .or_else(|| parsed.readings(ReadTarget::Home).find(served));
    let Some((reading, response)) = home.and_then(|r| Some((r, r.exchange.response()?))) else {
        return;
    };
    for value in response.headers_named("content-signal") {
        let read = content_signal::parse_value(value, Carrier::Header);
        signals.add(read, "content_signal", Carrier::Header, reading);
    }
    let usage: Vec<&str> = response.headers_named("content-usage").collect();
    if !usage.is_empty() {
        signals.add(aipref::from_headers(&usage), "aipref", Carrier::Header, reading);
    }
    if let Some(reservation) = response.header("tdm-reservation") {
        let read = tdmrep::from_headers(Some(reservation), response.header("tdm-policy"));
        signals.add(read, "tdmrep", Carrier::Header, reading);
    }
    let x_tags: Vec<&str> = response.headers_named("x-robots-tag").collect();
    let page = parsed.page(response).map(|parsed_page| &parsed_page.page);
    let meta = |name: &str| {
        let named = |(key, content): &'_ (String, String)| (key == name).then(|| content.clone());
        page.and_then(|page| page.meta.iter().find_map(named))
    };
    if let Some(reservation) = meta("tdm-reservation") {
        let read = tdmrep::from_meta(Some(&reservation), meta("tdm-policy").as_deref());
        signals.add(read, "tdmrep", Carrier::Meta, reading);
    }
    let metas: Vec<(&str, &str)> = page
        .into_iter()
        .flat_map(|page| {
            page.meta_robots.iter().map(|(name, value)| (name.as_str(), value.as_str()))
        })
        .collect();
    let tokens: Vec<&str> = parsed
        .catalogue
        .ai_identities()
        .filter_map(|identity| identity.robots_token.as_deref())
        .collect();
    signals.add(
        x_robots::from_page(&x_tags, &metas, &tokens),
        "x_robots_tag",
        Carrier::Header,
        reading,
    );
    for block in page.into_iter().flat_map(|page| &page.rsl) {
        signals.add(rsl::parse(block.as_bytes(), "/"), "rsl", Carrier::File, reading);
    }
}

/// Licences that the site names and that were not read: what they state is not known.
fn collect_unread_licences(parsed: &ParsedEvidence<'_>, signals: &mut RightsSignals) {
    const MAX_LICENCES: usize = 10;
    let mut named: Vec<(String, Carrier, &Reading)> = Vec::new();
    for reading in parsed.readings(ReadTarget::Home).chain(parsed.readings(ReadTarget::Feed)) {
        let Some(response) = reading.exchange.response() else { continue };
        let in_headers = rsl_references::license_links(response.headers_named("link"));
        let mut targets: Vec<(String, Carrier)> =
            in_headers.into_iter().map(|target| (target, Carrier::Header)).collect();
        if reading.target == ReadTarget::Feed {
            let links = whole_file(parsed, reading).map(rsl_references::feed_links);
            targets.extend(links.into_iter().flatten().map(|target| (target, Carrier::File)));
        } else if let Some(page) = parsed.page(response).filter(|_| is_success(response)) {
            let links = page.page.links.iter().filter(|link| {
                let media_type = link.media_type.as_deref().unwrap_or_default();
                link.rel.split(' ').any(|word| word.eq_ignore_ascii_case("license"))
                    && rsl_references::is_rsl(media_type)
            });
            targets.extend(links.map(|link| (link.href.clone(), Carrier::Meta)));
        }
        let Ok(base) = Url::parse(&response.url) else { continue };
        for (target, carrier) in targets {
            let Ok(url) = base.join(&target) else { continue };
            if !named.iter().any(|(known, ..)| known == url.as_str()) {
                named.push((url.into(), carrier, reading));
            }
        }
    }
    for (url, carrier, reading) in named.into_iter().take(MAX_LICENCES) {
        let is_read = parsed
            .readings(ReadTarget::Licence)
            .any(|licence| licence.exchange.url == url && whole_file(parsed, licence).is_some());
        if is_read {
            continue;
        }
        let statement = Statement {
            mechanism: Mechanism::Rsl,
            carrier,
            uses: Vec::new(),
            agents: Vec::new(),
            path: None,
            raw: display_safe(&url, 300),
            line: None,
            note: Some(
                "The site names this licence. We did not read it, so we do not know what it states."
                    .to_owned(),
            ),
        };
        let read = ParsedSignals { statements: vec![statement], faults: Vec::new() };
        signals.add(read, "rsl", carrier, reading);
    }
}

/// Payment demands for the home page.
fn collect_payment_demands(parsed: &ParsedEvidence<'_>, signals: &mut RightsSignals) {
    for reading in parsed.readings(ReadTarget::Home) {
        let Some(toll) = reading.exchange.response().and_then(payment_demand) else { continue };
        let read = ParsedSignals { statements: vec![toll], faults: Vec::new() };
        signals.add(read, "payment", Carrier::Status, reading);
    }
}

fn payment_demand(response: &Response) -> Option<Statement> {
    payment::from_response(response.status, &header_pairs(response)).map(|toll| toll.to_statement())
}

#[cfg(test)]
mod tests {
    use crate::scan::tests::EvidenceBuilder;
    use contract::evidence::{ExchangeOutcome, HeaderLine, ReadTarget};
    use contract::records::ScanRecord;

    const FEED_URL: &str = "https://ferry.lab/feed.xml";
    const FEED: &str = r#"<rss version="2.0" xmlns:rsl="https://rslstandard.org/rsl" xmlns:atom="http://www.w3.org/2005/Atom">
        <channel><atom:link rel="license" type="application/rsl+xml" href="https://licences.example/l.xml"/>
        <rsl:content url="/" server="https://licences.example/api"><rsl:license>
        <rsl:permits type="usage">search</rsl:permits></rsl:license></rsl:content></channel></rss>"#;
    const LICENCE: &str = r#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
        <permits type="usage">all</permits></license></content></rsl>"#;

    fn link_header(mut site: EvidenceBuilder, value: &str) -> EvidenceBuilder {
        let reading = site.evidence.reads.last_mut().unwrap();
        if let ExchangeOutcome::Response(response) = &mut reading.exchange.outcome {
            response.headers.push(HeaderLine { name: "link".into(), value: value.into() });
        }
        site
    }

    fn stated(record: &ScanRecord) -> Vec<(&str, &str, usize)> {
        let signals = record.policy.signals.iter().filter(|signal| signal.mechanism == "rsl");
        signals
            .map(|signal| {
                (signal.carrier.as_str(), signal.untrusted_raw.as_str(), signal.uses.len())
            })
            .collect()
    }

    #[test]
    fn licences_in_feeds_count_and_contradict_others() {
        let record = EvidenceBuilder::new()
            .robots(404, "")
            .browser_and_control()
            .add_response(ReadTarget::Licence, "https://ferry.lab/l.xml", "wayleave", 200, LICENCE)
            .add_response(ReadTarget::Feed, FEED_URL, "wayleave", 200, FEED)
            .build_record();
        let found = stated(&record);
        assert_eq!(found.len(), 3, "{found:?}");
        let feed = &record.policy.signals[1];
        assert!(feed.note.as_deref().unwrap().contains("https://licences.example/api"), "{feed:?}");
        assert_eq!(found[2], ("file", "https://licences.example/l.xml", 0));
        let check = record.checks.iter().find(|check| check.path == FEED_URL).unwrap();
        assert_eq!(check.reading.as_ref(), feed.evidence.first());
        // The licence allows training, and the one in the feed does not list it.
        let train = &record.policy.rights["train"];
        assert_eq!((train.conflicts, train.decided_by), (1, Some(1)), "{train:?}");
        // A page instead of the feed states nothing.
        let record = EvidenceBuilder::new()
            .robots(404, "")
            .browser_and_control()
            .add_response(ReadTarget::Feed, FEED_URL, "wayleave", 200, "<!doctype html><p>x")
            .build_record();
        assert_eq!(stated(&record), []);
    }

    #[test]
    fn a_licence_that_a_refusal_names_is_reported() {
        let link = "</terms.xml>; rel=\"license\"; type=\"application/rsl+xml\"";
        let site = || {
            let site = EvidenceBuilder::new().robots(404, "").browser_and_control();
            link_header(site.add_response(ReadTarget::Home, "/", "gptbot", 402, ""), link)
        };
        let record = site().build_record();
        assert_eq!(stated(&record), [("header", "https://ferry.lab/terms.xml", 0)]);
        let terms = "https://ferry.lab/terms.xml";
        let record = site()
            .add_response(ReadTarget::Licence, terms, "wayleave", 200, LICENCE)
            .build_record();
        assert_eq!(stated(&record).len(), 1);
        assert_eq!(stated(&record)[0].0, "file");
    }
}
