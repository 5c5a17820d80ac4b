//! TLS certificates.

use contract::evidence::{ExchangeOutcome, ReadTarget, TlsFacts};
use contract::records::RowCause;

use super::evidence_builder::{EvidenceBuilder, PAGE};
use super::ids;

#[test]
fn a_bad_certificate_is_a_finding_and_does_not_end_the_scan() {
    let mut site = EvidenceBuilder::new().browser_and_control();
    if let ExchangeOutcome::Response(response) = &mut site.evidence.reads[0].exchange.outcome {
        response.tls = Some(TlsFacts {
            version: "TLS1.3".into(),
            cipher: "TLS13_AES_128_GCM_SHA256".into(),
            alpn: None,
            certificate: None,
            chain_length: 1,
            trusted: false,
            errors: vec!["expired".into(), "wrong_name".into()],
        });
    }
    let record = site.build_record();
    assert!(record.findings[0].seen.contains("expired, wrong_name"));
    assert_eq!(record.agentview.rows[0].cause, RowCause::Served);
}

#[test]
fn the_certificate_of_another_host_is_ignored() {
    let mut site = an_open_site_with_certificates();
    let sitemap = "https://cdn.ferry.lab/sitemap.xml";
    site = site.add_response(ReadTarget::Sitemap, sitemap, "wayleave", 200, "<urlset/>");
    set_tls(&mut site, ReadTarget::Sitemap, false);
    let record = site.build_record();
    assert_eq!(record.transport.tls.as_ref().map(|tls| tls.trusted), Some(true));
    assert!(!ids(&record).contains(&"bad_certificate"));
    set_tls(&mut site, ReadTarget::Home, false);
    assert!(ids(&site.build_record()).contains(&"bad_certificate"));
}

fn an_open_site_with_certificates() -> EvidenceBuilder {
    let mut site = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
    set_tls(&mut site, ReadTarget::Home, true);
    site
}

fn set_tls(site: &mut EvidenceBuilder, target: ReadTarget, trusted: bool) {
    for reading in site.evidence.reads.iter_mut().filter(|reading| reading.target == target) {
        let ExchangeOutcome::Response(response) = &mut reading.exchange.outcome else { continue };
        response.tls = Some(TlsFacts {
            version: "TLS1.3".into(),
            cipher: "x".into(),
            alpn: None,
            certificate: None,
            chain_length: 1,
            trusted,
            errors: if trusted { vec![] } else { vec!["expired".into()] },
        });
    }
}
