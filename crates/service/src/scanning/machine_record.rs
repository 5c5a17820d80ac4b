//! A site's record as the site itself could publish it, made from a stored report.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use contract::evidence::Evidence;
use contract::records::{MachineRecord, MachineRecordFormat, ScanRecord};
use proof::KeyPurpose;
use store::Digest;

use crate::report_error::ReportError;
use crate::scanning::Scanning;
use crate::scanning::report::{Report, parse_stored};
use crate::scanning::report_documents::{DocumentForm, ReportDocument, run_blocking};

/// One file of a machine record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineRecordDownload {
    pub text: String,
    pub media_type: &'static str,
    /// The name to save it under.
    pub file_name: &'static str,
}

impl Scanning {
    /// The signed machine record of a report.
    pub async fn machine_record(&self, report: Report) -> Result<ReportDocument, ReportError> {
        let key = self.document_key(&report, DocumentForm::MachineRecord)?;
        let making = self.make_machine_record(report);
        let made = self.documents.get_or_await(key, self.clock.now(), making).await?;
        made.ok_or_else(|| ReportError::Unreadable("the record has no id".to_owned()))
    }

    async fn make_machine_record(
        &self,
        report: Report,
    ) -> Result<Option<ReportDocument>, ReportError> {
        let (stored_record, stored_evidence) = (report.record.clone(), report.evidence.clone());
        let (record, evidence, needed) = run_blocking(move || {
            let record: ScanRecord = parse_stored(&stored_record)?;
            let evidence: Evidence = parse_stored(&stored_evidence)?;
            let needed = judge::machine_record::needed_bodies(&record, &evidence);
            Ok((record, evidence, needed))
        })
        .await?;
        let bodies = self.load_report_bodies(&report, &needed).await?;
        let (issuer, keys) = (self.issuer.clone(), Arc::clone(&self.keys));
        run_blocking(move || {
            let made =
                judge::machine_record::build_machine_record(&record, &evidence, &bodies, &issuer);
            let Some(made) = made else { return Ok(None) };
            let signed = keys.sign_document(&made, KeyPurpose::Documents)?;
            let bytes = Bytes::from(signed.bytes);
            let bytes_sha256 = proof::sha256(&bytes);
            Ok(Some(ReportDocument { bytes, bytes_sha256, content_sha256: signed.digest }))
        })
        .await
    }

    /// One file of the machine record of a report, or why it could not be made.
    pub async fn machine_record_file(
        &self,
        report: Report,
        format: MachineRecordFormat,
    ) -> Result<Result<MachineRecordDownload, String>, ReportError> {
        let document = self.machine_record(report).await?;
        run_blocking(move || {
            let record: MachineRecord = parse_stored(&document.bytes)?;
            Ok(pick_file(record, &format))
        })
        .await
    }

    /// The bodies of these digests, as far as they belong to the report and are still stored.
    async fn load_report_bodies(
        &self,
        report: &Report,
        digests: &[String],
    ) -> Result<BTreeMap<String, Bytes>, ReportError> {
        let mut bodies = BTreeMap::new();
        for sha256 in digests {
            let Ok(digest) = sha256.parse::<Digest>() else { continue };
            if !report.has_body(&digest) {
                continue;
            }
            if let Some(body) = self.store.artifact(digest).await? {
                bodies.insert(sha256.clone(), body);
            }
        }
        Ok(bodies)
    }
}

fn pick_file(
    record: MachineRecord,
    format: &MachineRecordFormat,
) -> Result<MachineRecordDownload, String> {
    let file = record.files.into_iter().find(|file| file.format == *format);
    let described = judge::machine_record::describe_format(format);
    if let Some((file, (_, media_type, file_name))) = file.zip(described) {
        return Ok(MachineRecordDownload { text: file.untrusted_text, media_type, file_name });
    }
    let reason = record.not_made.into_iter().find(|left| left.format == *format);
    Err(reason.map_or_else(|| "There is no such format.".to_owned(), |left| left.why))
}
