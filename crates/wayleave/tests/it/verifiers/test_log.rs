//! A log made for tests: batches of several sizes; rotated, retired and compromised keys; and signed
//! answers with their inclusion proofs.

use std::path::Path;
use std::sync::Arc;

use contract::{Brand, Timestamp};
use proof::keys::{KeyRecord, KeyRing};
use proof::merkle_tree::BatchTree;
use proof::tree_head::{ChainHead, HeadExtras, next_head};
use proof::{Digest, KeyPurpose, SigningKey, decision_content, sha256, sign_document};
use serde_json::{Value, json};

pub(crate) const BASE: &str = "https://svc.example";

/// The keys of the test log, by role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TestKey {
    /// Documents until the 10th, …
    OldDocuments,
    /// … and from then on.
    Documents,
    /// A documents key that others have since the 13th.
    Stolen,
    /// A documents key that begins next year.
    Coming,
    /// Heads until the 12th, …
    OldHeads,
    /// … and from then on.
    Heads,
    Decisions,
    Requests,
    /// Published nowhere.
    Stranger,
}

impl TestKey {
    const PUBLISHED: [Self; 8] = [
        Self::OldDocuments,
        Self::Documents,
        Self::Stolen,
        Self::Coming,
        Self::OldHeads,
        Self::Heads,
        Self::Decisions,
        Self::Requests,
    ];

    fn purpose(self) -> KeyPurpose {
        match self {
            Self::OldHeads | Self::Heads => KeyPurpose::LogHeads,
            Self::Decisions => KeyPurpose::Decisions,
            Self::Requests => KeyPurpose::Requests,
            _ => KeyPurpose::Documents,
        }
    }

    fn from(self) -> Timestamp {
        at(match self {
            Self::Documents => "2026-11-10T00:00:00Z",
            Self::Heads => "2026-11-12T00:00:00Z",
            Self::Coming => "2027-01-01T00:00:00Z",
            _ => "2026-11-01T00:00:00Z",
        })
    }

    fn stopped(self) -> Option<Timestamp> {
        match self {
            Self::OldDocuments => Some(at("2026-11-10T00:00:01Z")),
            Self::OldHeads => Some(at("2026-11-12T00:00:01Z")),
            Self::Stolen => Some(at("2026-11-14T00:00:00Z")),
            _ => None,
        }
    }

    /// The key for any purpose: its real purpose and start time are ignored.
    pub(crate) fn for_purpose(self, purpose: KeyPurpose) -> SigningKey {
        let seed = sha256(format!("for tests only: {self:?}").as_bytes());
        SigningKey::from_seed(seed.as_bytes(), purpose, Timestamp::from_millis(0)).unwrap()
    }

    pub(crate) fn kid(self) -> String {
        self.for_purpose(self.purpose()).kid().to_owned()
    }

    fn record(self, generation: u64) -> KeyRecord {
        let key = self.for_purpose(self.purpose());
        KeyRecord {
            purpose: self.purpose(),
            public: key.public().clone(),
            signing: self.stopped().is_none().then(|| Arc::new(key)),
            signs_from: self.from(),
            generation,
            stopped_signing_at: self.stopped(),
            compromised_since: (self == Self::Stolen).then(|| at("2026-11-13T00:00:00Z")),
        }
    }
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Signs a document with this key, whatever its purpose.
pub(crate) fn signed_by(document: Value, who: TestKey, time: &str, brand: &Brand) -> Value {
    let mut document = document;
    document.as_object_mut().unwrap().retain(|name, _| name != "sha256" && name != "signature");
    let kind = document["kind"].as_str().unwrap();
    let purpose = KeyPurpose::for_kind(kind, brand).unwrap();
    let published_in = format!("{BASE}/.well-known/http-message-signatures-directory");
    let key = who.for_purpose(purpose);
    sign_document(document, &key, &published_in, brand, at(time)).unwrap().document
}

pub(crate) struct TestLog {
    pub(crate) brand: Brand,
    pub(crate) directory: Value,
    pub(crate) rotation: Value,
    pub(crate) heads: Vec<Value>,
    /// Batch by batch, in the order of the tree.
    pub(crate) leaves: Vec<Vec<Digest>>,
    /// Signed answers, each with the number of its batch: every one of a small batch, some of a
    /// large one.
    pub(crate) answers: Vec<(usize, Value)>,
}

/// Description of one batch.
pub(crate) struct TestBatch {
    pub(crate) size: usize,
    pub(crate) day: &'static str,
    pub(crate) documents: TestKey,
    pub(crate) heads: TestKey,
}

/// Five batches with one and a half tiles, under two keys of each purpose.
pub(crate) const HISTORY: [TestBatch; 5] = [
    TestBatch { size: 1, day: "05", documents: TestKey::OldDocuments, heads: TestKey::OldHeads },
    TestBatch { size: 5, day: "08", documents: TestKey::OldDocuments, heads: TestKey::OldHeads },
    TestBatch { size: 7, day: "11", documents: TestKey::Documents, heads: TestKey::OldHeads },
    TestBatch { size: 300, day: "13", documents: TestKey::Documents, heads: TestKey::Heads },
    TestBatch { size: 3, day: "14", documents: TestKey::Documents, heads: TestKey::Heads },
];

/// How many answers of one batch are signed.
const SIGNED: usize = 7;

impl TestLog {
    pub(crate) fn new(brand: &str) -> Self {
        Self::of(brand, &HISTORY)
    }

    /// Many batches of one leaf each: more than a page and more than a file of heads.
    pub(crate) fn long(batches: usize) -> Self {
        let one = || TestBatch {
            size: 1,
            day: "14",
            documents: TestKey::Documents,
            heads: TestKey::Heads,
        };
        let history: Vec<TestBatch> = (0..batches).map(|_| one()).collect();
        Self::of("svc", &history)
    }

    fn of(brand: &str, history: &[TestBatch]) -> Self {
        let brand = Brand::new(brand).unwrap();
        let records = (1..).zip(TestKey::PUBLISHED).map(|(n, who)| who.record(n)).collect();
        let ring = KeyRing::new(records);
        let mut log = Self {
            directory: ring.directory(&brand),
            rotation: ring.rotation_record(&brand),
            brand,
            heads: Vec::new(),
            leaves: Vec::new(),
            answers: Vec::new(),
        };
        for (number, batch) in history.iter().enumerate() {
            log.add(number, batch);
        }
        log
    }

    fn add(&mut self, number: usize, batch: &TestBatch) {
        let brand = self.brand.clone();
        let drafts: Vec<Value> =
            (0..batch.size).map(|n| answer(&brand, number, n, batch.day)).collect();
        let leaf =
            |draft: &Value| decision_content::decision_leaf(draft.as_object().unwrap(), &brand);
        let leaves: Vec<Digest> = drafts.iter().map(|draft| leaf(draft).unwrap()).collect();
        let tree = BatchTree::new(leaves.iter().copied());
        assert_eq!(tree.size(), batch.size as u64, "every answer is another");
        self.leaves.push(tree.leaves().to_vec());
        let previous = self.heads.last().map(|head| ChainHead::parse(head).unwrap());
        let extras = HeadExtras { code: None, tree_root: Some(self.root()) };
        let time = format!("2026-11-{}T12:00:00Z", batch.day);
        let head = next_head(previous.as_ref(), &tree, at(&time), extras, &brand).unwrap();
        let head = signed_by(head, batch.heads, &time, &brand);
        for (mut draft, leaf) in drafts.into_iter().zip(leaves).take(SIGNED) {
            let witnesses = format!("{BASE}/api/v1/log/witness/latest");
            draft["transparency"] =
                decision_content::transparency(&leaf, &tree, &head, &witnesses).unwrap();
            let time = format!("2026-11-{}T12:00:01.5Z", batch.day);
            self.answers.push((number, signed_by(draft, batch.documents, &time, &brand)));
        }
        self.heads.push(head);
    }

    /// All leaves so far, in log order.
    pub(crate) fn all_leaves(&self) -> Vec<Digest> {
        self.leaves.iter().flatten().copied().collect()
    }

    pub(crate) fn root(&self) -> Digest {
        proof::merkle_tree::root(&self.all_leaves())
    }

    /// A signed answer of this batch.
    pub(crate) fn answer(&self, batch: usize) -> Value {
        let mut found = self.answers.iter().filter(|(number, _)| *number == batch);
        found.nth(1).or_else(|| self.answers.iter().find(|(n, _)| *n == batch)).unwrap().1.clone()
    }

    pub(crate) fn receipt(&self) -> Value {
        let of = self.answer(4);
        json!({
            "kind": self.brand.kind("decision"), "v": 1, "domain": of["domain"], "action": "read",
            "nonce": "n-1", "operation": { "method": "GET", "url": "https://4-1.example/" },
            "decided_at": "2026-11-14T13:00:00Z", "expires_at": "2026-11-14T18:00:00Z",
            "clock_skew_s": 60, "decision": "allow", "meaning": "Reading is allowed.",
            "steps": [{ "rule": "resolve", "effect": "allow", "why": "read is allowed" }],
            "reason_codes": [], "alternatives": [], "facts": null,
            "assessed": { "domain": of["domain"] },
            "resolve": { "sha256": of["sha256"], "kid": of["signature"]["kid"] },
        })
    }

    /// Writes the log as it is exported: keys, heads, tiles of level 0.
    pub(crate) fn export(&self, folder: &Path) {
        write(&folder.join("keys.json"), self.directory.to_string());
        write(&folder.join("rotation.json"), self.rotation.to_string());
        for (n, heads) in self.heads.chunks(1000).enumerate() {
            let lines: String = heads.iter().map(|head| format!("{head}\n")).collect();
            write(&folder.join(format!("sths/{:09}.jsonl", n * 1000)), lines);
        }
        for (n, tile) in self.all_leaves().chunks(256).enumerate() {
            let bytes: Vec<u8> = tile.iter().flat_map(|leaf| leaf.0).collect();
            let name = match tile.len() {
                256 => format!("tile/0/{n:03}"),
                width => format!("tile/0/{n:03}.p/{width}"),
            };
            write(&folder.join(name), bytes);
        }
    }
}

pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn answer(brand: &Brand, batch: usize, n: usize, day: &str) -> Value {
    let mut answer = plain_answer(brand, batch, n, day);
    if *brand == Brand::default() {
        // Values that implementations format and sort differently. The published client of the other
        // brand supports only ASCII names and ordinary numbers.
        answer["names"] = json!({
            "\u{10000}": 1, "\u{e000}": 2, "\u{ffff}": 3, "é": 4, "e\u{301}": 5, "\r": 6, "1": 7,
            "": 8, "__proto__": { "constructor": "own" }, "toString": 9,
        });
        answer["numbers"] = json!([0.1, 1e21, 1e-7, 5e-324, -0.5, 333_333_333.333_333_3]);
        answer["actions"]["read"]["doubts"] = json!(["\u{e000}", "\u{10000}", "b", "a"]);
    }
    answer
}

/// An answer of full size.
fn plain_answer(brand: &Brand, batch: usize, n: usize, day: &str) -> Value {
    let time = format!("2026-11-{day}T11:{:02}:00Z", n % 60);
    let domain = format!("{batch}-{n}.example");
    json!({
        "kind": brand.kind("resolve"), "v": 1,
        "schema": format!("{BASE}/api/v1/schema?kind={}", brand.kind("resolve")),
        "domain": domain, "answered_at": time, "status": if n.is_multiple_of(2) { "partial" } else { "measured" },
        "reading": "What was read, as it was read: \"quoted\", back\\slash, tab\t, é, e\u{301}, 語, \u{1f310}.",
        "basis": { "kind": "just_in_time", "measured_at": time, "budget_ms": 1000, "took_ms": 412,
            "not_read_in_budget": ["/agents.md"], "scope": "one read" },
        "subject": { "domain": domain, "host": format!("www.{domain}") },
        "freshness": { "observed_at": time, "age_hours": 0, "source": "just_in_time", "stale": false },
        "observers": { "primary": { "version_tag": "1", "vantage": "lab" }, "independent_readings": 1 },
        "crawl_policy": { "state": "not_measured", "observed_at": time, "why": "not in budget" },
        "delivery": { "state": "observed", "identities": [
            { "identity": "browser", "status": 200, "bytes": 51_234, "html": true },
            { "identity": "gptbot", "status": 403, "bytes": 17, "html": false } ],
            "same_bytes_for_every_identity": false },
        "machine_files": { "state": "observed", "files": [{ "path": "/llms.txt", "status": 404, "present": false }] },
        "capabilities": { "state": "observed", "declared": 0, "by_safety_class": {}, "items": [] },
        "entity": { "state": "not_measured", "observed_at": null, "why": "not in budget" },
        "findings": { "access": "public", "items": [] },
        "confidence": { "identities_answered": 2, "vantages": 1, "text_ratio": 0.1,
            "readings": 9_007_199_254_740_991_i64 },
        "contradictions": null,
        "evidence": { "report": format!("{BASE}/r/{batch}-{n}"), "record": null },
        "assurance": "partial",
        "impersonation": { "state": "observed", "verdict": if n == 3 { "suspected" } else { "no_lookalike" } },
        "incident": if n == 2 { json!({ "since": time }) } else { Value::Null },
        "high_risk_fields": { "pending": [{ "field": "phone" }, { "field": "address" }] },
        "dns": { "state": "observed", "exists": true, "a": ["192.0.2.1"], "rcode": "NOERROR" },
        "tls": { "state": "observed", "https": true, "hsts": "max-age=1" },
        "served_from": "read just now",
        "actions": {
            "v": 1, "decisions": "allow, warn, require_confirmation, block, unsupported", "rule": "by its sections",
            "read": { "decision": if n.is_multiple_of(3) { "warn" } else { "allow" }, "doubts": ["b", "a"] },
            "cite": { "decision": "warn", "doubts": ["no_policy", "entity_unobserved"], "why": "w" },
            "connect": { "decision": "unsupported", "doubts": [] },
            "transact": { "decision": "require_confirmation" },
            "administer": { "decision": "block", "doubts": null },
        },
        "absences": [],
    })
}
