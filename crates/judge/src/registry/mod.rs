//! What registries say about a domain: what changed between two readings, the section of the record, and the
//! domain's timeline.

mod changes;
mod section;
mod timeline;

pub use changes::{FieldChange, compare_registrations};
pub use section::{RegistryFacts, registry_section};
pub use timeline::{RegistryChange, TimelineSources, build_timeline};
