//! The log as a folder of files, and what witnesses add to it.

use contract::Brand;
use proof::{
    KeyPurpose, SigningKey,
    audit::LogAudit,
    tlog::{
        Checkpoint, Note, SignatureType, TileFile, TileKind, VerifierKey, cosign,
        decode_entry_bundle, decode_tile_hashes, tile_files,
    },
    verify_document,
};
use serde_json::{Value, json};
use store::{Cosignature, Log};

use super::fixture::{TestServer, digest, start};

const WITNESS: &str = "witness.example/w1";

/// Reads the folder as a client that knows only its address.
async fn folder(test_server: &TestServer) -> (Vec<proof::Digest>, Vec<Vec<u8>>) {
    let note = Note::parse(&test_server.get("/log/checkpoint").await.body).unwrap();
    let checkpoint = Checkpoint::parse(note.text()).unwrap();
    let (mut leaves, mut entries) = (Vec::new(), Vec::new());
    for file in tile_files(checkpoint.size()) {
        let reply = test_server.get(&format!("/log/{file}")).await;
        assert_eq!(reply.status, 200, "{file}");
        assert_eq!(reply.header("content-type"), Some("application/octet-stream"));
        let immutable = reply.header("cache-control").unwrap().contains("immutable");
        assert_eq!(immutable, file.is_full(), "{file}");
        match file.kind {
            TileKind::Hashes { level: 0 } => {
                leaves.extend(decode_tile_hashes(&reply.body).unwrap())
            }
            TileKind::Hashes { .. } => assert!(decode_tile_hashes(&reply.body).is_some()),
            TileKind::Entries => {
                let bundle = decode_entry_bundle(&reply.body, file.width).unwrap();
                entries.extend(bundle.into_iter().map(<[u8]>::to_vec));
            }
        }
    }
    (leaves, entries)
}

#[tokio::test]
async fn the_folder_is_the_whole_log() {
    let test_server = start().await;
    test_server.decide(0).await;
    test_server.enter(0, 600).await;
    test_server.decide(1).await;
    let size = test_server.head()["tree_size"].as_u64().unwrap();
    assert_eq!(size, 602);
    let (leaves, entries) = folder(&test_server).await;
    assert_eq!((leaves.len(), entries.len()), (602, 602));

    let reply = test_server.get("/log/sths/000000000.jsonl").await;
    assert_eq!(reply.header("content-type"), Some("application/jsonl"));
    assert_eq!(reply.header("cache-control"), Some("public, max-age=5"));
    let lines: Vec<&[u8]> = reply.body.split(|byte| *byte == b'\n').collect();
    let (end, heads) = lines.split_last().unwrap();
    assert!(end.is_empty(), "every line is ended");
    let stored_heads = test_server.service.log.heads_between(0, 5_000).await.unwrap();
    assert!(heads.iter().copied().eq(stored_heads.iter().map(|head| &head[..])), "the very bytes");

    // Recomputes everything from the served files.
    let mut audit = LogAudit::new(test_server.policy().await, Brand::default());
    let mut from = 0;
    for head in heads {
        let read: Value = serde_json::from_slice(head).unwrap();
        let to = usize::try_from(read["tree_size"].as_u64().unwrap()).unwrap();
        audit.check_batch(head, &leaves[from..to], Some(&entries[from..to])).unwrap();
        from = to;
    }
    let record = test_server.get("/log/log.json").await;
    let policy = test_server.policy().await;
    assert!(verify_document(&record.body, &policy, &Brand::default()).accepted());
    let named = &record.json()["checkpoint"];
    let origin = named["origin"].as_str().unwrap();
    assert_eq!(origin, "svc.example/svc-resolve-log-v1");
    let vkey: VerifierKey = named["vkey"].as_str().unwrap().parse().unwrap();
    let checkpoint = test_server.get("/log/checkpoint").await;
    assert_eq!(checkpoint.header("content-type"), Some("text/plain; charset=utf-8"));
    audit.check_checkpoint(&checkpoint.body, origin, &[vkey]).unwrap();
    assert_eq!(audit.report().tree_size, 602);
    assert_eq!(test_server.get("/api/v1/log/checkpoint").await.body, checkpoint.body);
    for (file, published) in [
        ("/log/keys.json", "/.well-known/http-message-signatures-directory"),
        ("/log/rotation.json", "/.well-known/security-key-rotation.json"),
    ] {
        assert_eq!(test_server.get(file).await.body, test_server.get(published).await.body);
    }
}

#[tokio::test]
async fn a_tile_has_one_name_and_keeps_it_when_it_grows() {
    let test_server = start().await;
    test_server.enter(0, 10).await;
    let before = test_server.get("/log/tile/0/000.p/10").await.body;
    test_server.enter(10, 290).await;
    assert_eq!(test_server.get("/log/tile/0/000.p/10").await.body, before);
    let full = test_server.get("/log/tile/0/000").await;
    assert!(full.body.starts_with(&before) && full.body.len() == 256 * 32);
    let etag = full.header("etag").unwrap();
    let again =
        test_server.server.get("/log/tile/0/000", &format!("If-None-Match: {etag}\r\n")).await;
    assert_eq!(again.status, 304);
    for bad in [
        "0/001.p/45",
        "0/001",
        "1/000",
        "1/000.p/2",
        "2/000.p/1",
        "0/002.p/1",
        "0/000.p/0",
        "0/000.p/256",
        "0/0",
        "0/00",
        "0/0000",
        "0/x000/000",
        "00/000",
        "64/000",
        "-1/000",
        "entries",
        "entries/",
        "entries/001.p/45",
        "0/000/",
        "0//000",
        "0/%30%30%30",
        "0/000.p%2F10",
        "../checkpoint",
        "0/999/999/999/999/999/999/999/999",
        "data/000",
    ] {
        let reply = test_server.get(&format!("/log/tile/{bad}")).await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"), "{bad}");
    }
    for bad in
        ["", "0.jsonl", "000001000.jsonl", "000000001.jsonl", "000000000.json", "..%2Flog.json"]
    {
        assert_eq!(test_server.get(&format!("/log/sths/{bad}")).await.status, 404, "{bad}");
    }
    for good in ["1/000.p/1", "0/001.p/44", "entries/000", "entries/001.p/44"] {
        let file: TileFile = format!("tile/{good}").parse().unwrap();
        assert!(file.exists_at(300), "{good}");
        assert_eq!(test_server.get(&format!("/log/tile/{good}")).await.status, 200, "{good}");
    }
}

#[tokio::test]
async fn cosignatures_of_witnesses_are_shown_with_the_head() {
    let test_server = start().await;
    test_server.enter(0, 3).await;
    let head = test_server.head();
    let key =
        SigningKey::from_seed(&[7; 32], KeyPurpose::LogHeads, test_server.service_time(0)).unwrap();
    let size = head["tree_size"].as_u64().unwrap();
    let log: Value = test_server.get("/api/v1/log").await.json();
    let origin = log["checkpoint"]["origin"].as_str().unwrap();
    let checkpoint = Checkpoint::new(origin, size, digest(&head["tree_root"])).unwrap();
    let line = cosign(&checkpoint, WITNESS, &key, test_server.service_time(0)).unwrap();
    let cosignature = Cosignature {
        tree_size: size,
        witness: WITNESS.to_owned(),
        line: line.to_string(),
        at: test_server.service_time(0),
    };
    test_server.store.put_cosignatures(vec![cosignature]).await.unwrap();

    let known = [
        log["checkpoint"]["vkey"].as_str().unwrap().parse().unwrap(),
        VerifierKey::new(WITNESS, SignatureType::Cosignature, key.public().clone()).unwrap(),
    ];
    let both = |text: &str| Note::parse(text.as_bytes()).unwrap().verify(&known).unwrap().len();
    assert_eq!(both(test_server.get("/log/checkpoint").await.text()), 2);
    let batch = head["batch"].as_u64().unwrap();
    let shown = test_server.json(&format!("/api/v1/log/sth/{batch}"), "log-batch").await;
    let token = line.to_string();
    assert_eq!(
        shown["witnesses"],
        json!([{
            "token": token.trim_end(), "at": test_server.service_time(0),
            "run": WITNESS, "name": WITNESS,
        }])
    );
    let etag = test_server.get(&format!("/api/v1/log/sth/{batch}")).await;
    let alone = format!("\"{}\"", head["sha256"].as_str().unwrap());
    assert_ne!(etag.header("etag"), Some(alone.as_str()), "another body, another name");

    // The log has grown, and the witness has not cosigned yet.
    test_server.enter(3, 2).await;
    assert_eq!(both(test_server.get("/log/checkpoint").await.text()), 1);
    let latest = test_server.json("/api/v1/log/witness/latest", "log-witness").await;
    assert_eq!((&latest["batch"], &latest["tree_size"]), (&head["batch"], &json!(size)));
    assert_eq!(latest["sth_sha256"], head["sha256"]);
    assert_eq!(both(latest["checkpoint"].as_str().unwrap()), 2);
    let page = test_server.get("/log").await;
    assert!(page.text().contains("have cosigned the log at 3 entries"), "{}", page.text());
}
