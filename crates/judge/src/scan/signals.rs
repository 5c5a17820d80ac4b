//! Every rights signal of the site, wherever it stands, with the reading that shows it.

use contract::evidence::{Reading, Response, Target};
use contract::records::{SignalFault, SignalStatement};
use declared::rights::{
    Carrier, Heard as Read, Statement, ai_txt, aipref, content_signal, payment, rsl, tdmrep,
    x_robots,
};

use super::look::{Look, is_success};

pub(super) struct Signals {
    pub(super) statements: Vec<Heard>,
    pub(super) faults: Vec<SignalFault>,
}

/// A statement and the reading it was heard in.
pub(super) struct Heard {
    pub(super) statement: Statement,
    reading: String,
}

/// Statements kept of one site.
const MAX_STATEMENTS: usize = 100;

impl Heard {
    pub(super) fn told(&self) -> SignalStatement {
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
            evidence: vec![self.reading.clone()],
        }
    }
}

impl Signals {
    fn take(&mut self, read: Read, mechanism: &str, carrier: Carrier, reading: &Reading) {
        for statement in read.statements {
            let known = self.statements.iter().any(|heard| heard.statement == statement);
            if !known && self.statements.len() < MAX_STATEMENTS {
                self.statements.push(Heard { statement, reading: reading.id.clone() });
            }
        }
        for fault in read.faults {
            if self.faults.len() < MAX_STATEMENTS {
                self.faults.push(SignalFault {
                    mechanism: mechanism.to_owned(),
                    carrier: carrier.as_str().to_owned(),
                    fault: super::checks::told(fault),
                    evidence: vec![reading.id.clone()],
                });
            }
        }
    }
}

pub(super) fn signals(look: &Look<'_>) -> Signals {
    let mut signals = Signals { statements: Vec::new(), faults: Vec::new() };
    in_robots(look, &mut signals);
    in_files(look, &mut signals);
    on_page(look, &mut signals);
    tolls(look, &mut signals);
    signals
}

fn in_robots(look: &Look<'_>, signals: &mut Signals) {
    let Some((reading, robots)) = look.robots.reading.zip(look.robots.robots.as_ref()) else {
        return;
    };
    signals.take(content_signal::robots(robots), "content_signal", Carrier::RobotsTxt, reading);
    let tokens = look.catalogue.ai().filter_map(|identity| identity.robots_token.as_deref());
    for token in std::iter::once("*").chain(tokens) {
        signals.take(aipref::robots(robots, token, "/"), "aipref", Carrier::RobotsTxt, reading);
    }
}

fn in_files(look: &Look<'_>, signals: &mut Signals) {
    let served = |path: &str| {
        let reading = look.reading(Target::MachineFile, path)?;
        let response = reading.exchange.response().filter(|response| is_success(response))?;
        let body = look.body(response)?;
        // A page in the file's place says nothing about rights.
        let page = declared::shape::looks_like_html(body);
        (!page && response.body.cut.is_none()).then_some((reading, body))
    };
    if let Some((reading, body)) = served("/.well-known/tdmrep.json") {
        signals.take(tdmrep::file(body, "/"), "tdmrep", Carrier::File, reading);
    }
    for reading in look.reads(Target::Licence) {
        let response = reading.exchange.response().filter(|response| is_success(response));
        let body = response.filter(|r| r.body.cut.is_none()).and_then(|r| look.body(r));
        if let Some(body) = body.filter(|body| !declared::shape::looks_like_html(body)) {
            signals.take(rsl::read(body, "/"), "rsl", Carrier::File, reading);
        }
    }
    if let Some((reading, body)) = served("/ai.txt") {
        signals.take(ai_txt::read(body), "ai_txt", Carrier::File, reading);
    }
}

/// Fields and elements of the home page, as the browser was given it, or whoever was.
fn on_page(look: &Look<'_>, signals: &mut Signals) {
    // What a wall says of itself is not the site's word.
    let served = |reading: &&Reading| {
        let page = |response: &Response| is_success(response) && !look.is_walled(response);
        reading.exchange.response().is_some_and(page)
    };
    let home = look
        .reads(Target::Home)
        .filter(served)
        .find(|reading| reading.identity == look.browser_id())
        .or_else(|| look.reads(Target::Home).find(served));
    let Some((reading, response)) = home.and_then(|r| Some((r, r.exchange.response()?))) else {
        return;
    };
    for value in response.headers_named("content-signal") {
        let read = content_signal::read(value, Carrier::Header);
        signals.take(read, "content_signal", Carrier::Header, reading);
    }
    let usage: Vec<&str> = response.headers_named("content-usage").collect();
    if !usage.is_empty() {
        signals.take(aipref::header(&usage), "aipref", Carrier::Header, reading);
    }
    if let Some(reservation) = response.header("tdm-reservation") {
        let read = tdmrep::headers(Some(reservation), response.header("tdm-policy"));
        signals.take(read, "tdmrep", Carrier::Header, reading);
    }
    let x_tags: Vec<&str> = response.headers_named("x-robots-tag").collect();
    let page = look.page(response).map(|sheet| &sheet.page);
    let meta = |name: &str| {
        let named = |(key, content): &'_ (String, String)| (key == name).then(|| content.clone());
        page.and_then(|page| page.meta.iter().find_map(named))
    };
    if let Some(reservation) = meta("tdm-reservation") {
        let read = tdmrep::meta(Some(&reservation), meta("tdm-policy").as_deref());
        signals.take(read, "tdmrep", Carrier::Meta, reading);
    }
    let metas: Vec<(&str, &str)> = page
        .into_iter()
        .flat_map(|page| {
            page.meta_robots.iter().map(|(name, value)| (name.as_str(), value.as_str()))
        })
        .collect();
    let tokens: Vec<&str> =
        look.catalogue.ai().filter_map(|identity| identity.robots_token.as_deref()).collect();
    signals.take(
        x_robots::page(&x_tags, &metas, &tokens),
        "x_robots_tag",
        Carrier::Header,
        reading,
    );
    for block in page.into_iter().flat_map(|page| &page.rsl) {
        signals.take(rsl::read(block.as_bytes(), "/"), "rsl", Carrier::File, reading);
    }
}

/// Tolls that were asked for the home page.
fn tolls(look: &Look<'_>, signals: &mut Signals) {
    for reading in look.reads(Target::Home) {
        let Some(toll) = reading.exchange.response().and_then(toll) else { continue };
        let read = Read { statements: vec![toll], faults: Vec::new() };
        signals.take(read, "payment", Carrier::Status, reading);
    }
}

fn toll(response: &Response) -> Option<Statement> {
    payment::of(response.status, &headers(response)).map(|toll| toll.statement())
}

/// The fields of a response as pairs.
pub(super) fn headers(response: &Response) -> Vec<(String, String)> {
    response.headers.iter().map(|line| (line.name.clone(), line.value.clone())).collect()
}
