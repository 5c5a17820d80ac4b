//! What the sites of the lab publish about themselves.

use crate::{content::BusinessText, lab_state::LabState};

/// Contact details as a site publishes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusinessFacts {
    pub name: &'static str,
    pub city: &'static str,
    /// In international format.
    pub phone: &'static str,
    /// In one line.
    pub address: String,
    pub website: String,
    pub hours: &'static str,
}

/// The facts on the home page of a site. `None` if the lab has no such site.
pub(crate) fn facts_of(world: &LabState, domain: &str) -> Option<BusinessFacts> {
    let site = world.site_named(domain)?.site;
    let BusinessText { title, street, town, postcode, phone, hours, .. } = site.text;
    Some(BusinessFacts {
        name: title,
        city: town,
        phone: phone.1,
        address: format!("{street}, {town} {postcode}, GB"),
        website: format!("https://{}/", site.name),
        hours,
    })
}
