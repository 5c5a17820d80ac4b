//! One function for every hand-written parser: it feeds bytes to the parser and asserts what must
//! hold for any input. `fuzz_targets/` runs them under libFuzzer, `tests/any_bytes.rs` under
//! proptest on a stable compiler; `scripts/fuzz` chooses.
//!
//! Adding a parser: write its function and its seeds in the file of its crate, and add one line to
//! [`TARGETS`] and one file to `fuzz_targets/`. A test compares the two lists.

#![forbid(unsafe_code)]

mod agents;
mod contract;
mod declared;
mod door;
mod judge;
mod pages;
mod proof;
mod service;
mod web;

use std::borrow::Cow;
use std::path::Path;

use ::contract::NamePolicy;

/// A parser with the inputs that a run starts from.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    pub seeds: &'static [&'static [u8]],
}

/// Exports the functions and lists them with their seeds.
macro_rules! targets {
    ($($name:ident = $module:ident::$function:ident, $seeds:ident;)+) => {
        $(
            #[doc = concat!("The target `", stringify!($name), "`.")]
            pub fn $name(data: &[u8]) {
                $module::$function(data);
            }
        )+

        /// Every target, in the order in which `scripts/fuzz` runs them.
        pub const TARGETS: &[Target] = &[
            $(Target { name: stringify!($name), run: $name, seeds: $module::$seeds },)+
        ];

        /// The seeds alone: a fuzz target that refers to [`TARGETS`] would contain every parser.
        const SEEDS: &[(&str, &[&[u8]])] = &[$((stringify!($name), $module::$seeds),)+];
    };
}

targets! {
    json = contract::json, JSON_SEEDS;
    domain = contract::domain, DOMAIN_SEEDS;
    times = contract::times, TIMES_SEEDS;
    requests = contract::requests, REQUESTS_SEEDS;
    records = contract::records, RECORDS_SEEDS;
    robots = declared::robots, ROBOTS_SEEDS;
    robots_lint = declared::robots_lint, ROBOTS_SEEDS;
    rights_headers = declared::rights_headers, RIGHTS_HEADERS_SEEDS;
    rights_files = declared::rights_files, RIGHTS_FILES_SEEDS;
    machine_files = declared::machine_files, MACHINE_FILES_SEEDS;
    capabilities = declared::capabilities, MACHINE_FILES_SEEDS;
    sitemap = declared::sitemap, SITEMAP_SEEDS;
    security_txt = declared::security_txt, SECURITY_TXT_SEEDS;
    link_header = declared::link_header, LINK_HEADER_SEEDS;
    rdap = declared::rdap, RDAP_SEEDS;
    engine_answer = declared::engine_answer, ENGINE_ANSWER_SEEDS;
    page = declared::page, PAGE_SEEDS;
    page_text = declared::page_text, PAGE_TEXT_SEEDS;
    entity = declared::entity, PAGE_SEEDS;
    json_ld = declared::json_ld, JSON_LD_SEEDS;
    charset = declared::charset, CHARSET_SEEDS;
    normal_forms = declared::normal_forms, NORMAL_FORMS_SEEDS;
    written_facts = declared::written_facts, WRITTEN_FACTS_SEEDS;
    instructions = declared::instructions, INSTRUCTIONS_SEEDS;
    style_sheets = pages::style_sheets, STYLE_SHEETS_SEEDS;
    comparison = pages::comparison, COMPARISON_SEEDS;
    canonical_json = proof::canonical_json, CANONICAL_JSON_SEEDS;
    digests = proof::digests, DIGESTS_SEEDS;
    note = proof::note, NOTE_SEEDS;
    checkpoint = proof::checkpoint, CHECKPOINT_SEEDS;
    tiles = proof::tiles, TILES_SEEDS;
    verifier_key = proof::verifier_key, VERIFIER_KEY_SEEDS;
    cosignature = proof::cosignature, COSIGNATURE_SEEDS;
    witness_request = proof::witness_request, WITNESS_REQUEST_SEEDS;
    opentimestamps = proof::opentimestamps, OPENTIMESTAMPS_SEEDS;
    http_signatures = proof::http_signatures, HTTP_SIGNATURES_SEEDS;
    accept_signature = proof::accept_signature, ACCEPT_SIGNATURE_SEEDS;
    verify_document = proof::verify_document_bytes, VERIFY_DOCUMENT_SEEDS;
    key_directory = proof::key_directory, KEY_DIRECTORY_SEEDS;
    staple = proof::staple, STAPLE_SEEDS;
    catalogue = judge::catalogue, CATALOGUE_SEEDS;
    known_agents = agents::known_agents, KNOWN_AGENTS_SEEDS;
    user_agents = agents::user_agents, USER_AGENTS_SEEDS;
    feeds = agents::feeds, FEEDS_SEEDS;
    wall_table = judge::wall_table, WALL_TABLE_SEEDS;
    walls = judge::walls, WALLS_SEEDS;
    gates = judge::gates, GATES_SEEDS;
    ranking = judge::ranking, RANKING_SEEDS;
    mcp = judge::mcp, MCP_SEEDS;
    declared_date = judge::declared_date, DECLARED_DATE_SEEDS;
    url_guard = door::url_guard, URL_GUARD_SEEDS;
    event_stream = door::event_stream, EVENT_STREAM_SEEDS;
    resolv_conf = door::resolv_conf, RESOLV_CONF_SEEDS;
    dns_answer = door::dns_answer, DNS_ANSWER_SEEDS;
    content_coding = door::content_coding, CONTENT_CODING_SEEDS;
    certificate = door::certificate, CERTIFICATE_SEEDS;
    census_list = service::census_list, CENSUS_LIST_SEEDS;
    licence_key = service::licence_key, LICENCE_KEY_SEEDS;
    cursors = service::cursors, CURSORS_SEEDS;
    page_url = service::page_url, PAGE_URL_SEEDS;
    operator_files = service::operator_files, OPERATOR_FILES_SEEDS;
    client_address = web::client_address, CLIENT_ADDRESS_SEEDS;
    content_negotiation = web::content_negotiation, CONTENT_NEGOTIATION_SEEDS;
    json_body = web::json_body, JSON_BODY_SEEDS;
    request_headers = web::request_headers, REQUEST_HEADERS_SEEDS;
}

/// Writes the seeds of a target to the folder in `FUZZ_SEEDS`, from which libFuzzer starts. A folder
/// that cannot be written is no error: the run then starts from nothing.
pub fn write_seeds(name: &str) {
    let Some(folder) = std::env::var_os("FUZZ_SEEDS") else { return };
    let Some((_, seeds)) = SEEDS.iter().find(|(target, _)| *target == name) else { return };
    for (number, seed) in seeds.iter().enumerate() {
        let _ = std::fs::write(Path::new(&folder).join(format!("seed-{number}")), seed);
    }
}

fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}

fn lines(data: &[u8]) -> Vec<&[u8]> {
    data.split(|byte| *byte == b'\n').collect()
}

/// The first line and the rest.
fn split_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// The bytes before the first NUL, and those after it.
fn split_bytes(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (first, rest) = data.split_at(end);
    (first, rest.strip_prefix(b"\0").unwrap_or(rest))
}

/// The rules for names in a lab: everything below `lab` is public.
fn lab_names() -> NamePolicy {
    NamePolicy { allow_suffixes: vec!["lab".to_owned()], allow_ports: vec![8443] }
}
