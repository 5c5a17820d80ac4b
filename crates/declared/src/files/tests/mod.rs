//! Each kind with a valid file, and with each fault that it can have.

mod cards;
mod catalogs;
mod commerce;
mod hostile;
mod keys;
mod sitemaps;
mod texts;

use serde_json::Value;

use super::{FILE_LOCATIONS, FileKind, Inspection, ServedFile, inspect};
use crate::fault::{Fault, Weight};

/// 2026-11-15T02:56:20Z
const NOW: i64 = 1_794_711_380;

/// An answer to one of the places, to be changed by the test.
#[derive(Clone)]
struct Answer {
    kind: FileKind,
    requested_url: String,
    url: String,
    redirects: usize,
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    cut: bool,
}

impl Answer {
    fn new(kind: FileKind, media: &str, body: impl Into<Vec<u8>>) -> Self {
        let path = FILE_LOCATIONS.iter().find(|place| place.kind == kind).unwrap().path;
        let url = format!("https://shop.example{path}");
        Self {
            kind,
            requested_url: url.clone(),
            url,
            redirects: 0,
            status: 200,
            headers: vec![("content-type".into(), media.into())],
            body: body.into(),
            cut: false,
        }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The same answer with one place of its JSON changed, or taken out.
    fn changed(&self, pointer: &str, to: Option<Value>) -> Self {
        let mut value: Value = serde_json::from_slice(&self.body).unwrap();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = value.pointer_mut(parent).unwrap();
        match (parent, to) {
            (Value::Object(members), Some(to)) => {
                members.insert(name.to_owned(), to);
            }
            (Value::Object(members), None) => {
                members.remove(name).expect("something to take out");
            }
            (Value::Array(items), Some(to)) => items[name.parse::<usize>().unwrap()] = to,
            (Value::Array(items), None) => {
                items.remove(name.parse().unwrap());
            }
            _ => panic!("no parent at {pointer}"),
        }
        self.clone().body(value.to_string())
    }

    fn look(&self) -> Inspection {
        let served = ServedFile {
            requested_url: &self.requested_url,
            final_url: &self.url,
            redirects: self.redirects,
            status: self.status,
            headers: &self.headers,
            body: &self.body,
            truncated: self.cut,
            read_at_s: NOW,
        };
        let found = inspect(self.kind, &served);
        assert_eq!(found, inspect(self.kind, &served), "the same bytes give the same answer");
        assert!(!found.summary.is_empty());
        for fault in &found.faults {
            assert!(!fault.code.is_empty() && !fault.problem.is_empty() && !fault.fix.is_empty());
        }
        found
    }
}

/// A valid file: usable, with no fault worse than a note.
#[track_caller]
fn right(answer: &Answer, notes: &[&str]) -> Inspection {
    let found = answer.look();
    assert!(found.usable, "{:#?}", found.faults);
    let worse: Vec<&Fault> =
        found.faults.iter().filter(|fault| fault.weight > Weight::Note).collect();
    assert!(worse.is_empty(), "{worse:#?}");
    let codes: Vec<&str> = found.faults.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, notes);
    found
}

/// The expected effect of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cost {
    Note,
    Warning,
    /// Makes a part unusable.
    Part,
    /// Makes the whole file unusable.
    Whole,
}

/// Exactly this fault at this position, with its effect.
#[track_caller]
fn wrong(answer: &Answer, code: &str, at: &str, cost: Cost) {
    let found = answer.look();
    let fault = found
        .faults
        .iter()
        .find(|fault| fault.code == code && fault.at == at)
        .unwrap_or_else(|| panic!("{code} at {at} among {:#?}", found.faults));
    let weight = match cost {
        Cost::Note => Weight::Note,
        Cost::Warning => Weight::Warning,
        Cost::Part | Cost::Whole => Weight::Error,
    };
    assert_eq!((fault.weight, found.usable), (weight, cost != Cost::Whole), "{fault:?}");
}

/// Changes of one place each, and what comes of them.
#[track_caller]
fn each(answer: &Answer, table: &[(&str, Option<Value>, &str, &str, Cost)]) {
    for (pointer, to, code, at, cost) in table {
        wrong(&answer.changed(pointer, to.clone()), code, at, *cost);
    }
}

#[test]
fn every_json_kind_refuses_what_is_not_json() {
    for place in FILE_LOCATIONS {
        let json = !matches!(
            place.kind,
            FileKind::RobotsTxt
                | FileKind::Sitemap
                | FileKind::LlmsTxt
                | FileKind::LlmsFullTxt
                | FileKind::AgentsMd
                | FileKind::SecurityTxt
                | FileKind::AiTxt
        );
        let html = Answer::new(place.kind, "text/html", "<!doctype html><title>Shop</title>");
        wrong(&html, "html_instead", "", Cost::Whole);
        if !json {
            continue;
        }
        let answer = |body: &[u8]| Answer::new(place.kind, "application/json", body);
        wrong(&answer(b"{\"a\": 1,}"), "not_json", "line 1, column 9", Cost::Whole);
        wrong(&answer(b"{\"a\": \"\xff\"}"), "not_utf8", "line 1, column 8", Cost::Whole);
        let mut cut = answer(b"{\"a\":");
        cut.cut = true;
        let found = cut.look();
        assert!(!found.usable);
        assert!(found.faults.iter().any(|fault| fault.code == "not_read_whole"));
        assert!(found.faults.iter().all(|fault| fault.code != "not_json"), "not its fault");
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100));
        let found = answer(deep.as_bytes()).look();
        assert!(found.faults.iter().any(|fault| fault.problem.contains("64 levels")), "{place:?}");
        if place.kind != FileKind::Tdmrep && place.kind != FileKind::ApiCatalog {
            wrong(&answer(b"[]"), "wrong_top_level", "", Cost::Whole);
        }
    }
}

#[test]
fn a_byte_order_mark_and_duplicate_names_are_reported() {
    let body = "\u{feff}{\"linkset\": [{\"item\": [{\"href\": \"/a\", \"x/y\": 1, \"x/y\": 2}]}]}";
    let answer = Answer::new(FileKind::ApiCatalog, "application/linkset+json", body);
    wrong(&answer, "byte_order_mark", "", Cost::Warning);
    wrong(&answer, "doubled_name", "/linkset/0/item/0/x~1y", Cost::Warning);
}

#[test]
fn many_faults_of_one_kind_become_a_few() {
    let links: Vec<Value> = (0..50).map(|_| serde_json::json!({"href": 1})).collect();
    let body = serde_json::json!({"linkset": [{"item": links}]}).to_string();
    let found = Answer::new(FileKind::ApiCatalog, "application/linkset+json", body).look();
    let wrong_types: Vec<&Fault> =
        found.faults.iter().filter(|fault| fault.code == "wrong_type").collect();
    assert_eq!(wrong_types.len(), 5);
    assert!(
        wrong_types[4].problem.ends_with("There are 45 more faults of this kind."),
        "{}",
        wrong_types[4].problem
    );
    assert_eq!(found.counts["links"], 50);
}

#[test]
fn addresses_are_bounded_doubled_once_and_without_credentials() {
    let mut links: Vec<Value> =
        (0..300).map(|n| serde_json::json!({"href": format!("/api/{}", n / 2)})).collect();
    links.insert(0, serde_json::json!({"href": "https://user:secret@shop.example/x"}));
    let body = serde_json::json!({"linkset": [{"item": links}]}).to_string();
    let answer = Answer::new(FileKind::ApiCatalog, "application/linkset+json", body);
    wrong(&answer, "credentials_in_url", "/linkset/0/item/0/href", Cost::Warning);
    let found = answer.look();
    assert!(found.addresses.len() <= super::MAX_ADDRESSES);
    assert_eq!(found.addresses[0], "https://shop.example/api/0");
    assert!(!found.addresses.iter().any(|address| address.contains("secret")));
}
