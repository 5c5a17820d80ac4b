//! The catalogue: one table per theme. A site is a few lines of data; a function next to its table
//! gives its replies, usually a small variation of [`base::plain_site`]. To add a site, give it a
//! name, a code, the two sentences and the expected record; the sweep in `tests/it/catalogue.rs`
//! then checks it.

mod access;
mod agent_offers;
mod base;
mod broken_http;
mod business;
mod challenges;
mod cloaking;
mod cloaking_shares;
mod control_proofs;
mod described_apis;
mod dns;
mod encoding;
mod file_details;
mod further_pages;
mod gates;
mod hidden_by_style;
mod infrastructure;
mod long_pages;
mod machine_files;
mod moved_and_lookalike;
mod owners;
mod page_kinds;
mod redirects;
mod rights;
mod robots;
mod shares;
mod six_treatments;
mod text_kinds;
mod tls;
mod variation;
mod walls;

use std::sync::LazyLock;

pub(crate) use self::base::{TRAP_PORT_SITE, site_with_pages};
pub use self::described_apis::PUBLIC_API_PATHS;
use crate::site::{DnsBehaviour, LabSite, SiteDns};

static CATALOGUE: LazyLock<Vec<LabSite>> = LazyLock::new(|| {
    let themes: &[&[LabSite]] = &[
        machine_files::SITES,
        access::SITES,
        challenges::SITES,
        cloaking::SITES,
        robots::SITES,
        page_kinds::SITES,
        business::SITES,
        redirects::SITES,
        encoding::SITES,
        broken_http::SITES,
        tls::SITES,
        dns::SITES,
        walls::SITES,
        six_treatments::SITES,
        rights::SITES,
        agent_offers::SITES,
        moved_and_lookalike::SITES,
        variation::SITES,
        cloaking_shares::SITES,
        hidden_by_style::SITES,
        text_kinds::SITES,
        long_pages::SITES,
        gates::SITES,
        file_details::SITES,
        owners::SITES,
        further_pages::SITES,
        shares::SITES,
        described_apis::SITES,
        control_proofs::OWN_SITES,
    ];
    themes.concat()
});

/// The number of sites of [`load_test_sites`] and of [`stalling_load_test_sites`].
const LOAD_TEST_SITES: usize = 500;
const STALLING_LOAD_TEST_SITES: usize = 200;
/// The number of sites of [`shared_address_sites`], and the one that has the address.
const SHARED_ADDRESS_SITES: usize = 100;
const SHARED_ADDRESS_HOST: &str = "m001.lab";

static LOAD_TEST_NAMES: LazyLock<Vec<String>> = LazyLock::new(|| numbered('n', LOAD_TEST_SITES));
static STALLING_NAMES: LazyLock<Vec<String>> =
    LazyLock::new(|| numbered('s', STALLING_LOAD_TEST_SITES));

static LOAD_TEST_SITE_LIST: LazyLock<Vec<LabSite>> = LazyLock::new(|| {
    let names = LOAD_TEST_NAMES.iter();
    names.map(|name| LabSite { name, ..site_with_pages(machine_files::open) }).collect()
});

static STALLING_SITE_LIST: LazyLock<Vec<LabSite>> = LazyLock::new(|| {
    let names = STALLING_NAMES.iter();
    names.map(|name| LabSite { name, ..broken_http::stalling_site() }).collect()
});

static SHARED_ADDRESS_NAMES: LazyLock<Vec<String>> =
    LazyLock::new(|| numbered('m', SHARED_ADDRESS_SITES));

static SHARED_ADDRESS_SITE_LIST: LazyLock<Vec<LabSite>> = LazyLock::new(|| {
    const ALIAS: SiteDns = SiteDns {
        answers: &[("", DnsBehaviour::Alias(SHARED_ADDRESS_HOST))],
        texts: &[],
        signed: false,
    };
    let own = site_with_pages(machine_files::open);
    let with_dns = |name: &'static String| match name.as_str() {
        SHARED_ADDRESS_HOST => LabSite { name, ..own },
        _ => LabSite { name, dns: ALIAS, ..own },
    };
    SHARED_ADDRESS_NAMES.iter().map(with_dns).collect()
});

fn numbered(letter: char, count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("{letter}{number:03}.lab")).collect()
}

/// Many sites that all behave like `open.lab`, for throughput measurements. Not part of the
/// catalogue.
#[must_use]
pub fn load_test_sites() -> &'static [LabSite] {
    &LOAD_TEST_SITE_LIST
}

/// Many sites that accept every request and never answer, to measure what waiting for them costs
/// other scans. Not part of the catalogue.
#[must_use]
pub fn stalling_load_test_sites() -> &'static [LabSite] {
    &STALLING_SITE_LIST
}

/// Many names that all lead to the address of the first one, to see what an address gets of the
/// readings of all its names. Not part of the catalogue.
#[must_use]
pub fn shared_address_sites() -> &'static [LabSite] {
    &SHARED_ADDRESS_SITE_LIST
}

/// Hosts that a service reads but nobody scans. Not part of the catalogue.
pub(crate) fn infrastructure() -> &'static [LabSite] {
    &infrastructure::HOSTS
}

/// Sites that show a published proof of control where it must not count. Not part of the catalogue.
#[must_use]
pub fn control_proof_sites() -> &'static [LabSite] {
    control_proofs::SITES
}

/// Every site of the lab, by theme.
#[must_use]
pub fn catalogue() -> &'static [LabSite] {
    &CATALOGUE
}
