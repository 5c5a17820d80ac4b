//! Precision and recall of the search for instructions, on a corpus written for this purpose.

use std::collections::BTreeMap;

use declared::instructions::{PageContext, Passage, find_instructions, is_about_security};
use serde_json::Value;

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    hits: usize,
    misses: usize,
    alarms: usize,
    silences: usize,
}

impl Count {
    fn add(&mut self, label: bool, fired: bool) {
        match (label, fired) {
            (true, true) => self.hits += 1,
            (true, false) => self.misses += 1,
            (false, true) => self.alarms += 1,
            (false, false) => self.silences += 1,
        }
    }

    fn precision(self) -> f64 {
        share(self.hits, self.hits + self.alarms)
    }

    fn recall(self) -> f64 {
        share(self.hits, self.hits + self.misses)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred cases")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[test]
fn few_false_alarms_and_few_misses() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("corpus/instructions.json")).unwrap();
    let mut all = Count::default();
    let mut by: BTreeMap<(&str, String), Count> = BTreeMap::new();
    let mut ids = std::collections::BTreeSet::new();
    for case in &cases {
        let word = |name: &str| case[name].as_str().unwrap();
        let label = case["label"].as_bool().unwrap();
        assert!(ids.insert(word("id")), "{} twice", word("id"));
        let context = PageContext {
            only_ai: case["only_ai"].as_bool().unwrap(),
            about_security: is_about_security(case["title"].as_str(), word("text")),
        };
        let hits =
            find_instructions(&[Passage { surface: word("surface"), text: word("text") }], context);
        let fired = !hits.is_empty();
        all.add(label, fired);
        for group in ["language", "surface", "written"] {
            by.entry((group, word(group).to_owned())).or_default().add(label, fired);
        }
        if fired != label {
            let rule = hits.first().map(|hit| format!("{}: {}", hit.rule, hit.excerpt));
            println!("{} ({}) {:?}\n    {}", word("id"), word("surface"), rule, word("text"));
        }
    }
    for ((group, name), count) in &by {
        println!("{group} {name}: {count:?}");
    }
    println!("precision {:.3}, recall {:.3}, {all:?}", all.precision(), all.recall());
    assert!(cases.len() >= 240, "{} cases", cases.len());
    assert!(all.precision() >= 0.95 && all.recall() >= 0.90);
    for ((group, name), count) in by {
        assert!(count.recall() >= 0.8, "{group} {name}: {count:?}");
    }
}
