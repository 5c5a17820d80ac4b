//! The Agent Skills discovery index (draft 0.2.0): skills with their addresses and digests.

use std::collections::BTreeSet;

use super::http::Media;
use super::json;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const MAX_DESCRIPTION_CHARS: usize = 1_024;
const DIGEST_FIX: &str = "Write sha256: and the 64 lower-case hex digits of the file's SHA-256, made over the very bytes you serve: sha256sum SKILL.md";

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::open_object(report, &Media::JSON)?;
    let root = Node::root(&value);
    let old = match root.member("$schema") {
        None => {
            let files = root.member("skills").is_some_and(|skills| {
                skills.items().any(|skill| skill.has("files") && !skill.has("digest"))
            });
            if files {
                report.warn(
                    "old_shape",
                    "/skills",
                    "This is the shape of version 0.1 (lists of files, no digests) at the path of version 0.2; current readers cannot check what they load.",
                    format!("Add \"$schema\": \"{SCHEMA}\" and give every skill type, url and digest."),
                );
            } else {
                report.error(
                    "missing_member",
                    "/$schema",
                    "“$schema” is missing; readers tell the version by it and take this for version 0.1.",
                    format!("Add: \"$schema\": \"{SCHEMA}\""),
                );
            }
            files
        }
        Some(found) => {
            if found.value.as_str() != Some(SCHEMA) {
                report.spoil(
                    "unknown_schema",
                    "/$schema",
                    format!(
                        "{} is not a version that readers know; they must not go on.",
                        json::glimpse(found.value)
                    ),
                    format!("Write exactly: \"$schema\": \"{SCHEMA}\""),
                );
            }
            false
        }
    };
    report.version = Some(if old { "0.1" } else { "0.2.0" }.into());
    let list = report.list(&root, "skills", Need::Vital, "Add a list: \"skills\": [ … ]")?;
    if list.len() == 0 {
        report.warn(
            "no_skills",
            "/skills",
            "The index lists no skills.",
            "List your skills, or answer 404 until you have some.",
        );
    }
    let mut names = BTreeSet::new();
    for skill in list.items() {
        one(report, &skill, old, &mut names);
    }
    report.count("skills", list.len());
    Some(format!("{}.", counted(list.len(), "skill", "skills")))
}

fn one<'v>(report: &mut Report<'_>, skill: &Node<'v>, old: bool, names: &mut BTreeSet<&'v str>) {
    if !skill.value.is_object() {
        report.wrong_type(
            skill,
            "a skill (an object)",
            Need::Must,
            "Write each skill as an object.",
        );
        return;
    }
    let name_fix = "Use 1 to 64 of a–z, 0–9 and single hyphens, for example “track-order”.";
    if let Some(name) = report.text(skill, "name", Need::Must, name_fix) {
        if !is_name(name) {
            report.error(
                "bad_name",
                skill.path("name"),
                format!("{} is not a name that the format allows.", quoted(name)),
                name_fix,
            );
        }
        if !names.insert(name) {
            report.error(
                "doubled_skill",
                skill.path("name"),
                format!("The name {} stands more than once.", quoted(name)),
                "Give every skill its own name.",
            );
        }
    }
    let fix = "Say in at most 1,024 characters what the skill does and when to use it.";
    if let Some(text) = report.text(skill, "description", Need::Must, fix)
        && text.chars().nth(MAX_DESCRIPTION_CHARS).is_some()
    {
        report.error(
            "long_value",
            skill.path("description"),
            "The description is longer than 1,024 characters.",
            fix,
        );
    }
    if old {
        return;
    }
    let fix =
        "Write \"type\": \"skill-md\" for a single SKILL.md, \"archive\" for a .tar.gz or .zip.";
    if let Some(kind) = report.text(skill, "type", Need::Must, fix)
        && !matches!(kind, "skill-md" | "archive")
    {
        report.error(
            "unknown_type",
            skill.path("type"),
            format!("{} is not a type of the format; readers pass the skill over.", quoted(kind)),
            fix,
        );
    }
    let fix = "Give the address of the skill, for example \"url\": \"/.well-known/agent-skills/track-order/SKILL.md\".";
    if let Some(url) = report.text(skill, "url", Need::Must, fix) {
        report.reference(&skill.path("url"), url);
    }
    if let Some(digest) = report.text(skill, "digest", Need::Must, DIGEST_FIX) {
        let hex = digest.strip_prefix("sha256:");
        let right = hex.is_some_and(|hex| {
            hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        });
        if !right {
            report.error(
                "bad_digest",
                skill.path("digest"),
                format!(
                    "{} is not a digest as the format writes it, so the skill must not be used.",
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
