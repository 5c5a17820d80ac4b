//! The `dns` and `tls` sections.

use contract::evidence::{DnsReading, Evidence, ReadTarget};
use contract::records::{Dns, DnsSection, Section, Tls, TlsSection};

use super::delivery::host_of;
use super::judged_reading::{JudgedReading, failure};

const DNS_NOTE: &str = "The answer of our resolver. dnssec_validated is the resolver's statement: we do not validate DNSSEC \
signatures ourselves.";

pub(super) fn dns(judged: &JudgedReading<'_>) -> DnsSection {
    dns_section_of_host(judged.evidence)
}

/// The DNS section for the host that was read.
pub fn dns_section_of_host(evidence: &Evidence) -> DnsSection {
    let is_host = |reading: &&DnsReading| reading.name.trim_end_matches('.') == evidence.host;
    match evidence.dns.iter().find(is_host) {
        Some(reading) => dns_section(reading),
        None => Section::NotMeasured {
            observed_at: None,
            why: "The domain name was not looked up.".to_owned(),
        },
    }
}

/// The DNS section from one look-up.
#[must_use]
pub fn dns_section(reading: &DnsReading) -> DnsSection {
    let at = reading.asked_at.whole_seconds();
    let addresses =
        || reading.answers.iter().filter(|a| matches!(a.record_type.as_str(), "A" | "AAAA"));
    let answered = || addresses().filter(|answer| answer.rcode.is_some());
    let Some(rcode) = answered().find_map(|answer| answer.rcode.clone()) else {
        let failed = addresses().find_map(|answer| answer.failure.as_ref());
        let why = failed.map_or("The resolver gave no answer.", |failure| &failure.detail);
        return Section::NotMeasured { observed_at: Some(at), why: why.to_owned() };
    };
    let records = |kind: &str| -> Vec<String> {
        let of_kind = addresses().filter(|answer| answer.record_type == kind);
        of_kind.flat_map(|answer| answer.records.clone()).collect()
    };
    let mut cname: Vec<String> = addresses().flat_map(|answer| answer.cnames.clone()).collect();
    cname.dedup();
    let body = Dns {
        resolver: reading.resolver.clone(),
        exists: match rcode.as_str() {
            "NOERROR" => Some(true),
            "NXDOMAIN" => Some(false),
            // A server failure shows nothing about the name.
            _ => None,
        },
        a: records("A"),
        aaaa: records("AAAA"),
        cname,
        rcode: Some(rcode),
        dnssec_validated: Some(answered().all(|answer| answer.authenticated_data)),
        note: DNS_NOTE.to_owned(),
    };
    Section::Observed { observed_at: at, body }
}

pub(super) fn tls(judged: &JudgedReading<'_>) -> TlsSection {
    let Some(home) = judged.home() else {
        let tried = judged.reads(ReadTarget::Home).next();
        let robots = judged.reads(ReadTarget::Robots).next();
        let why = tried
            .or(robots)
            .and_then(|reading| failure(&reading.exchange))
            .map_or_else(|| judged.why_not(ReadTarget::Home), |failure| failure.detail.clone());
        let observed_at = tried.or(robots).map(|reading| judged.time_of(Some(reading)));
        return Section::NotMeasured { observed_at, why };
    };
    let transport = &judged.record.transport;
    let response = home.exchange.response();
    let https = response.is_some_and(|response| response.url.starts_with("https://"));
    let certificate = transport.tls.as_ref().map(|tls| {
        let issuer = tls.issuer.as_deref().unwrap_or("an unnamed issuer");
        let end = tls.not_after.map_or_else(String::new, |end| format!(", valid until {end}"));
        match tls.errors.as_slice() {
            [] => format!("{}, certificate from {issuer}{end}; valid for this name.", tls.version),
            wrong => {
                format!(
                    "{}, certificate from {issuer}{end}; not valid: {}.",
                    tls.version,
                    wrong.join(", ")
                )
            }
        }
    });
    let body = Tls {
        https,
        url: home.exchange.url.clone(),
        final_host: response.and_then(|response| host_of(&response.url)),
        http_status: response.map(|response| response.status),
        hsts: transport.hsts.clone(),
        certificate,
        certificate_holds: transport.tls.as_ref().map(|tls| tls.trusted),
        redirects_to_http: home.exchange.url.starts_with("https://") && !https && response.is_some(),
        note: "How the home page was delivered to the browser identity, or to the first identity that got a response."
            .to_owned(),
    };
    Section::Observed { observed_at: judged.time_of(Some(home)), body }
}
