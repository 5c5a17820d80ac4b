//! Computes the worked example in `docs/log.md` and compares it with the page.
//! `UPDATE_DOCS=1 cargo test -p proof` rewrites it.

use contract::{Brand, Timestamp};
use proof::decision_content::decision_content;
use proof::merkle_tree::{BatchTree, leaf_hash};
use proof::tlog::RightEdge;
use proof::tree_head::{HeadExtras, next_head};
use proof::{Digest, KeyPurpose, SigningKey, canonical, sign_document};
use serde_json::{Value, json};

const BEGIN: &str = "<!-- worked example: made by a test -->\n";
const END: &str = "<!-- end of the worked example -->\n";

fn answer(domain: &str, decision: &str) -> Value {
    json!({
        "kind": "svc-resolve", "v": 1, "domain": domain, "status": "partial",
        "freshness": { "observed_at": "2026-11-15T09:00:00Z" },
        "evidence": { "report": null },
        "actions": { "v": 1, "read": { "decision": decision, "doubts": ["no_policy", "agent_specific_robots"] } },
    })
}

#[test]
fn the_worked_example_matches_the_code() {
    let brand = Brand::default();
    let at = Timestamp::from_millis(1_794_733_200_000);
    // A known key, so that everybody gets the same signature.
    let key = SigningKey::from_seed(&[7; 32], KeyPurpose::LogHeads, at).unwrap();
    let mut text = String::new();
    let mut write_line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    let batches = [
        vec![("a.example", "allow")],
        vec![("b.example", "warn"), ("c.example", "block"), ("d.example", "allow")],
    ];
    let (mut previous, mut edge, mut all) = (None, RightEdge::new(), Vec::new());
    for (number, batch) in batches.iter().enumerate() {
        write_line(&format!(
            "Batch {number}. The contents and their leaves, as they came in:\n\n```"
        ));
        let mut leaves = Vec::new();
        for (domain, decision) in batch {
            let answer = answer(domain, decision);
            let content = decision_content(answer.as_object().unwrap(), &brand).unwrap();
            let content = canonical::value_to_vec(&content).unwrap();
            let leaf = leaf_hash(&content);
            write_line(&format!("{}\n  leaf {leaf}", String::from_utf8(content).unwrap()));
            leaves.push(leaf);
        }
        let tree = BatchTree::new(leaves.iter().copied());
        write_line("```\n\nSorted, with the path of each to the batch's root:\n\n```");
        for (index, leaf) in tree.leaves().iter().enumerate() {
            let path = tree.path(index as u64).unwrap();
            let path: Vec<String> = path.iter().map(Digest::to_hex).collect();
            write_line(&format!("{index} {leaf}\n  path [{}]", path.join(", ")));
            edge.push(*leaf, &mut Vec::new());
            all.push(*leaf);
        }
        assert_eq!(edge.root(), proof::merkle_tree::root(&all));
        let extras = HeadExtras { tree_root: Some(edge.root()), ..HeadExtras::default() };
        let head = next_head(previous.as_ref(), &tree, at, extras, &brand).unwrap();
        let published_in = "https://svc.example/.well-known/http-message-signatures-directory";
        let signed = sign_document(head, &key, published_in, &brand, at).unwrap();
        write_line("```\n\nThe head:\n\n```");
        for member in [
            "batch",
            "first_index",
            "batch_size",
            "tree_size",
            "batch_root",
            "tree_root",
            "prev_sth_sha256",
            "created_at",
            "sha256",
        ] {
            write_line(&format!(
                "{member} {}",
                signed.document[member].to_string().trim_matches('"')
            ));
        }
        write_line(&format!(
            "sig {}\n```\n",
            signed.document["signature"]["sig"].as_str().unwrap()
        ));
        previous = Some(proof::tree_head::ChainHead::parse(&signed.document).unwrap());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/log.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("docs/log.md has a place for the example");
    let (current, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{text}{END}{after}")).unwrap();
    } else {
        assert_eq!(current, text, "UPDATE_DOCS=1 cargo test -p proof rewrites it");
    }
}
