//! Hosts that belong to the internet that a service needs, but that nobody scans: they promise no
//! record.

use std::sync::LazyLock;

use super::base::{plain_site, site_with_pages};
use crate::{
    feeds::FEEDS_HOST,
    signing_bot::signing_hosts,
    site::{LabSite, PortBehaviour},
};

pub(super) static HOSTS: LazyLock<Vec<LabSite>> = LazyLock::new(|| {
    let feeds = LabSite {
        name: FEEDS_HOST,
        behaviour: "feeds",
        does: "Serves the address lists of the operators of agents, good ones and faulty ones.",
        says: "Not scanned.",
        https: PortBehaviour::Feeds,
        ..site_with_pages(plain_site)
    };
    let key_directory = |name: &'static str| LabSite {
        name,
        behaviour: "key_directory",
        does: "Serves the directory of the keys with which an agent signs its requests.",
        says: "Not scanned.",
        https: PortBehaviour::KeyDirectory,
        ..site_with_pages(plain_site)
    };
    let directories = signing_hosts().iter().map(|(name, _)| key_directory(name));
    std::iter::once(feeds).chain(directories).collect()
});
