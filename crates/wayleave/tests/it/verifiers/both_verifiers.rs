//! Running both verifiers on the same files with the same options.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proof::verify::Conclusion;
use serde_json::Value;

use super::test_log::{TestLog, write};
use crate::server::wayleave;
use crate::tools;

/// The JSON output of both verifiers: `wayleave verify` (ours) and the Node one (theirs).
pub(crate) struct Both {
    pub(crate) ours: Value,
    pub(crate) theirs: Value,
}

/// Options that name the key directory and rotation record.
pub(crate) struct Keys(Vec<String>);

impl Keys {
    pub(crate) fn write(log: &TestLog, folder: &Path) -> Self {
        let (keys, rotation) = (folder.join("keys.json"), folder.join("rotation.json"));
        write(&keys, log.directory.to_string());
        write(&rotation, log.rotation.to_string());
        let text = |path: &Path| path.display().to_string();
        let options =
            ["--keys", &text(&keys), "--rotation", &text(&rotation), "--brand", log.brand.as_str()];
        Self(options.map(str::to_owned).to_vec())
    }

    pub(crate) fn and(&self, more: &[&str]) -> Vec<String> {
        self.0.iter().cloned().chain(more.iter().map(|word| (*word).to_owned())).collect()
    }
}

fn commands() -> [Command; 2] {
    let mut ours = wayleave();
    ours.arg("verify");
    let mut theirs = tools::node().unwrap();
    theirs.arg(tools::verifier());
    [ours, theirs]
}

fn outputs(files: &[PathBuf], options: &[String]) -> [Output; 2] {
    commands().map(|mut command| command.arg("--json").args(options).args(files).output().unwrap())
}

impl Both {
    /// Runs both on all files; their exit codes must match their conclusions.
    #[track_caller]
    pub(crate) fn run(files: &[PathBuf], options: &[String]) -> Self {
        let [ours, theirs] = outputs(files, options).map(|output| {
            let report: Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{error}: {output:?}"));
            let list = report.as_array().unwrap();
            assert_eq!(list.len(), files.len());
            let good = list.iter().all(|one| one["conclusion"] == "accepted");
            assert_eq!(output.status.code(), Some(if good { 0 } else { 1 }));
            report
        });
        Self { ours, theirs }
    }

    /// Both must exit with 2 and say why.
    #[track_caller]
    pub(crate) fn fail(files: &[PathBuf], options: &[String], why: &str) {
        for output in outputs(files, options) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{options:?}: {output:?}");
            assert!(stderr.contains(why), "{why:?} in {stderr}");
            assert!(output.stdout.is_empty());
        }
    }

    pub(crate) fn conclusions(&self) -> Vec<Conclusion> {
        self.ours.as_array().unwrap().iter().map(|one| conclusion(&one["conclusion"])).collect()
    }

    /// Both must have the same conclusion, and the same checks with the same outcomes in the same order.
    #[track_caller]
    pub(crate) fn agree(&self, name: &str) {
        let ours = self.ours.as_array().unwrap();
        for (ours, theirs) in ours.iter().zip(self.theirs.as_array().unwrap()) {
            agreement(ours, theirs).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
}

/// Whether both agree on one file.
pub(crate) fn agreement(ours: &Value, theirs: &Value) -> Result<(), String> {
    let outcomes = |report: &Value| -> Vec<(String, Value)> {
        let checks = report["verdict"]["checks"].as_array().unwrap();
        checks.iter().map(|c| (c["name"].as_str().unwrap().to_owned(), c["ok"].clone())).collect()
    };
    let stated =
        |report: &Value| ["kind", "sha256", "kid"].map(|name| report["verdict"][name].clone());
    let same = ours["conclusion"] == theirs["conclusion"]
        && outcomes(ours) == outcomes(theirs)
        && stated(ours) == stated(theirs)
        && ours["file"] == theirs["file"];
    if same { Ok(()) } else { Err(format!("wayleave: {ours:#}\nnode: {theirs:#}")) }
}

pub(crate) fn conclusion(word: &Value) -> Conclusion {
    match word.as_str().unwrap() {
        "accepted" => Conclusion::Accepted,
        "incomplete" => Conclusion::Incomplete,
        "refused" => Conclusion::Refused,
        other => panic!("{other}"),
    }
}
