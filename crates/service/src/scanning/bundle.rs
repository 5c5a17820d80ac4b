//! Everything behind a report in one ZIP file, for people who check it without this service.
//!
//! | file | what it is |
//! |---|---|
//! | `record.json` | the signed record |
//! | `evidence.json` | what was received, as at `/r/{id}.raw.json` |
//! | `manifest.json` | the signed digests of both and of the bodies; older records have none |
//! | `bodies/{sha256}` | the bodies of the responses, as far as they are still stored |
//! | `keys.json`, `key-rotation.json` | the public keys |
//! | `seal.json` | the daily seal: the proof that the record existed, or that its day is not sealed yet |
//! | `README.txt` | what to do with it |

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use bytes::Bytes;
use contract::Brand;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::log::daily_seals::SealQuery;
use crate::report_error::ReportError;
use crate::scanning::Scanning;
use crate::scanning::replay::ReplayFiles;
use crate::scanning::report::Report;

const RECORD: &str = "record.json";
const EVIDENCE: &str = "evidence.json";
const BODIES: &str = "bodies/";
/// A bundle that is read may have this many files and bytes. A scan reads fewer than 200 documents, and
/// receives at most 24 MB as sent.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: u64 = 512 << 20;

/// What to do with the bundle.
fn readme(brand: &Brand) -> String {
    let named = match brand.as_str() {
        Brand::DEFAULT => String::new(),
        other => format!(" --brand {other}"),
    };
    format!(
        "\
This is everything behind one report, to check it without the service that made it.

  wayleave verify record.json --keys keys.json --rotation key-rotation.json{named}
      is the record what the service signed?
  wayleave replay FILE.zip
      does this evidence give this record?

record.json states the SHA-256 of evidence.json (evidence_sha256), and evidence.json that of every file in
bodies/. seal.json proves on which day the record existed, once that day is sealed.
To know that keys.json is the key directory of the service, get it from the service yourself.
"
    )
}

#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("this is not a bundle of a report: {0}")]
    NotABundle(String),
    #[error("the bundle has more than {MAX_FILES} files or {} MB", MAX_BYTES >> 20)]
    TooLarge,
}

impl Scanning {
    /// The bundle of a report.
    pub async fn report_bundle(&self, report: Report) -> Result<Vec<u8>, ReportError> {
        let manifest = self.report_manifest(report.clone()).await?;
        // Everything else can be checked without the seal.
        let seal = self.seals.look_up(&SealQuery::Id(report.id().to_owned())).await.ok();
        let seal = seal.map(|seal| Bytes::from(seal.document.bytes));
        let mut files = vec![
            ("README.txt".to_owned(), Bytes::from(readme(&self.issuer.brand))),
            (RECORD.to_owned(), report.record.clone()),
            (EVIDENCE.to_owned(), report.evidence.clone()),
            ("keys.json".to_owned(), self.keys.directory().content),
            ("key-rotation.json".to_owned(), self.keys.rotation_record()),
        ];
        files.extend(manifest.map(|manifest| ("manifest.json".to_owned(), manifest)));
        files.extend(seal.map(|seal| ("seal.json".to_owned(), seal)));
        for digest in report.bodies() {
            if let Some(body) = self.store.artifact(*digest).await? {
                files.push((format!("{BODIES}{digest}"), body));
            }
        }
        let writing = tokio::task::spawn_blocking(move || write_zip(&files));
        let written = writing.await.map_err(|error| ReportError::Unreadable(error.to_string()))?;
        written.map_err(|error| ReportError::Unreadable(error.to_string()))
    }
}

fn write_zip(files: &[(String, Bytes)]) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in files {
        zip.start_file(name.as_str(), options)?;
        zip.write_all(content)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// The files of a bundle that a replay needs. The bundle may come from anyone: sizes are bounded, names
/// must be those of a bundle, and what is in the files is checked by the replay.
pub fn read_bundle(bytes: &[u8]) -> Result<ReplayFiles, BundleError> {
    let bad = |error: &dyn std::fmt::Display| BundleError::NotABundle(error.to_string());
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| bad(&error))?;
    if archive.len() > MAX_FILES {
        return Err(BundleError::TooLarge);
    }
    // Programs differ in which of two entries with one name they read.
    if archive.has_duplicate_names() {
        return Err(BundleError::NotABundle("two of its files have the same name".to_owned()));
    }
    let (mut files, mut left) = (BTreeMap::new(), MAX_BYTES);
    for number in 0..archive.len() {
        let file = archive.by_index(number).map_err(|error| bad(&error))?;
        let name = file.name().map_err(|error| bad(&error))?.into_owned();
        let wanted = name == RECORD || name == EVIDENCE || name.starts_with(BODIES);
        if !wanted || file.is_dir() {
            continue;
        }
        if name.strip_prefix(BODIES).is_some_and(|digest| !is_digest(digest)) {
            let why = format!("a file in {BODIES} is not named by a SHA-256 in lower-case hex");
            return Err(BundleError::NotABundle(why));
        }
        // The stated size may be wrong: count what is read.
        let mut content = Vec::new();
        let read = file.take(left + 1).read_to_end(&mut content).map_err(|error| bad(&error))?;
        left = left.checked_sub(read as u64).ok_or(BundleError::TooLarge)?;
        files.insert(name, Bytes::from(content));
    }
    let mut take = |name: &'static str| {
        files.remove(name).ok_or_else(|| BundleError::NotABundle(format!("it has no {name}")))
    };
    let (record, evidence) = (take(RECORD)?, take(EVIDENCE)?);
    let bodies = files.into_iter().filter_map(|(name, body)| {
        name.strip_prefix(BODIES).map(|digest| (digest.to_owned(), body))
    });
    Ok(ReplayFiles { record, evidence, bodies: bodies.collect() })
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, content: &'static [u8]) -> (String, Bytes) {
        (name.to_owned(), Bytes::from_static(content))
    }

    #[test]
    fn what_was_written_is_read() {
        let bundle = write_zip(&[
            file("README.txt", b"x"),
            file(RECORD, b"r"),
            file(EVIDENCE, b"e"),
            file(&format!("bodies/{}", "ab".repeat(32)), b"body"),
        ]);
        let files = read_bundle(&bundle.unwrap()).unwrap();
        assert_eq!((&*files.record, &*files.evidence), (&b"r"[..], &b"e"[..]));
        let body = ("ab".repeat(32), Bytes::from_static(b"body"));
        assert_eq!(files.bodies, BTreeMap::from([body]));
    }

    #[test]
    fn two_files_of_one_name_and_bodies_without_a_digest_are_refused() {
        let read = |more: (String, Bytes)| {
            let files = [file(RECORD, b"r"), file(EVIDENCE, b"e"), more];
            let mut bytes = write_zip(&files).unwrap();
            // The writer refuses a second file of one name, so it gets the name afterwards.
            while let Some(at) = bytes.windows(11).position(|window| window == b"record.JSON") {
                bytes[at..at + 11].copy_from_slice(RECORD.as_bytes());
            }
            read_bundle(&bytes)
        };
        let refused = |more| read(more).unwrap_err().to_string();
        let twice = refused(file("record.JSON", b"other"));
        assert!(twice.contains("the same name"), "{twice}");
        for digest in ["ab", "../../x", &"AB".repeat(32), &"zz".repeat(32)] {
            let why = refused(file(&format!("bodies/{digest}"), b""));
            assert!(why.contains("not named by a SHA-256"), "{digest}: {why}");
        }
        assert!(read(file("other/ab", b"")).is_ok());
    }

    #[test]
    fn the_command_names_a_brand_that_is_not_the_default() {
        let command = "wayleave verify record.json --keys keys.json --rotation key-rotation.json";
        assert!(readme(&Brand::default()).contains(&format!("{command}\n")));
        let other = Brand::new("crawlcheck").unwrap();
        assert!(readme(&other).contains(&format!("{command} --brand crawlcheck\n")));
    }

    #[test]
    fn other_files_are_refused() {
        for (bytes, why) in [
            (b"not a zip".to_vec(), "not a bundle"),
            (Vec::new(), "not a bundle"),
            (write_zip(&[file(RECORD, b"r")]).unwrap(), "no evidence.json"),
        ] {
            let error = read_bundle(&bytes).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let many: Vec<_> = (0..=MAX_FILES).map(|n| file(&format!("bodies/{n}"), b"")).collect();
        assert!(matches!(read_bundle(&write_zip(&many).unwrap()), Err(BundleError::TooLarge)));
    }
}
