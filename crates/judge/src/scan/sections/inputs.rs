//! The input of all section rules.

use contract::records::{
    AgentView, CachingReading, Check, ContentReading, FactLineage, Nap, PageReading,
    PaywallReading, PolicyReading, TransportReading,
};

use crate::scan::parsed_evidence::ParsedEvidence;
use crate::scan::text_comparison::TextComparison;

/// Everything that was read in a scan, by topic.
pub(in crate::scan) struct SectionInputs<'a> {
    pub(in crate::scan) parsed: &'a ParsedEvidence<'a>,
    pub(in crate::scan) view: &'a AgentView,
    pub(in crate::scan) comparison: &'a TextComparison<'a>,
    pub(in crate::scan) policy: &'a PolicyReading,
    pub(in crate::scan) checks: &'a [Check],
    pub(in crate::scan) content: &'a ContentReading,
    pub(in crate::scan) pages: &'a [PageReading],
    pub(in crate::scan) paywall: Option<&'a PaywallReading>,
    pub(in crate::scan) lineage: Option<&'a FactLineage>,
    pub(in crate::scan) nap: Option<&'a Nap>,
    pub(in crate::scan) caching: &'a CachingReading,
    pub(in crate::scan) transport: &'a TransportReading,
}
