//! A site's record as the site itself could publish it: JSON-LD, llms.txt, an agent card and robots.txt.
//!
//! Every value comes from something that the site publishes, and the record names its source. What
//! contradicts itself or cannot be carried over safely is left out and listed. Nothing is invented: an agent
//! card for a site without one is a skeleton that lists what is missing.

mod agent_card;
mod facts;
mod file_draft;
mod json_ld;
mod llms_txt;
mod opening_hours;
mod robots_txt;
mod robots_writer;
mod safe_text;
mod site;
#[cfg(test)]
mod tests;
mod wishes;

use contract::Issuer;
use contract::evidence::Evidence;
use contract::records::{
    FormatNotMade, MachineRecord, MachineRecordFile, MachineRecordFormat, ScanRecord,
};

use self::facts::PublishedFacts;
use self::file_draft::FileDraft;
use self::site::{AGENT_CARD_PATH, SiteReading};
use crate::Bodies;

const READING: &str = "Each file contains only what the site published when we read it, and names the source of \
    each value. Check a file before you publish it: we cannot tell whether the site's statements are true, and we \
    read only the home page, a few further pages and the files for machines.";

/// Builds the record, unsigned. None for a record that was not stored, since it has no id.
#[must_use]
pub fn build_machine_record(
    record: &ScanRecord,
    evidence: &Evidence,
    bodies: &dyn Bodies,
    issuer: &Issuer,
) -> Option<MachineRecord> {
    let id = record.id.clone()?;
    let site = SiteReading { record, evidence, bodies };
    let facts = PublishedFacts::select(&site);
    let drafts = [
        (MachineRecordFormat::JsonLd, json_ld::build(&site, &facts)),
        (MachineRecordFormat::LlmsTxt, llms_txt::build(&site, &facts)),
        (MachineRecordFormat::AgentCard, agent_card::build(&site, &facts)),
        (MachineRecordFormat::RobotsTxt, robots_txt::build(&site)),
    ];
    let (mut files, mut not_made) = (Vec::new(), Vec::new());
    for (format, draft) in drafts {
        match draft.and_then(check_size) {
            Ok(draft) => files.push(to_file(format, draft, &id, issuer)),
            Err(why) => not_made.push(FormatNotMade { format, why }),
        }
    }
    Some(MachineRecord {
        kind: issuer.kind("machine-record"),
        v: 1,
        schema: issuer.schema_url("machine-record"),
        domain: record.domain.clone(),
        read_at: record.scanned_at,
        files,
        not_made,
        reading: READING.to_owned(),
        sha256: None,
        signature: None,
        id,
    })
}

/// The digests of the bodies that [`build_machine_record`] reads.
#[must_use]
pub fn needed_bodies(record: &ScanRecord, evidence: &Evidence) -> Vec<String> {
    let bodies = std::collections::BTreeMap::<String, Vec<u8>>::new();
    SiteReading { record, evidence, bodies: &bodies }.needed_bodies()
}

/// Where a file belongs, its media type, and the name under which it is downloaded.
#[must_use]
pub fn describe_format(
    format: &MachineRecordFormat,
) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match format {
        MachineRecordFormat::JsonLd => ("/", "application/ld+json; charset=utf-8", "record.jsonld"),
        MachineRecordFormat::LlmsTxt => ("/llms.txt", "text/plain; charset=utf-8", "llms.txt"),
        MachineRecordFormat::AgentCard => {
            (AGENT_CARD_PATH, "application/json; charset=utf-8", "agent-card.json")
        }
        MachineRecordFormat::RobotsTxt => {
            ("/robots.txt", "text/plain; charset=utf-8", "robots.txt")
        }
        MachineRecordFormat::Unrecognised(_) => return None,
    })
}

fn check_size(draft: FileDraft) -> Result<FileDraft, String> {
    let most = MachineRecord::MAX_FILE_BYTES;
    if draft.text.len() > most {
        return Err(format!("The file would have more than {most} bytes."));
    }
    Ok(draft)
}

fn to_file(
    format: MachineRecordFormat,
    draft: FileDraft,
    id: &str,
    issuer: &Issuer,
) -> MachineRecordFile {
    let (path, media_type, _) = describe_format(&format).unwrap_or_default();
    MachineRecordFile {
        path: path.to_owned(),
        media_type: media_type.to_owned(),
        download: issuer.url(&format!("/api/v1/machine-record?id={id}&format={format}")),
        untrusted_text: draft.text,
        sources: draft.sources,
        not_taken: draft.not_taken,
        missing: draft.missing.into_iter().map(str::to_owned).collect(),
        reading: draft.reading,
        format,
    }
}
