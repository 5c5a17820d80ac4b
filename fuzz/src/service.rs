//! What callers and operators send to the use cases.

use contract::{Brand, NamePolicy, Timestamp};
use proof::keys::DeploymentSecret;
use service::access::fuzzing as tokens;
use service::answers::page_url::PageUrl;
use service::answers::{changes, revocations};
use service::log::WitnessPeer;
use service::log::monitor::MonitorState;
use service::scanning::census::{CensusCursor, CensusList};
use service::{AddressBlock, LicenceKey};

use crate::{lines, text};

pub(super) const CENSUS_LIST_SEEDS: &[&[u8]] =
    &[b"# top\nrank,domain\n2,b.org\n1,\"www.a.org\"\n\n4,c.org # x\n", b"a.org\r\nb.org\r\n"];

/// Ranks and domains are unique and sorted, and the frame does not depend on the spelling.
pub(super) fn census_list(data: &[u8]) {
    let names = NamePolicy::default();
    let list = CensusList::parse(&text(data), "a list", None, &names);
    assert!(list.domains.is_sorted_by(|one, other| one.0 < other.0));
    assert!(list.domains.len() + list.skipped_lines <= lines(data).len());
    let written: String =
        list.domains.iter().map(|(rank, domain)| format!("{rank},{domain}\n")).collect();
    let again = CensusList::parse(&written, "a list", None, &names);
    assert_eq!((again.domains, again.frame), (list.domains, list.frame));
}

pub(super) const LICENCE_KEY_SEEDS: &[&[u8]] =
    &[b"wl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", b"wl_"];

pub(super) fn licence_key(data: &[u8]) {
    let text = text(data);
    if let Some(key) = LicenceKey::parse(&text) {
        assert_eq!(key.reveal(), text);
        assert_eq!(text.len(), 46);
        assert!(!format!("{key:?}").contains(&*text), "a key is never printed");
    }
}

pub(super) const CURSORS_SEEDS: &[&[u8]] = &[
    b"n7-412",
    b"r1-7-0123456789abcdef",
    b"r1-0",
    b"c1-7-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    b"1794711380.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    b"192.0.2.1",
    b"2001:db8::1",
];

/// Cursors and page tokens: one spelling, and those with a MAC cannot be made up.
pub(super) fn cursors(data: &[u8]) {
    let text = text(data);
    if let Some(cursor) = CensusCursor::parse(&text) {
        assert_eq!(CensusCursor::parse(&cursor.text()), Some(cursor));
    }
    if let Some(written) = revocations::fuzzing::parse_cursor(&text) {
        assert_eq!(written, text);
    }
    let secret = DeploymentSecret::from_bytes(&[7; 32]);
    if let Some(seq) = changes::fuzzing::decode_cursor(&secret, &text) {
        assert_eq!(changes::fuzzing::encode_cursor(&secret, seq), text);
    }
    let now = Timestamp::from_millis(1_794_711_380_000);
    let address = text.parse().unwrap_or(std::net::IpAddr::from([192, 0, 2, 1]));
    let block = AddressBlock::from_address(address);
    let ours = tokens::make_page_token(&secret, now, block);
    assert!(tokens::is_page_token(&secret, now, &ours, block));
    assert_eq!(tokens::is_page_token(&secret, now, &text, block), text == ours);
}

pub(super) const PAGE_URL_SEEDS: &[&[u8]] = &[
    b"https://www.example.org/a/../b?q#f",
    b"http://example.org:8080/%2e%2e/",
    b"https://u:p@example.org",
];

/// A page URL has no query, no fragment and no credentials, and stays as it is.
pub(super) fn page_url(data: &[u8]) {
    let names = NamePolicy::default();
    let Ok(page) = PageUrl::parse(&text(data), &names) else { return };
    assert!(!page.url.contains(['?', '#', ' ']) && page.path.starts_with('/'));
    let authority = page.url.strip_suffix(&page.path).unwrap_or_default();
    assert!(authority.starts_with("http") && !authority.contains('@'), "{page:?}");
    assert_eq!(PageUrl::parse(&page.url, &names).as_ref(), Ok(&page));
}

pub(super) const OPERATOR_FILES_SEEDS: &[&[u8]] = &[
    b"w.example/a=b+00000000+BBpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW=https://w.example/p/",
    br#"{"v":1,"url":"https://a.example","brand":"svc","origin":null,"keys":null,"audit":null,"alarms":[]}"#,
];

/// A configured witness and the state file of a monitor.
pub(super) fn operator_files(data: &[u8]) {
    let text = text(data);
    if let Ok(peer) = text.parse::<WitnessPeer>() {
        assert_eq!(format!("{}={}", peer.key, peer.url).parse().as_ref(), Ok(&peer));
        assert!(peer.url.starts_with("http"));
    }
    let brand = Brand::default();
    if let Ok(state) = MonitorState::parse(data, "https://a.example", &brand) {
        let bytes = state.to_bytes().unwrap_or_default();
        let again = MonitorState::parse(&bytes, "https://a.example", &brand);
        assert!(again.is_ok_and(|again| again.to_bytes().unwrap_or_default() == bytes));
    }
}
