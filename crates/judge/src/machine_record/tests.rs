//! Whole records, validated by our own readers.

mod hostile_text;
mod robots;

use contract::evidence::{ExchangeOutcome, HeaderLine, ReadTarget};
use contract::records::{MachineRecord, MachineRecordFile, MachineRecordFormat, ScanRecord};
use contract::{Brand, Issuer};
use declared::entity::{Carrier, FactName};
use declared::files::FileKind;
use serde_json::Value;

use super::site::SiteReading;
use super::{build_machine_record, json_ld, needed_bodies};
use crate::scan::tests::EvidenceBuilder;

pub(super) const SHOP: &str = r#"<!doctype html><html lang=en><title>Tin &amp; Sons</title>
    <meta name=description content="Kettles, pans and repairs"><meta property=og:site_name content="Tin">
    <script type="application/ld+json">{"@context":"https://schema.org","@type":["HardwareStore"],
    "name":"Tin & Sons","legalName":"Tin & Sons Ltd","telephone":"+44 20 7946 0123","email":"shop@ferry.lab",
    "address":{"@type":"PostalAddress","streetAddress":"1 Quay","addressLocality":"London","addressCountry":"GB"},
    "openingHoursSpecification":[{"dayOfWeek":["Monday","Tuesday"],"opens":"09:00","closes":"17:00"}],
    "url":"https://ferry.lab/","logo":"/logo.png","sameAs":["https://social.example/tin"],
    "vatID":"GB123456789","priceRange":"££"}</script>
    <main><p>We mend kettles and pans while you wait, and sell what we cannot mend any more. The shop is at the
    quay, next to the ferry, and is open whenever the ferry runs. Ask for the price before you leave a pan here,
    because copper costs more than tin.</p><a href="tel:+442079460123">Call</a></main>"#;

pub(super) fn shop() -> EvidenceBuilder {
    ["browser", "browser", "control"]
        .into_iter()
        .fold(EvidenceBuilder::new(), |site, who| site.home(who, 200, SHOP))
        .crawlers(200, SHOP)
        .control_path(404, "<!doctype html><h1>Not found</h1>")
}

pub(super) fn build(site: &EvidenceBuilder) -> (ScanRecord, MachineRecord) {
    let record = site.build_record();
    let made = build_from(site, &record);
    (record, made)
}

/// Builds with no other bodies than those that the builder says it needs.
pub(super) fn build_from(site: &EvidenceBuilder, record: &ScanRecord) -> MachineRecord {
    let issuer = Issuer::new(Brand::default(), "https://svc.example");
    let mut bodies = site.bodies.clone();
    let needed = needed_bodies(record, &site.evidence);
    bodies.retain(|digest, _| needed.contains(digest));
    build_machine_record(record, &site.evidence, &bodies, &issuer).unwrap()
}

pub(super) fn file(made: &MachineRecord, format: MachineRecordFormat) -> &MachineRecordFile {
    let found = made.files.iter().find(|file| file.format == format);
    found.unwrap_or_else(|| panic!("{format} was not made: {:?}", made.not_made))
}

pub(super) fn why_not(made: &MachineRecord, format: MachineRecordFormat) -> &str {
    &made.not_made.iter().find(|left| left.format == format).unwrap().why
}

fn json(file: &MachineRecordFile) -> Value {
    serde_json::from_str(&file.untrusted_text).unwrap()
}

pub(super) fn with_site<T>(
    site: &EvidenceBuilder,
    record: &ScanRecord,
    with: impl FnOnce(&SiteReading<'_>) -> T,
) -> T {
    with(&SiteReading { record, evidence: &site.evidence, bodies: &site.bodies })
}

#[test]
fn json_ld_states_what_the_page_states() {
    let site = shop().robots(404, "");
    let (record, made) = build(&site);
    let file = file(&made, MachineRecordFormat::JsonLd);
    let members = json(file);
    assert_eq!(members["@type"], "HardwareStore");
    assert_eq!(members["name"], "Tin & Sons");
    assert_eq!(members["telephone"], "+44 20 7946 0123", "the link states the same number");
    assert_eq!(members["openingHours"], "Mo,Tu 09:00-17:00");
    assert_eq!(members["logo"], "https://ferry.lab/logo.png");
    let sources_of = |at: &str| -> Vec<&str> {
        let sources = file.sources.iter().filter(|source| source.at == at);
        sources.map(|source| source.carrier.as_str()).collect()
    };
    assert_eq!(sources_of("/telephone"), ["json_ld", "tel_link"]);
    for name in members.as_object().unwrap().keys().filter(|name| *name != "@context") {
        assert!(!sources_of(&format!("/{name}")).is_empty(), "{name} has no source");
    }
    // The other form of the name is not the owner's.
    assert!(file.not_taken.iter().all(|left| left.what == "name"), "{:?}", file.not_taken);
    let entity = with_site(&site, &record, |site| json_ld::parse_back(site, &file.untrusted_text));
    assert_eq!(entity.name.as_deref(), Some("Tin & Sons"));
    assert_eq!(entity.types, ["HardwareStore"]);
    assert_eq!(entity.faults, []);
    let read: Vec<FactName> = entity.facts.iter().map(|fact| fact.fact).collect();
    for fact in [FactName::LegalName, FactName::Email, FactName::Address, FactName::VatId] {
        assert!(read.contains(&fact), "{fact:?}");
    }
    assert!(entity.facts.iter().all(|fact| fact.carrier == Carrier::JsonLd));
}

#[test]
fn contradicting_values_are_left_out() {
    let page = SHOP.replace("<a href=\"tel:+442079460123\">", "<a href=\"tel:+442079469999\">");
    let site = EvidenceBuilder::new().home("browser", 200, &page).home("browser", 200, &page);
    let (record, made) = build(&site.home("control", 200, &page).robots(404, ""));
    assert!(record.nap.unwrap().conflicts.contains_key("telephone"));
    let file = file(&made, MachineRecordFormat::JsonLd);
    assert_eq!(json(file).get("telephone"), None);
    let left = file.not_taken.iter().find(|left| left.what == "telephone").unwrap();
    assert_eq!(left.untrusted_values.len(), 2);
    let llms = &self::file(&made, MachineRecordFormat::LlmsTxt).untrusted_text;
    assert!(!llms.contains("Telephone"), "{llms}");
}

#[test]
fn what_belongs_to_another_entity_is_left_out() {
    let page = SHOP.replace(
        "\"vatID\"",
        "\"department\":{\"@type\":\"Store\",\"name\":\"Kettle Corner\",\"email\":\"k@ferry.lab\"},\"vatID\"",
    );
    let site = EvidenceBuilder::new().home("browser", 200, &page).home("control", 200, &page);
    let (_, made) = build(&site.robots(404, ""));
    let members = json(file(&made, MachineRecordFormat::JsonLd));
    assert_eq!(members["name"], "Tin & Sons");
    assert_eq!(members.get("email"), None);
    assert_eq!(members["telephone"], "+442079460123", "the page itself states it");
}

#[test]
fn a_page_without_an_owner_makes_no_json_ld() {
    let page = SHOP.replace("\"@type\":[\"HardwareStore\"]", "\"@type\":\"Product\"");
    let page = page.replace("property=og:site_name", "property=x");
    let site = EvidenceBuilder::new().home("browser", 200, &page).home("control", 200, &page);
    let (_, made) = build(&site.robots(404, ""));
    assert!(why_not(&made, MachineRecordFormat::JsonLd).contains("does not name its owner"));
    // The page has a title, so there is still an llms.txt.
    let llms = &file(&made, MachineRecordFormat::LlmsTxt).untrusted_text;
    assert!(llms.starts_with("# Tin & Sons\n\n> Kettles"), "{llms}");
}

#[test]
fn llms_txt_lists_pages_and_files() {
    let page = "<!doctype html><title>Prices</title><main><p>Every pan has its price.</p></main>";
    let api = r#"{"openapi":"3.1.0","info":{"title":"Tin","version":"1"},"paths":{"/pans":{"get":
        {"operationId":"pans","responses":{"200":{"description":"Pans."}}}}}}"#;
    let site = shop()
        .robots(404, "")
        .file("/llms.txt", 404, "")
        .file("/openapi.json", 200, api)
        .add_response(ReadTarget::Page, "/prices", "browser", 200, page);
    let (record, made) = build(&with_json_type(site, "/openapi.json"));
    let file = file(&made, MachineRecordFormat::LlmsTxt);
    let expected = "# Tin & Sons\n\n> Kettles, pans and repairs\n\n\
        - Telephone: +44 20 7946 0123\n- Email: shop@ferry.lab\n- Address: 1 Quay, London, GB\n\
        - Opening hours: Mo,Tu 09:00-17:00\n\n## Pages\n\n\
        - [Tin & Sons](https://ferry.lab/): the home page\n- [Prices](https://ferry.lab/prices)\n\n\
        ## Files for machines\n\n- [OpenAPI description](https://ferry.lab/openapi.json)\n";
    assert_eq!(file.untrusted_text, expected, "{:#?}", record.checks);
    let inspection = with_site(&shop(), &record, |site| {
        site.inspect(FileKind::LlmsTxt, "/llms.txt", &file.untrusted_text)
    });
    assert!(inspection.usable);
    assert_eq!(inspection.faults, []);
    for (number, line) in expected.lines().enumerate() {
        let at = format!("line {}", number + 1);
        let has_source = file.sources.iter().any(|source| source.at == at);
        assert_eq!(has_source, !line.is_empty() && !line.starts_with("## "), "{line}");
    }
}

fn with_json_type(site: EvidenceBuilder, path: &str) -> EvidenceBuilder {
    with_type(site, path, "application/json")
}

fn with_type(mut site: EvidenceBuilder, path: &str, media_type: &str) -> EvidenceBuilder {
    let reading = site.evidence.reads.iter_mut().find(|reading| reading.path == path).unwrap();
    if let ExchangeOutcome::Response(response) = &mut reading.exchange.outcome {
        response.headers =
            vec![HeaderLine { name: "content-type".into(), value: media_type.into() }];
    }
    site
}

#[test]
fn a_valid_llms_txt_is_kept() {
    let own = "# Tin\n\n> Kettles and more, since 1901\n\n## Shop\n\n- [Pans](https://ferry.lab/pans): all pans\n";
    let site =
        with_type(shop().robots(404, "").file("/llms.txt", 200, own), "/llms.txt", "text/plain");
    let (_, made) = build(&site);
    let kept = file(&made, MachineRecordFormat::LlmsTxt);
    assert_eq!(kept.untrusted_text, own);
    assert!(kept.reading.contains("that the site publishes"));
    assert_eq!(kept.sources.last().unwrap().pointer.as_deref(), Some("line 7"));
    // One with a fault is replaced.
    let bad = "Welcome to Tin.\n# Tin\n\nA page without any links, though it is long enough.\n";
    let site =
        with_type(shop().robots(404, "").file("/llms.txt", 200, bad), "/llms.txt", "text/plain");
    let (_, made) = build(&site);
    let replaced = file(&made, MachineRecordFormat::LlmsTxt);
    assert!(replaced.untrusted_text.starts_with("# Tin & Sons\n"));
    assert!(replaced.reading.contains("with faults"), "{}", replaced.reading);
}

const CARD: &str = r#"{"name":"Tin helper","description":"Answers questions about pans","version":"1.2.0",
    "url":"https://ferry.lab/a2a","protocolVersion":"0.3.0","capabilities":{"streaming":false},
    "defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
    "skills":[{"id":"pans","name":"Pans","description":"Finds a pan","tags":["pans"]}]}"#;

#[test]
fn a_card_is_completed_and_never_invented() {
    const PATH: &str = super::site::AGENT_CARD_PATH;
    let site = with_json_type(shop().robots(404, "").file(PATH, 200, CARD), PATH);
    let (record, made) = build(&site);
    let file = file(&made, MachineRecordFormat::AgentCard);
    let card = json(file);
    assert_eq!(card["provider"]["organization"], "Tin & Sons");
    assert_eq!(card["supportedInterfaces"][0]["url"], "https://ferry.lab/a2a");
    assert_eq!(card["skills"][0]["id"], "pans");
    assert!(file.sources.iter().any(|source| source.at == "/provider/organization"));
    let inspection = with_site(&site, &record, |site| {
        site.inspect(FileKind::AgentCard, PATH, &file.untrusted_text)
    });
    assert_eq!((inspection.usable, inspection.faults), (true, vec![]));
    // A signed card stays as it is.
    let signature = r#""signatures":[{"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ","signature":"AA"}],"name":"#;
    let signed = CARD.replacen("\"name\":", signature, 1);
    let site = with_json_type(shop().robots(404, "").file(PATH, 200, &signed), PATH);
    let (_, made) = build(&site);
    let signed_file = self::file(&made, MachineRecordFormat::AgentCard);
    assert_eq!(json(signed_file), serde_json::from_str::<Value>(&signed).unwrap());
}

#[test]
fn a_site_without_a_card_gets_a_skeleton() {
    const PATH: &str = super::site::AGENT_CARD_PATH;
    let site = shop().robots(404, "").file(PATH, 404, "");
    let (record, made) = build(&site);
    let file = file(&made, MachineRecordFormat::AgentCard);
    let mut card = json(file);
    assert_eq!(card["name"], "Tin & Sons");
    assert_eq!(card["provider"]["organization"], "Tin & Sons");
    assert!(card.get("skills").is_none(), "nothing about an agent is invented: {card}");
    // With what is missing, and nothing else, it is a card without faults.
    for name in &file.missing {
        card[name] = match name.as_str() {
            "supportedInterfaces" => serde_json::json!([{ "url": "https://ferry.lab/a2a",
                "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }]),
            "version" => "1.0.0".into(),
            "description" => "Answers questions about pans".into(),
            "capabilities" => serde_json::json!({ "streaming": false }),
            "defaultInputModes" | "defaultOutputModes" => serde_json::json!(["text/plain"]),
            "skills" => serde_json::json!([{ "id": "pans", "name": "Pans",
                "description": "Finds a pan", "tags": ["pans"] }]),
            other => panic!("{other}"),
        };
    }
    let inspection = with_site(&site, &record, |site| {
        site.inspect(FileKind::AgentCard, PATH, &card.to_string())
    });
    assert_eq!((inspection.usable, inspection.faults), (true, vec![]));
    let (_, made) = build(&shop().robots(404, "").file(PATH, 503, ""));
    let why = why_not(&made, MachineRecordFormat::AgentCard);
    assert_eq!(why, "We could not read the site's agent card.");
}

#[test]
fn a_site_that_did_not_answer_gives_no_files() {
    let site = EvidenceBuilder::new().home("browser", 503, "").robots(503, "");
    let (_, made) = build(&site);
    assert_eq!(made.files, []);
    assert_eq!(made.not_made.len(), 4);
}
