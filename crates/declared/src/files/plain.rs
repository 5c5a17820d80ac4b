//! Files whose meaning is read elsewhere: here only whether they can be read at all.

use super::http::Media;
use super::node::Need;
use super::node::Node;
use super::report::{Report, counted};
use super::{json, text};
use crate::robots;

pub(super) fn robots(report: &mut Report<'_>) -> Option<String> {
    // An empty robots.txt is a policy: everything is allowed.
    if report.served.body.trim_ascii().is_empty() {
        return Some("It is empty and forbids nothing.".to_owned());
    }
    let text = text::open(report, &text::PLAIN)?;
    if report.served.body.len() > robots::MAX_BYTES {
        report.warn(
            "large",
            "",
            "The file is larger than 500 KiB; crawlers may ignore what stands beyond.",
            "Shorten it: patterns with * stand for many lines.",
        );
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    report.count("lines", lines);
    Some(format!("{}.", counted(lines, "line", "lines")))
}

pub(super) fn ai_txt(report: &mut Report<'_>) -> Option<String> {
    let text = text::open(report, &text::PLAIN)?;
    let said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let lines = text.lines().filter(said).count();
    report.count("lines", lines);
    if lines == 0 {
        report.warn(
            "only_comments",
            "",
            "The file holds comments only, and a comment is no rule.",
            "Write rules like: User-Agent: * and below it Disallow: *.jpg",
        );
    }
    Some(format!("{}.", counted(lines, "line that is no comment", "lines that are no comments")))
}

pub(super) fn tdmrep(report: &mut Report<'_>) -> Option<String> {
    let value = json::open(report, &Media::JSON)?;
    let fix = "Write a list of objects: [{\"location\": \"/\", \"tdm-reservation\": 1}]";
    if !value.is_array() {
        let found = super::node::word_for(&value);
        report.spoil(
            "wrong_top_level",
            "",
            format!("The file holds {found} where a list of rules is expected."),
            fix,
        );
        return None;
    }
    let root = Node::root(&value);
    for rule in root.items().filter(|rule| !rule.value.is_object()) {
        report.wrong_type(&rule, "a rule (an object)", Need::Must, fix);
    }
    report.count("rules", root.len());
    Some(format!("{}.", counted(root.len(), "rule", "rules")))
}
