//! What is published on the sites of one lab.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use contract::Brand;

use super::proof::{
    LabProof, MAX_NAME_BYTES, MAX_PROOFS, MAX_VALUE_BYTES, ProofKind, PublishError,
};
use super::published::PublishedProof;
use crate::site::{LabSite, PortBehaviour};

/// What is published, by the name of the site. People and tests change it while the lab runs; the
/// mutex guards it and is never held across an await.
#[derive(Debug, Default)]
pub(crate) struct PublishedProofs {
    state: Mutex<ProofState>,
    /// Whether anything was ever published. Spares the lock for labs without proofs.
    is_used: AtomicBool,
}

#[derive(Debug, Default)]
struct ProofState {
    brand: Brand,
    by_site: HashMap<&'static str, Vec<PublishedProof>>,
}

impl PublishedProofs {
    /// Sets the brand whose names are used for proofs without a name of their own.
    pub(crate) fn set_brand(&self, brand: Brand) {
        self.state().brand = brand;
    }

    /// Publishes a proof for a domain, which is this site's name or one below it. Returns it with its
    /// full name.
    pub(crate) fn publish(
        &self,
        site: &'static LabSite,
        domain: &str,
        proof: LabProof,
    ) -> Result<PublishedProof, PublishError> {
        let is_good = |text: &String| {
            (1..=MAX_VALUE_BYTES).contains(&text.len()) && !text.contains(char::is_control)
        };
        if !proof.strings.iter().all(is_good) || proof.strings.is_empty() {
            return Err(PublishError::BadValue);
        }
        let is_site = domain == site.name || domain.strip_prefix("www.") == Some(site.name);
        if proof.kind != ProofKind::Txt && !(is_site && serves_pages(site)) {
            return Err(PublishError::UnknownSite(domain.to_owned()));
        }
        let mut state = self.state();
        let name = match proof.name {
            Some(name) => name,
            None => default_name(&state.brand, proof.kind, domain),
        };
        let published = PublishedProof {
            kind: proof.kind,
            name: checked_name(proof.kind, &name, site)?,
            strings: proof.strings,
            signed: site.dns.signed,
        };
        let proofs = state.by_site.entry(site.name).or_default();
        if proofs.contains(&published) {
            return Ok(published);
        }
        if proofs.len() >= MAX_PROOFS {
            return Err(PublishError::TooMany);
        }
        proofs.push(published.clone());
        self.is_used.store(true, Ordering::SeqCst);
        Ok(published)
    }

    /// Removes what is published for a site: all, of one kind, or of one value. Returns how many.
    pub(crate) fn unpublish(
        &self,
        site: &LabSite,
        kind: Option<ProofKind>,
        value: Option<&str>,
    ) -> usize {
        let mut state = self.state();
        let Some(proofs) = state.by_site.get_mut(site.name) else { return 0 };
        let before = proofs.len();
        proofs.retain(|proof| {
            let is_meant = kind.is_none_or(|kind| proof.kind == kind)
                && value.is_none_or(|value| proof.value() == value);
            !is_meant
        });
        before - proofs.len()
    }

    /// What is published for a site.
    pub(crate) fn of_site(&self, site: &str) -> Vec<PublishedProof> {
        if !self.is_used.load(Ordering::SeqCst) {
            return Vec::new();
        }
        self.state().by_site.get(site).cloned().unwrap_or_default()
    }

    /// The TXT records at a name (lower case, without the final dot).
    pub(crate) fn txt_records_at(&self, name: &str) -> Vec<Vec<String>> {
        self.find_txt(|proof| proof.name == name, |proof| proof.strings.clone())
    }

    /// The TXT records of the closest wildcard above a name that does not exist.
    pub(crate) fn wildcard_txt_records(&self, name: &str) -> Vec<Vec<String>> {
        let mut rest = name;
        while let Some((_, parent)) = rest.split_once('.') {
            let found = self.txt_records_at(&format!("*.{parent}"));
            if !found.is_empty() {
                return found;
            }
            rest = parent;
        }
        Vec::new()
    }

    /// Whether a record is published below this name.
    pub(crate) fn has_txt_below(&self, name: &str) -> bool {
        let is_below = |proof: &PublishedProof| {
            proof.name.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))
        };
        !self.find_txt(is_below, |_| ()).is_empty()
    }

    /// Whether the zone of a published record is signed.
    pub(crate) fn is_signed(&self, name: &str) -> bool {
        self.find_txt(|proof| proof.name == name, |proof| proof.signed).contains(&true)
    }

    fn find_txt<T>(
        &self,
        is_wanted: impl Fn(&PublishedProof) -> bool,
        of: impl Fn(&PublishedProof) -> T,
    ) -> Vec<T> {
        if !self.is_used.load(Ordering::SeqCst) {
            return Vec::new();
        }
        let state = self.state();
        let all = state.by_site.values().flatten();
        all.filter(|proof| proof.kind == ProofKind::Txt && is_wanted(proof)).map(of).collect()
    }

    fn state(&self) -> MutexGuard<'_, ProofState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serves_pages(site: &LabSite) -> bool {
    matches!(
        site.https,
        PortBehaviour::Pages(_) | PortBehaviour::Case(_) | PortBehaviour::Proofs(_)
    )
}

fn default_name(brand: &Brand, kind: ProofKind, domain: &str) -> String {
    match kind {
        ProofKind::Meta => brand.verification_name(),
        ProofKind::Txt => format!("{}.{domain}", brand.challenge_label()),
        ProofKind::File => brand.challenge_path(),
    }
}

fn checked_name(kind: ProofKind, name: &str, site: &LabSite) -> Result<String, PublishError> {
    let is_plain = (1..=MAX_NAME_BYTES).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.*/:".contains(&byte));
    let name = match kind {
        ProofKind::Txt => name.trim_end_matches('.').to_ascii_lowercase(),
        ProofKind::Meta | ProofKind::File => name.to_owned(),
    };
    let fits = match kind {
        ProofKind::Meta => true,
        ProofKind::Txt => {
            name.strip_suffix(site.name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }
        ProofKind::File => name.starts_with('/') && name.len() > 1,
    };
    if is_plain && fits { Ok(name) } else { Err(PublishError::BadName) }
}
