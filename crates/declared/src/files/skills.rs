//! The Agent Skills discovery index (draft 0.2.0): skills with their URLs and digests.

use std::collections::BTreeSet;

use super::http::MediaTypes;
use super::json;
use super::json_text::describe_value;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const MAX_DESCRIPTION_CHARS: usize = 1_024;
const DIGEST_FIX: &str = "Write sha256: followed by the SHA-256 of the served file as 64 lower-case hex digits: sha256sum SKILL.md";

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::parse_object(report, &MediaTypes::JSON)?;
    let root = JsonNode::root(&value);
    let old = match root.member("$schema") {
        None => {
            let files = root.member("skills").is_some_and(|skills| {
                skills.items().any(|skill| skill.has("files") && !skill.has("digest"))
            });
            if files {
                report.warn(
                    "old_shape",
                    "/skills",
                    "The index has the format of version 0.1 (lists of files, no digests) at the path of version 0.2. Current readers cannot verify what they load.",
                    format!("Add \"$schema\": \"{SCHEMA}\" and give every skill type, url and digest."),
                );
            } else {
                report.error(
                    "missing_member",
                    "/$schema",
                    "“$schema” is missing. Readers detect the version by it and treat this file as version 0.1.",
                    format!("Add: \"$schema\": \"{SCHEMA}\""),
                );
            }
            files
        }
        Some(found) => {
            if found.value.as_str() != Some(SCHEMA) {
                report.fatal(
                    "unknown_schema",
                    "/$schema",
                    format!(
                        "{} is not a known version. Readers must stop here.",
                        describe_value(found.value)
                    ),
                    format!("Write exactly: \"$schema\": \"{SCHEMA}\""),
                );
            }
            false
        }
    };
    report.version = Some(if old { "0.1" } else { "0.2.0" }.into());
    let list = report.list(&root, "skills", Requirement::Vital, "Add a list: \"skills\": [ … ]")?;
    if list.len() == 0 {
        report.warn(
            "no_skills",
            "/skills",
            "The index lists no skills.",
            "List your skills, or answer 404 if you have none.",
        );
    }
    let mut names = BTreeSet::new();
    for skill in list.items() {
        check_skill(report, &skill, old, &mut names);
    }
    report.set_count("skills", list.len());
    Some(format!("{}.", count_with_noun(list.len(), "skill", "skills")))
}

fn check_skill<'v>(
    report: &mut Report<'_>,
    skill: &JsonNode<'v>,
    old: bool,
    names: &mut BTreeSet<&'v str>,
) {
    if !skill.value.is_object() {
        report.wrong_type(
            skill,
            "a skill (an object)",
            Requirement::Must,
            "Write each skill as an object.",
        );
        return;
    }
    let name_fix = "Use 1 to 64 of a–z, 0–9 and single hyphens, for example “track-order”.";
    if let Some(name) = report.text(skill, "name", Requirement::Must, name_fix) {
        if !is_name(name) {
            report.error(
                "bad_name",
                skill.pointer_to("name"),
                format!("{} is not a valid name.", quoted(name)),
                name_fix,
            );
        }
        if !names.insert(name) {
            report.error(
                "doubled_skill",
                skill.pointer_to("name"),
                format!("The name {} is used more than once.", quoted(name)),
                "Give every skill a unique name.",
            );
        }
    }
    let fix = "Describe in at most 1,024 characters what the skill does and when to use it.";
    if let Some(text) = report.text(skill, "description", Requirement::Must, fix)
        && text.chars().nth(MAX_DESCRIPTION_CHARS).is_some()
    {
        report.error(
            "long_value",
            skill.pointer_to("description"),
            "The description is longer than 1,024 characters.",
            fix,
        );
    }
    if old {
        return;
    }
    let fix =
        "Write \"type\": \"skill-md\" for a single SKILL.md, \"archive\" for a .tar.gz or .zip.";
    if let Some(kind) = report.text(skill, "type", Requirement::Must, fix)
        && !matches!(kind, "skill-md" | "archive")
    {
        report.error(
            "unknown_type",
            skill.pointer_to("type"),
            format!(
                "{} is not a type that the format defines. Readers skip the skill.",
                quoted(kind)
            ),
            fix,
        );
    }
    let fix = "Add the URL of the skill, for example \"url\": \"/.well-known/agent-skills/track-order/SKILL.md\".";
    if let Some(url) = report.text(skill, "url", Requirement::Must, fix) {
        report.check_url_reference(&skill.pointer_to("url"), url);
    }
    if let Some(digest) = report.text(skill, "digest", Requirement::Must, DIGEST_FIX) {
        let hex = digest.strip_prefix("sha256:");
        let right = hex.is_some_and(|hex| {
            hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        });
        if !right {
            report.error(
                "bad_digest",
                skill.pointer_to("digest"),
                format!(
                    "{} is not a valid digest, so readers must not use the skill.",
                    quoted(digest)
                ),
                DIGEST_FIX,
            );
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}
