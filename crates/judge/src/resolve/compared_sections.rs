//! The sections that have comparable fields, of a reading or of an answer, without copying either.

use contract::records::{
    CapabilitiesSection, CrawlPolicySection, DeliverySection, DnsSection, EntitySection,
    ImpersonationSection, MachineFilesSection, ReadEquivalence, ResolveAnswer, Rights, Subject,
    TlsSection,
};

use super::sections::Sections;

/// If they are equal, so are all comparable fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedSections<'a> {
    pub(super) subject: &'a Subject,
    pub(super) crawl_policy: &'a CrawlPolicySection,
    pub(super) delivery: &'a DeliverySection,
    pub(super) machine_files: &'a MachineFilesSection,
    pub(super) capabilities: &'a CapabilitiesSection,
    pub(super) entity: &'a EntitySection,
    pub(super) impersonation: &'a ImpersonationSection,
    pub(super) dns: &'a DnsSection,
    pub(super) tls: &'a TlsSection,
    pub(super) read_equivalence: &'a ReadEquivalence,
    pub(super) rights: &'a Rights,
}

macro_rules! from_members_of {
    ($($source:ty),+) => {
        $(impl<'a> From<&'a $source> for ComparedSections<'a> {
            fn from(source: &'a $source) -> Self {
                Self {
                    subject: &source.subject,
                    crawl_policy: &source.crawl_policy,
                    delivery: &source.delivery,
                    machine_files: &source.machine_files,
                    capabilities: &source.capabilities,
                    entity: &source.entity,
                    impersonation: &source.impersonation,
                    dns: &source.dns,
                    tls: &source.tls,
                    read_equivalence: &source.read_equivalence,
                    rights: &source.rights,
                }
            }
        })+
    };
}

from_members_of!(Sections, ResolveAnswer);
