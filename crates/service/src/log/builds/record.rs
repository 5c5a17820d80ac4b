//! What is published about a build: the `code` member of records, and the build's own record.

use contract::Brand;
use contract::records::{
    Build, BuildActive, BuildAnswers, BuildAttestation, BuildFiles, BuildNotMeasured,
    BuildReproducible, BuildRulepack, BuildSource, CodeObject, CodeState, Deployment,
    ReproducedState,
};
use proof::Digest;

use super::entry::{BUILD_KIND, BUILDS_PATH, BuildContent, LoggedBuild};

/// Cargo profiles of published builds.
const RELEASE_PROFILES: [&str; 2] = ["release", "dist"];
/// How a reader computes `version_id` from the record.
const CONTENT_RULE: &str = "The log entry is an object of six members: log (the log id); kind; artifact; source, \
with only commit and clean; toolchain; rules, with score_version, scoring_policy_sha256 and \
decision_rules_sha256. version_id is the SHA-256 of a zero byte followed by the RFC 8785 form of the entry: its \
leaf hash in the log.";

pub(super) fn build_code_object(
    version_id: Digest,
    content: &BuildContent,
    run: Option<String>,
    logged: Option<&LoggedBuild>,
    base_url: &str,
) -> CodeObject {
    let artifact = content.artifact.artifact_sha256.as_deref();
    CodeObject {
        version_id: version_id.to_hex(),
        script_sha16: artifact.map(|hex| hex.chars().take(16).collect()),
        state: code_state(content, logged.is_some()),
        deployed: Deployment {
            at: logged.and_then(|logged| logged.logged_at),
            commit: content.source.commit.clone(),
            run,
        },
        build_log_entry: logged.map(|logged| logged.log_index),
        score_version: content.rules.score_version,
        scoring_policy_sha256: content.rules.scoring_policy_sha256.clone(),
        decision_rules_sha256: content.rules.decision_rules_sha256.clone(),
        check: format!("{base_url}{BUILDS_PATH}{version_id}"),
    }
}

/// A build is attested if others can check it: it is in the log, and its sources and profile allow a
/// second build.
fn code_state(content: &BuildContent, is_logged: bool) -> CodeState {
    let is_reproducible = content.artifact.artifact_sha256.is_some()
        && content.source.commit.is_some()
        && content.source.clean == Some(true)
        && RELEASE_PROFILES.contains(&content.toolchain.profile.as_str());
    match (is_logged, is_reproducible) {
        (true, true) => CodeState::Attested,
        (true, false) => CodeState::Declared,
        (false, _) => CodeState::Unattested,
    }
}

pub(super) fn build_record(
    content: BuildContent,
    code: CodeObject,
    logged: Option<&LoggedBuild>,
    brand: &Brand,
    base_url: &str,
) -> Build {
    let BuildContent { artifact, source, toolchain, rules, .. } = content;
    let unknown = |why| BuildNotMeasured::with_reason(why);
    Build {
        kind: brand.kind(BUILD_KIND),
        v: 1,
        schema: contract::schema::schema_url(BUILD_KIND, brand, base_url),
        version_id: code.version_id,
        script_sha16: code.script_sha16,
        state: code.state,
        deployed: code.deployed,
        build_log_entry: code.build_log_entry,
        score_version: code.score_version,
        scoring_policy_sha256: code.scoring_policy_sha256,
        decision_rules_sha256: code.decision_rules_sha256,
        check: code.check,
        artifact,
        source: BuildSource {
            repository: None,
            commit: source.commit,
            tree_sha: None,
            tag: None,
            clean: source.clean,
        },
        toolchain,
        rulepacks: vec![BuildRulepack {
            id: format!("scan-{}", rules.score_version),
            rulepack_sha256: rules.scoring_policy_sha256,
        }],
        attestation: BuildAttestation::NotMeasured(unknown("The builder issued no attestation.")),
        reproducible: BuildReproducible {
            state: ReproducedState::NotMeasured,
            by: None,
            at: None,
            why: Some("No second build has been reported.".to_owned()),
        },
        supersedes: None,
        superseded_by: None,
        active: BuildActive { from: logged.and_then(|logged| logged.logged_at), to: None },
        answers_signed: BuildAnswers::NotMeasured(unknown("Answers are not counted per build.")),
        revoked: None,
        files: BuildFiles { scoring_policy: None, decision_rules: None },
        content_rule: CONTENT_RULE.to_owned(),
        sha256: None,
        signature: None,
    }
}
