//! robots.txt, ai.txt and tdmrep.json: only whether they can be read. `robots` and `rights` parse them.

use super::http::MediaTypes;
use super::json_text::type_name;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun};
use super::{json, text};
use crate::robots;

pub(super) fn check_robots_txt(report: &mut Report<'_>) -> Option<String> {
    // An empty robots.txt is a valid policy: everything is allowed.
    if report.served.body.trim_ascii().is_empty() {
        return Some("It is empty and allows everything.".to_owned());
    }
    let text = text::read_text(report, &text::PLAIN_TEXT)?;
    if report.served.body.len() > robots::MAX_BYTES {
        report.warn(
            "large",
            "",
            "The file is larger than 500 KiB. Crawlers may ignore everything after that.",
            "Shorten it: one pattern with * can replace many lines.",
        );
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    report.set_count("lines", lines);
    Some(format!("{}.", count_with_noun(lines, "line", "lines")))
}

pub(super) fn check_ai_txt(report: &mut Report<'_>) -> Option<String> {
    let text = text::read_text(report, &text::PLAIN_TEXT)?;
    let is_content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let lines = text.lines().filter(is_content).count();
    report.set_count("lines", lines);
    if lines == 0 {
        report.warn(
            "only_comments",
            "",
            "The file contains only comments and no rules.",
            "Add rules, for example the line User-Agent: * and below it Disallow: *.jpg",
        );
    }
    Some(format!("{}.", count_with_noun(lines, "non-comment line", "non-comment lines")))
}

pub(super) fn check_tdmrep(report: &mut Report<'_>) -> Option<String> {
    let value = json::parse_body(report, &MediaTypes::JSON)?;
    let fix = "Write a list of objects: [{\"location\": \"/\", \"tdm-reservation\": 1}]";
    if !value.is_array() {
        let found = type_name(&value);
        report.fatal(
            "wrong_top_level",
            "",
            format!("The file contains {found}; a list of rules is required."),
            fix,
        );
        return None;
    }
    let root = JsonNode::root(&value);
    for rule in root.items().filter(|rule| !rule.value.is_object()) {
        report.wrong_type(&rule, "a rule (an object)", Requirement::Must, fix);
    }
    report.set_count("rules", root.len());
    Some(format!("{}.", count_with_noun(root.len(), "rule", "rules")))
}
