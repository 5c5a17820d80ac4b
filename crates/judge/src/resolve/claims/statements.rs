//! The statements of a site about itself, extracted from one reading.

use contract::records::{Check, CheckVerdict, ScanRecord, SignalStatement};

/// The most statements taken from one reading.
const MAX_STATEMENTS: usize = 300;
/// The most characters of a value that are shown and compared.
const MAX_VALUE: usize = 160;

/// One statement of the site, as one reading found it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteStatement {
    /// What it is about: `organization`, `site` or `page`.
    pub subject: &'static str,
    /// `organization.name`, `contact.phone`, `policy.training`, …
    pub property: String,
    /// Written by the site: do not trust it.
    pub value: String,
    pub carrier: StatementCarrier,
    /// Whether other carriers of the same reading state the same; `None` when no other states it.
    pub agrees: Option<bool>,
}

/// Where a statement was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatementCarrier {
    /// `json_ld`, `robots`, `http_header`, …
    pub kind: String,
    pub url: String,
    /// A line of the file or a pointer into the JSON-LD block, where it is known.
    pub pointer: Option<String>,
    /// The number of the JSON-LD block on the page, from 0.
    pub block: Option<u32>,
    /// The digest of the body it was read from.
    pub evidence_sha256: Option<String>,
}

/// All statements of a reading, in a fixed order, each once.
#[must_use]
pub fn site_statements(record: &ScanRecord) -> Vec<SiteStatement> {
    let mut all = Vec::new();
    owner(record, &mut all);
    page(record, &mut all);
    policy(record, &mut all);
    files(record, &mut all);
    all.sort();
    all.dedup();
    all.truncate(MAX_STATEMENTS);
    all
}

/// Who runs the site.
fn owner(record: &ScanRecord, all: &mut Vec<SiteStatement>) {
    for fact in record.fact_lineage.iter().flat_map(|lineage| &lineage.facts) {
        let mut sources: Vec<&str> =
            fact.stated.iter().map(|stated| stated.source.as_str()).collect();
        sources.sort_unstable();
        sources.dedup();
        for stated in &fact.stated {
            all.push(SiteStatement {
                subject: "organization",
                property: property(&fact.fact),
                value: contract::text::display_safe(&stated.untrusted_value, MAX_VALUE),
                carrier: StatementCarrier {
                    kind: page_carrier(&stated.source).to_owned(),
                    url: stated.url.clone(),
                    pointer: stated.pointer.clone(),
                    block: stated.block,
                    evidence_sha256: body_of(record, &stated.evidence),
                },
                agrees: (sources.len() > 1).then_some(fact.agrees),
            });
        }
    }
}

fn property(fact: &str) -> String {
    match fact {
        "telephone" => "contact.phone".to_owned(),
        "fax" | "email" | "address" => format!("contact.{fact}"),
        "hours" => "hours".to_owned(),
        other => format!("organization.{other}"),
    }
}

/// The carrier of a fact on the page. Links and address elements are visible text.
fn page_carrier(source: &str) -> &str {
    match source {
        "tel_link" | "mail_link" | "address_element" => "visible_text",
        "open_graph" => "meta",
        other => other,
    }
}

/// Title and description of the home page.
fn page(record: &ScanRecord, all: &mut Vec<SiteStatement>) {
    let content = &record.content;
    let Some(reading) = &content.reading else { return };
    let evidence = std::slice::from_ref(reading);
    let row = row_of(record, evidence);
    let url = row.and_then(|row| row.final_url.clone());
    let url = url.unwrap_or_else(|| super::super::urls::home_url(&record.domain));
    let members = [
        ("page.title", &content.untrusted_title),
        ("page.description", &content.untrusted_description),
        ("page.language", &content.language),
    ];
    for (property, value) in members {
        let Some(value) = value.as_ref().filter(|value| !value.is_empty()) else { continue };
        all.push(SiteStatement {
            subject: "page",
            property: property.to_owned(),
            value: contract::text::display_safe(value, MAX_VALUE),
            carrier: StatementCarrier {
                kind: "meta".to_owned(),
                url: url.clone(),
                pointer: None,
                block: None,
                evidence_sha256: body_of(record, evidence),
            },
            agrees: None,
        });
    }
}

/// What may be done with the content, and who may read it.
fn policy(record: &ScanRecord, all: &mut Vec<SiteStatement>) {
    let policy = &record.policy;
    for signal in &policy.signals {
        for (name, effect) in &signal.uses {
            let others: Vec<&String> = policy
                .signals
                .iter()
                .filter(|other| *other != signal)
                .filter_map(|other| other.uses.get(name))
                .collect();
            all.push(SiteStatement {
                subject: "site",
                property: match name.as_str() {
                    "train" => "policy.training".to_owned(),
                    other => format!("policy.{other}"),
                },
                value: for_whom(signal, effect),
                carrier: StatementCarrier {
                    kind: signal_carrier(signal).to_owned(),
                    url: signal_url(record, signal),
                    pointer: signal.line.map(|line| format!("line {line}")),
                    block: None,
                    evidence_sha256: body_of(record, &signal.evidence),
                },
                agrees: (!others.is_empty()).then(|| others.iter().all(|other| *other == effect)),
            });
        }
    }
    for rule in &policy.access {
        all.push(SiteStatement {
            subject: "site",
            property: format!("policy.crawl.{}", rule.agent),
            value: if rule.allowed { "allowed" } else { "disallowed" }.to_owned(),
            carrier: StatementCarrier {
                kind: "robots".to_owned(),
                url: file_url(record, "/robots.txt"),
                pointer: rule.line.map(|line| format!("line {line}")),
                block: None,
                evidence_sha256: body_of(record, &policy.robots.evidence),
            },
            agrees: None,
        });
    }
}

fn for_whom(signal: &SignalStatement, effect: &str) -> String {
    match signal.agents.as_slice() {
        [] => effect.to_owned(),
        agents => {
            contract::text::display_safe(&format!("{effect} for {}", agents.join(", ")), MAX_VALUE)
        }
    }
}

fn signal_carrier(signal: &SignalStatement) -> &str {
    match signal.carrier.as_str() {
        "robots_txt" => "robots",
        "header" | "status" => "http_header",
        "file" => &signal.mechanism,
        other => other,
    }
}

fn signal_url(record: &ScanRecord, signal: &SignalStatement) -> String {
    if signal.carrier == "robots_txt" {
        return file_url(record, "/robots.txt");
    }
    if let Some(check) = check_of(record, &signal.evidence) {
        return file_url(record, &check.path);
    }
    row_of(record, &signal.evidence)
        .and_then(|row| row.final_url.clone())
        .unwrap_or_else(|| super::super::urls::home_url(&record.domain))
}

/// The machine files of the site.
fn files(record: &ScanRecord, all: &mut Vec<SiteStatement>) {
    for check in &record.checks {
        if check.verdict != CheckVerdict::Ok || check.file == "robots_txt" {
            continue;
        }
        all.push(SiteStatement {
            subject: "site",
            property: format!("file.{}", check.file),
            value: contract::text::display_safe(&check.path, MAX_VALUE),
            carrier: StatementCarrier {
                kind: file_carrier(&check.file).to_owned(),
                url: file_url(record, &check.path),
                pointer: None,
                block: None,
                evidence_sha256: check.body_sha256.clone(),
            },
            agrees: None,
        });
    }
}

fn file_carrier(file: &str) -> &str {
    if file == "mcp_server_card" { "server_card" } else { file }
}

pub(super) fn file_url(record: &ScanRecord, path: &str) -> String {
    let site = super::super::urls::home_url(&record.domain);
    format!("{}{path}", site.trim_end_matches('/'))
}

fn check_of<'a>(record: &'a ScanRecord, evidence: &[String]) -> Option<&'a Check> {
    let named = |id: &String| evidence.contains(id);
    record.checks.iter().find(|check| check.reading.as_ref().is_some_and(named))
}

fn row_of<'a>(
    record: &'a ScanRecord,
    evidence: &[String],
) -> Option<&'a contract::records::AgentRow> {
    let named = |id: &String| evidence.contains(id);
    record.agentview.rows.iter().find(|row| row.reading.as_ref().is_some_and(named))
}

/// The digest of the body that one of these readings received.
fn body_of(record: &ScanRecord, evidence: &[String]) -> Option<String> {
    check_of(record, evidence)
        .and_then(|check| check.body_sha256.clone())
        .or_else(|| row_of(record, evidence).and_then(|row| row.body_sha256.clone()))
}
