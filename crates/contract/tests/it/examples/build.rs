//! Example of a build.

use contract::records::{
    Build, BuildActive, BuildAnswers, BuildArtifact, BuildAttestation, BuildFiles,
    BuildNotMeasured, BuildReproducible, BuildRulepack, BuildSource, BuildToolchain, CodeState,
    Deployment, ReproducedState,
};

use super::{at, digest, kind, schema, signature, some, url};

pub(super) fn build() -> Build {
    Build {
        kind: kind("build"),
        v: 1,
        schema: schema("build"),
        version_id: digest('7'),
        script_sha16: some("0123456789abcdef"),
        state: CodeState::Declared,
        deployed: Deployment { at: Some(at("00:00:00")), commit: some("abc1234"), run: None },
        build_log_entry: Some(31),
        score_version: 1,
        scoring_policy_sha256: digest('b'),
        decision_rules_sha256: digest('c'),
        check: url("/api/v1/builds/7"),
        artifact: BuildArtifact {
            name: "wayleave".to_owned(),
            artifact_sha256: Some(digest('9')),
            bytes: Some(18_200_412),
            target: "x86_64-unknown-linux-gnu".to_owned(),
        },
        source: BuildSource {
            repository: None,
            commit: some("abc1234"),
            tree_sha: None,
            tag: None,
            clean: Some(true),
        },
        toolchain: BuildToolchain {
            rustc: some("1.95.0"),
            cargo_lock_sha256: Some(digest('8')),
            profile: "release".to_owned(),
        },
        rulepacks: vec![BuildRulepack { id: "scan-1".to_owned(), rulepack_sha256: digest('b') }],
        attestation: BuildAttestation::NotMeasured(BuildNotMeasured::with_reason(
            "no such builder",
        )),
        reproducible: BuildReproducible {
            state: ReproducedState::NotMeasured,
            by: None,
            at: None,
            why: some("No second build has been reported."),
        },
        supersedes: None,
        superseded_by: None,
        active: BuildActive { from: Some(at("00:00:00")), to: None },
        answers_signed: BuildAnswers::Counted(4021),
        revoked: None,
        files: BuildFiles { scoring_policy: None, decision_rules: None },
        content_rule: "The log entry is an object of six members.".to_owned(),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}
