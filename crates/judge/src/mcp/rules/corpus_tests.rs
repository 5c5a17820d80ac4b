//! Recall and false positives on our own corpus.

use proof::sha256;

use super::corpus::{
    ATTACKS, BY_OTHERS, Definition, FRESH, HARMLESS, LATER_ATTACKS, LATER_HARMLESS, LATEST,
    SCEPTIC, UNSEEN_ATTACKS, UNSEEN_HARMLESS, count, has_hint, is_flagged, parse, part, report,
};
use super::wording::learn;

#[test]
fn the_corpus_is_large_and_its_ids_are_unique() {
    let (attacks, harmless) = (parse(ATTACKS), parse(HARMLESS));
    assert!(attacks.len() >= 200 && harmless.len() >= 200);
    let ids: std::collections::BTreeSet<&str> =
        attacks.iter().chain(&harmless).map(|definition| definition.id.as_str()).collect();
    assert_eq!(ids.len(), attacks.len() + harmless.len());
}

/// The part for tuning. Misses are printed; those of the part set aside are only counted.
#[test]
fn the_tuning_part_is_recognised() {
    let (attacks, harmless) = (parse(ATTACKS), parse(HARMLESS));
    let open = |all: &'_ [Definition]| -> Vec<usize> {
        (0..all.len()).filter(|at| !all[*at].is_set_aside()).collect()
    };
    let mut missed = 0;
    for at in open(&attacks) {
        if !is_flagged(&report(&attacks[at])) {
            missed += 1;
            println!("missed {} | {}", attacks[at].id, attacks[at].text);
        }
    }
    let mut wrong = 0;
    for at in open(&harmless) {
        let report = report(&harmless[at]);
        if is_flagged(&report) {
            wrong += 1;
            let rules: Vec<&str> =
                report.findings.iter().map(|finding| finding.rule.as_str()).collect();
            println!("wrong {} {rules:?} | {}", harmless[at].id, harmless[at].text);
        }
    }
    println!(
        "tuning: missed {missed} of {}, wrong {wrong} of {}",
        open(&attacks).len(),
        open(&harmless).len()
    );
    assert!(missed * 20 <= open(&attacks).len());
    assert!(wrong * 100 <= open(&harmless).len() * 3);
}

#[test]
fn recall_and_false_positives_on_the_part_set_aside() {
    let found = count(&part(ATTACKS, true), false);
    let wrong = count(&part(HARMLESS, true), true);
    println!("set aside: attacks {found:?}, harmless {wrong:?}");
    assert!(found.of >= 40 && wrong.of >= 40);
    assert!(found.flagged * 100 >= found.of * 90, "{found:?}");
    assert!(wrong.flagged * 100 <= wrong.of * 3, "{wrong:?}");
}

/// Definitions in words that the first rules had not seen: they found 6 of 50 attacks and were wrong
/// about 3 of 40 harmless ones. The rules were then extended for the first of them, and the weights
/// of the wording model learnt from all.
#[test]
fn later_definitions_are_recognised() {
    let mut missed = 0;
    for attack in parse(LATER_ATTACKS) {
        if !has_hint(&report(&attack)) {
            missed += 1;
            println!("missed {} | {}", attack.id, attack.text);
        }
    }
    let mut wrong = 0;
    for harmless in parse(LATER_HARMLESS) {
        let report = report(&harmless);
        if is_flagged(&report) {
            wrong += 1;
            let rules: Vec<&str> = report.findings.iter().map(|f| f.rule.as_str()).collect();
            println!("wrong {} {rules:?} | {}", harmless.id, harmless.text);
        }
    }
    println!("later: missed {missed}, wrong {wrong}");
    assert!(missed <= 36 && wrong <= 3);
}

/// No rule is changed for these, so they say how the rules do on words of others: far worse than on the
/// part set aside, whose author also chose the words of the classes.
#[test]
fn unseen_definitions_are_counted() {
    let found = count(&parse(UNSEEN_ATTACKS), false);
    let wrong = count(&parse(UNSEEN_HARMLESS), true);
    println!("unseen: attacks {found:?}, harmless {wrong:?}");
    assert_eq!(wrong.blocked, 0);
    for (attacks, harmless) in [FRESH, LATEST] {
        let found = count(&parse(attacks), false);
        let wrong = count(&parse(harmless), true);
        println!("fresh: attacks {found:?}, harmless {wrong:?}");
        assert_eq!(wrong.blocked, 0);
    }
}

/// A hard finding blocks an agent, so harmless definitions must not have one, whoever wrote them. The weights
/// of the wording model were learnt from the rest of these lists: only the part set aside says how the rules do
/// on words of others.
#[test]
fn definitions_by_other_authors_are_counted() {
    let (mut blocked, mut of) = (0, 0);
    for (name, attacks, harmless) in BY_OTHERS {
        let found = count(&part(attacks, true), false);
        let wrong = count(&part(harmless, true), true);
        let open = count(&part(harmless, false), true);
        blocked += wrong.blocked + open.blocked;
        of += wrong.of + open.of;
        println!("by others, {name}: attacks {found:?}, harmless {wrong:?}");
    }
    println!("by others: blocked {blocked} of {of} harmless definitions");
    assert!(of >= 1_000 && blocked * 200 <= of, "{blocked} of {of}");
}

/// Before the rules were changed for these, 14 of the first 60 harmless definitions were flagged and 8 blocked,
/// and 22 of the first 30 attacks flagged and 15 blocked; of the later ones 8 of 20 and none, 7 of 10 and 2.
#[test]
fn a_sceptics_definitions_are_judged() {
    let (attacks, harmless) = SCEPTIC;
    let wrong = count(&parse(harmless), true);
    let found = count(&parse(attacks), false);
    println!("sceptic: attacks {found:?}, harmless {wrong:?}");
    assert!(wrong.blocked == 0 && wrong.flagged <= 9, "{wrong:?}");
    assert!(found.flagged >= 34, "{found:?}");
}

/// What the weights are learnt from: our own texts and those of other authors that are not set aside, and the later
/// ones.
fn examples() -> Vec<learn::Example> {
    let mut lists = vec![(part(ATTACKS, false), true), (part(HARMLESS, false), false)];
    lists.extend([(parse(LATER_ATTACKS), true), (parse(LATER_HARMLESS), false)]);
    for (_, attacks, harmless) in BY_OTHERS {
        lists.extend([(part(attacks, false), true), (part(harmless, false), false)]);
    }
    let mut all = Vec::new();
    for (list, attack) in lists {
        let texts = list.into_iter().filter(|found| found.place != "json" && found.place != "name");
        all.extend(texts.map(|definition| (definition.text, attack)));
    }
    all
}

/// Five parts take turns at being left out, which shows how the weights do on texts they do not know.
#[test]
fn the_model_of_wording_carries_over_to_other_texts() {
    let all = examples();
    let mut scores: Vec<(f64, bool)> = Vec::new();
    for turn in 0..5 {
        let (test, train): (Vec<_>, Vec<_>) = all
            .iter()
            .cloned()
            .partition(|(text, _)| sha256(text.as_bytes()).as_bytes()[1] % 5 == turn);
        let weights = learn::learn(&train);
        scores
            .extend(test.iter().map(|(text, attack)| (learn::score_with(&weights, text), *attack)));
    }
    let count = |attack: bool, above: f64| {
        let of = scores.iter().filter(|(_, is)| *is == attack).count();
        (scores.iter().filter(|(score, is)| *is == attack && *score > above).count(), of)
    };
    for threshold in [0.0, 0.25, 0.5, 0.75, 0.9, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0] {
        println!(
            "wording left out, above {threshold}: attacks {:?}, harmless {:?}",
            count(true, threshold),
            count(false, threshold)
        );
    }
    let ((found, attacks), (wrong, harmless)) = (count(true, 0.9), count(false, 0.9));
    assert!(found * 100 >= attacks * 58 && wrong * 100 <= harmless * 5);
}

/// `UPDATE_WORDING=1` writes the weights again.
#[test]
fn the_weights_of_wording_are_those_of_the_corpus() {
    let weights = learn::learn(&examples());
    let mut data = String::from(
        "# Weights of the wording model, learnt from tests/corpus/mcp: `UPDATE_WORDING=1 cargo test -p judge wording`.\n",
    );
    for (feature, weight) in &weights {
        data.push_str(&format!("{feature} {weight}\n"));
    }
    if std::env::var_os("UPDATE_WORDING").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/data/mcp/wording.txt"), &data)
            .unwrap();
        return;
    }
    let stored: std::collections::BTreeMap<&str, f64> = super::wording::WEIGHTS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(feature, weight)| (feature, weight.parse().unwrap()))
        .collect();
    // Other processors may round the last digit in another way.
    for (feature, weight) in &weights {
        let stored = stored.get(feature.as_str()).copied().unwrap_or_default();
        assert!(
            (stored - weight).abs() < 0.05,
            "{feature}: {stored} is stored, {weight} was learnt"
        );
    }
}
