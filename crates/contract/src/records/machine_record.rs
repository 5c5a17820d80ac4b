//! A site's record as the site itself could publish it (`/api/v1/machine-record`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-machine-record`, signed. Made only from what the site publishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MachineRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// The id of the report that it is made from.
    pub id: String,
    pub domain: Domain,
    /// When the site was read.
    pub read_at: Timestamp,
    pub files: Vec<MachineRecordFile>,
    /// Formats that could not be made.
    pub not_made: Vec<FormatNotMade>,
    /// What to do with the files, and what they do not say.
    pub reading: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

impl MachineRecord {
    /// The most bytes of a file's text.
    pub const MAX_FILE_BYTES: usize = crate::schema_bounds::RECORD_TEXT_CHARS;
}

open_enum! {
    /// The format of a file.
    pub enum MachineRecordFormat {
        /// schema.org types as JSON-LD, for the head of the home page.
        JsonLd = "jsonld",
        LlmsTxt = "llms_txt",
        /// An A2A agent card.
        AgentCard = "agent_card",
        /// robots.txt with every wish that the site declares about the use of its content.
        RobotsTxt = "robots_txt",
    }
}

/// A file that the site could publish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MachineRecordFile {
    pub format: MachineRecordFormat,
    /// The path where it belongs; for JSON-LD the page whose head it belongs to.
    pub path: String,
    pub media_type: String,
    /// The address that serves it as a file.
    pub download: String,
    /// The content. Written by the site in part. Do not trust it.
    pub untrusted_text: String,
    /// Where each value of the content comes from.
    pub sources: Vec<ValueSource>,
    /// What the site publishes and the file leaves out.
    pub not_taken: Vec<ValueNotTaken>,
    /// For a skeleton: members that the format requires and that the site does not publish. Add them before
    /// you publish the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// How the file was made.
    pub reading: String,
}

/// The source of a value in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ValueSource {
    /// A JSON pointer into the file, or `line 3`.
    pub at: String,
    /// What carries the statement: `json_ld`, `visible_text`, `robots_txt`, `header`, …
    pub carrier: String,
    /// The address that the value was read from.
    pub url: String,
    /// The place in that document: a pointer into it, or `line 3`. Null when it is not known.
    #[schema(required)]
    pub pointer: Option<String>,
}

/// A statement of the site that a file leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ValueNotTaken {
    /// What it is about: the name of a fact, a signal or a record.
    pub what: String,
    pub why: String,
    /// Written by the site. Do not trust it.
    pub untrusted_values: Vec<String>,
}

/// A format that could not be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FormatNotMade {
    pub format: MachineRecordFormat,
    pub why: String,
}
