//! The certificates that a visit has checked. A scan opens a connection for every identity, and the
//! host shows each of them the same chain: its signatures are verified once a second, not each time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::Timestamp;
use contract::evidence::Certificate;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use crate::mutex::lock;

/// The checks of one visit, the newest last. Any connection may add one; the mutex guards the list
/// and is held for comparisons only.
#[derive(Debug, Default)]
pub(crate) struct CheckedCertificates(Mutex<Vec<CheckedChain>>);

/// A chain and the host that presented it.
#[derive(Debug)]
struct CheckedChain {
    host: ServerName<'static>,
    chain: Vec<CertificateDer<'static>>,
    check: Arc<CertificateCheck>,
}

/// What a chain shows, apart from the validity period of its first certificate.
#[derive(Debug)]
pub(super) struct CertificateCheck {
    pub(super) certificate: Certificate,
    /// In whole seconds: within the same second another check would find the same.
    pub(super) checked_at: UnixTime,
    pub(super) errors: Vec<&'static str>,
}

impl CheckedCertificates {
    /// Hosts of one visit whose checks are stored: its own, and those of its redirects.
    const MOST: usize = 8;

    /// What a check now would find, if the same chain was checked within the same second.
    pub(super) fn find(
        &self,
        chain: &[CertificateDer<'static>],
        host: &ServerName<'static>,
        now: Timestamp,
    ) -> Option<Arc<CertificateCheck>> {
        let stored = lock(&self.0);
        let found = stored.iter().rev().find(|stored| {
            stored.check.checked_at == checking_time(&stored.check.certificate, now)
                && stored.host == *host
                && stored.chain == chain
        })?;
        Some(Arc::clone(&found.check))
    }

    pub(super) fn store(
        &self,
        chain: &[CertificateDer<'static>],
        host: &ServerName<'static>,
        check: &Arc<CertificateCheck>,
    ) {
        let mut stored = lock(&self.0);
        stored.retain(|stored| stored.host != *host);
        if stored.len() >= Self::MOST {
            stored.remove(0);
        }
        let (host, chain) = (host.clone(), chain.to_vec());
        stored.push(CheckedChain { host, chain, check: Arc::clone(check) });
    }
}

/// The time at which a chain is checked: now, or the nearest time at which its first certificate is
/// valid, so that an expired certificate does not hide other faults.
pub(super) fn checking_time(certificate: &Certificate, now: Timestamp) -> UnixTime {
    let then = now.min(certificate.not_after).max(certificate.not_before);
    let seconds = u64::try_from(then.as_millis().div_euclid(1000)).unwrap_or(0);
    UnixTime::since_unix_epoch(Duration::from_secs(seconds))
}
