//! Serves site designs (case files) as real sites, scans and resolves each, and compares the
//! judgement with what a fair expert expects. The designs in `tuning` may be looked at while rules
//! are changed; those in `held_out` only measure.
//!
//! `cargo test -p wayleave --test it judgements -- --nocapture` prints every wrong result and a table.
//! `JUDGEMENTS_TUNING=DIR` takes the tuning cases from another folder, `JUDGEMENTS_ONLY=TEXT` runs
//! only the files whose name contains the text, `JUDGEMENTS_DUMP=DIR` writes record and answer of
//! every case that is judged wrong.

pub(crate) mod expectations;
mod results;

use std::path::{Path, PathBuf};
use std::time::Duration;

use lab::CaseSite;
use serde_json::Value;

use self::expectations::{JudgedSite, Verdict};
use self::results::{KindTable, WrongResult};
use crate::lab_server::{LabServer, run_all};

/// How many results may be wrong, by the first word of the kind. A kind that is not listed has none
/// to spare.
const TUNING_WRONG: &[(&str, usize)] =
    &[("cloaking", 5), ("gate", 1), ("policy", 2), ("tarpit", 3), ("text", 3), ("variation", 10)];
/// What was wrong when these cases were judged for the first time, and some room for kinds that depend on
/// chance or on the load of the machine. None was tuned on.
const HELD_OUT_WRONG: &[(&str, usize)] = &[
    ("cloaking", 7),
    ("file", 1),
    ("gate", 3),
    ("hidden", 3),
    ("name", 1),
    ("paywall", 2),
    ("tarpit", 3),
    ("text", 2),
    ("variation", 5),
];

/// Scans at the same time. Cases that let a scan wait run beside them, because they cost no work.
const AT_ONCE: usize = 4;
const WAITING_AT_ONCE: usize = 12;
const WAITING: Duration = Duration::from_secs(1);

#[test]
fn tuning_cases_are_judged_right() {
    let folder =
        std::env::var_os("JUDGEMENTS_TUNING").map_or_else(|| cases_folder("tuning"), PathBuf::from);
    judge_folder(&folder, TUNING_WRONG);
}

#[test]
fn held_out_cases_are_judged_right() {
    judge_folder(&cases_folder("held_out"), HELD_OUT_WRONG);
}

fn cases_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judgements").join(name)
}

fn judge_folder(folder: &Path, most_wrong: &[(&str, usize)]) {
    if !folder.is_dir() {
        println!("There are no cases in {}.", folder.display());
        return;
    }
    let only = std::env::var("JUDGEMENTS_ONLY").unwrap_or_default();
    let mut cases = lab::case_sites(folder).unwrap_or_else(|mistakes| {
        let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        panic!("{}", lines.join("\n"));
    });
    cases.retain(|case| case.file.to_string_lossy().contains(&only));
    let sites: Vec<_> = cases.iter().map(|case| case.site).collect();
    let server = LabServer::start(&sites);
    let (waiting, quick): (Vec<CaseSite>, Vec<CaseSite>) =
        cases.into_iter().partition(|case| case.longest_delay >= WAITING);
    let judge = |case: &CaseSite| judge_case(&server, case);
    let results: Vec<_> = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| run_all(&waiting, WAITING_AT_ONCE, judge));
        let quick = run_all(&quick, AT_ONCE, judge);
        [quick, waiting.join().unwrap()].concat()
    });
    let mut table = KindTable::default();
    for (kind, right, wrong) in results {
        table.add(&kind, right, wrong);
    }
    println!("{table}");
    let over = table.over(most_wrong);
    // With a filter the numbers mean nothing.
    assert!(!only.is_empty() || over.is_empty(), "more wrong results than allowed: {over:?}");
}

/// The kind, the number of expectations that hold, and the others.
fn judge_case(server: &LabServer, case: &CaseSite) -> (String, usize, Vec<WrongResult>) {
    let file = case.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = case.site.name;
    let record = server.scan(name, "public").unwrap_or_else(|error| panic!("{file}: {error}"));
    let answer = server.resolve(name).unwrap_or_else(|error| panic!("{file}: {error}"));
    let judged = JudgedSite { record: &record, answer: &answer };
    let mut wrong = Vec::new();
    for expectation in &case.expectations {
        if let Verdict::Wrong { alarm, found } = judged.compare(expectation) {
            let (file, expected) = (file.clone(), expectation.to_string());
            wrong.push(WrongResult { file, line: expectation.line, expected, found, alarm });
        }
    }
    if !wrong.is_empty() {
        dump(&file, &record, &answer);
    }
    (case.kind.clone(), case.expectations.len() - wrong.len(), wrong)
}

fn dump(file: &str, record: &Value, answer: &Value) {
    let Some(folder) = std::env::var_os("JUDGEMENTS_DUMP").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    for (suffix, document) in [("record", record), ("answer", answer)] {
        let text = serde_json::to_string_pretty(document).unwrap();
        std::fs::write(folder.join(format!("{file}.{suffix}.json")), text).unwrap();
    }
}
