//! Collects all rights signals of the site, each with the reading that shows it.

use contract::evidence::{ReadTarget, Reading, Response};
use contract::records::{SignalFault, SignalStatement};
use declared::rights::{
    Carrier, ParsedStatements as ParsedSignals, Statement, ai_txt, aipref, content_signal, payment,
    rsl, tdmrep, x_robots,
};

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
        let response = reading.exchange.response().filter(|response| is_success(response));
        let body = response.filter(|r| r.body.cut.is_none()).and_then(|r| parsed.body(r));
        if let Some(body) = body.filter(|body| !declared::sniff::looks_like_html(body)) {
            signals.add(rsl::parse(body, "/"), "rsl", Carrier::File, reading);
        }
    }
    if let Some((reading, body)) = served("/ai.txt") {
        signals.add(ai_txt::parse(body), "ai_txt", Carrier::File, reading);
    }
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
