use std::collections::BTreeMap;
use std::path::Path;

use proof::tlog::{SignatureType, TileFile, VerifierKey, decode_entry_bundle, decode_tile_hashes};

use super::*;
use crate::testing;

type Files = BTreeMap<String, Bytes>;

async fn export_into(dir: &Path, files: &mut Files) -> Result<(ExportSummary, usize), ExportError> {
    let store = testing::open_store(dir);
    let ask = ExportRequest {
        store: &store,
        keys: testing::open_keys(dir),
        clock: testing::clock(),
        brand: Brand::default(),
        base_url: testing::BASE_URL.to_owned(),
        origin: "svc.example/svc-resolve-log-v1".to_owned(),
    };
    let mut written = 0;
    let mut put = |file: ExportFile| {
        if file.action(files.get(&file.path).map(|bytes| &bytes[..]))? == FileAction::Write {
            files.insert(file.path, file.bytes);
            written += 1;
        }
        Ok(())
    };
    let done = export_log(ask, &mut put).await?;
    Ok((done, written))
}

/// Audits a folder with nothing but its files.
fn audit_files(files: &Files) -> LogAudit {
    let brand = Brand::default();
    let value = |name: &str| serde_json::from_slice::<serde_json::Value>(&files[name]).unwrap();
    let policy =
        KeyPolicy::from_directory(&value("keys.json"), Some(&value("rotation.json")), &brand);
    let mut audit = LogAudit::new(policy.unwrap(), brand.clone());
    let checkpoint = Note::parse(&files["checkpoint"]).unwrap();
    let size = Checkpoint::parse(checkpoint.text()).unwrap().size();
    let (mut leaves, mut entries) = (Vec::new(), Vec::new());
    for file in proof::tlog::tile_files(size) {
        let bytes = files.get(&file.to_string()).unwrap_or_else(|| panic!("{file}"));
        match file.kind {
            TileKind::Hashes { level: 0 } => leaves.extend(decode_tile_hashes(bytes).unwrap()),
            TileKind::Hashes { .. } => assert_eq!(bytes.len(), usize::from(file.width) * 32),
            TileKind::Entries => {
                let bundle = decode_entry_bundle(bytes, file.width).unwrap();
                entries.extend(bundle.into_iter().map(<[u8]>::to_vec));
            }
        }
    }
    let heads = files.iter().filter(|(path, _)| path.starts_with("sths/"));
    for line in heads.flat_map(|(_, bytes)| bytes.split(|b| *b == b'\n')).filter(|l| !l.is_empty())
    {
        let head: serde_json::Value = serde_json::from_slice(line).unwrap();
        let (from, to) = (&head["first_index"], &head["tree_size"]);
        let range = from.as_u64().unwrap() as usize..to.as_u64().unwrap() as usize;
        audit.check_batch(line, &leaves[range.clone()], Some(&entries[range])).unwrap();
    }
    let jwk = value("keys.json")["keys"].as_array().unwrap().clone();
    let heads = jwk.iter().find(|jwk| jwk["svc_purpose"] == "log heads").unwrap();
    let key = proof::PublicKey::from_jwk(heads).unwrap();
    let origin = "svc.example/svc-resolve-log-v1";
    let key = VerifierKey::new(origin, SignatureType::Ed25519, key).unwrap();
    audit.check_checkpoint(&files["checkpoint"], origin, &[key]).unwrap();
    let record =
        proof::verify_document(&files["log.json"], &KeyPolicy::without_directory(), &brand);
    assert!(
        record.checks.iter().all(|check| check.ok != proof::verify::CheckOutcome::Failed),
        "{record:?}"
    );
    audit
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_whole_grows_and_is_never_rewritten() {
    let dir = tempfile::tempdir().unwrap();
    testing::fill_log(dir.path(), 600).await;
    let mut files = Files::new();
    let (done, written) = export_into(dir.path(), &mut files).await.unwrap();
    assert_eq!((done.tree_size, done.files as usize), (602, written));
    assert_eq!(audit_files(&files).right_edge().size(), 602);
    assert!(files.contains_key("tile/0/001") && files.contains_key("tile/entries/002.p/90"));
    // Again: nothing is written.
    let (_, written) = export_into(dir.path(), &mut files).await.unwrap();
    assert_eq!(written, 0);
    // Grown: only what is new.
    let before = files.clone();
    let service = testing::start_service(dir.path(), Vec::new()).await;
    testing::seal_answers(&service, 600..800).await;
    testing::stop_service(service).await;
    let (done, _) = export_into(dir.path(), &mut files).await.unwrap();
    assert_eq!(done.tree_size, 802);
    assert_eq!(audit_files(&files).right_edge().size(), 802);
    for (path, bytes) in before.iter().filter(|(path, _)| path.starts_with("tile/")) {
        assert_eq!(files.get(path), Some(bytes), "{path}");
    }
    // Whatever is changed in the folder is named, and left.
    for (path, bytes) in files.clone() {
        let rewritten = ["log.json", "keys.json", "rotation.json"].contains(&path.as_str());
        let mut other = bytes.to_vec();
        other[5] ^= 1;
        let mut changed = files.clone();
        changed.insert(path.clone(), Bytes::from(other));
        let again = export_into(dir.path(), &mut changed).await;
        if rewritten {
            assert!(again.is_ok(), "{path}");
        } else if let Ok(file) = path.parse::<TileFile>() {
            // Partial tiles of earlier exports are not part of the log any more.
            let current = proof::tlog::tile_files(802).any(|now| now == file);
            assert_eq!(again.is_err(), current, "{path}");
        } else if path != "checkpoint" {
            let error = again.unwrap_err().to_string();
            assert!(error.contains(&path), "{path}: {error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shorter_log_does_not_go_over_a_longer_copy() {
    let dir = tempfile::tempdir().unwrap();
    testing::fill_log(dir.path(), 40).await;
    let mut long = Files::new();
    export_into(dir.path(), &mut long).await.unwrap();
    let other = tempfile::tempdir().unwrap();
    testing::fill_log(other.path(), 20).await;
    assert!(matches!(
        export_into(other.path(), &mut long).await,
        Err(ExportError::Conflict { .. })
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_does_not_hold_is_not_exported() {
    let dir = tempfile::tempdir().unwrap();
    testing::fill_log(dir.path(), 40).await;
    let db = rusqlite::Connection::open(dir.path().join("wayleave.db")).unwrap();
    db.execute("DELETE FROM log_batches WHERE batch = 1", []).unwrap();
    drop(db);
    let exported = export_into(dir.path(), &mut Files::new()).await;
    let Err(ExportError::Store(error)) = exported else { panic!("{exported:?}") };
    assert_eq!(error.to_string(), "batch 1 of the log is damaged: it is missing");
}
