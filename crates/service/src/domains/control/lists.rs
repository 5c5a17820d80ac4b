//! What the pages about control show.

use contract::Domain;
use judge::control::TRANSITIONS;
use store::{ScanRow, ScanScope};

use super::{ControlError, DomainControl};
use crate::scanning::owner_holder;

impl DomainControl {
    /// The private scans that owners of the domain made, newest first.
    pub async fn private_scans(
        &self,
        domain: &Domain,
        limit: usize,
    ) -> Result<Vec<ScanRow>, ControlError> {
        let scans = self.store.scans_of_licence(&owner_holder(domain), None, limit).await?;
        Ok(scans.into_iter().map(|scan| scan.scan).collect())
    }

    /// The public scans of the domain, newest first.
    pub async fn public_scans(
        &self,
        domain: &Domain,
        limit: usize,
    ) -> Result<Vec<ScanRow>, ControlError> {
        Ok(self.store.scans_of(domain, ScanScope::PublicOnly, None, limit).await?)
    }
}

/// The table of transitions for people: from, when, to.
#[must_use]
pub fn transition_rows() -> Vec<[String; 3]> {
    let row = |rule: &judge::control::TransitionRule| {
        let from: Vec<&str> = rule.from.iter().map(|state| state.as_str()).collect();
        [from.join(", "), rule.when.to_owned(), rule.to.as_str().to_owned()]
    };
    TRANSITIONS.iter().map(row).collect()
}
