//! `docs/mcp-rules.md`: generated from the catalogue, the notes and the measurement, so that the page cannot
//! disagree with the rules. `UPDATE_DOCS=1 cargo test -p judge --lib mcp_rules_page` writes it.

use std::fmt::Write as _;

use super::catalogue::RULES;
use super::corpus::{
    ATTACKS, BY_OTHERS, Counts, Definition, FRESH, HARMLESS, LATEST, SCEPTIC, UNSEEN_ATTACKS,
    UNSEEN_HARMLESS, count, parse, part,
};
use super::notes::{NOTES, note};
use super::rulepack;

const HEAD: &str = "\
A scan of an MCP server reads its lists and applies the rules below to every tool, prompt, resource, template and \
to the server's instructions. No tool is called. The program's tests generate this page from the rules themselves.

A finding of a **hard** rule blocks the connection (`mcp_hard_finding`). A finding of a **soft** rule warns. Three or \
more findings of high severity ask a person to decide; findings of medium severity do not add up, however many a \
large server has. Low severity and `info` decide nothing. Every scan lists every rule as `passed`, `found` or \
`not_measured` with a reason.

Words alone rarely prove malice: honest texts also speak of secrets, of other tools, and of what not to show. \
So a finding of `instruction_override`, `secret_exfiltration`, `context_exfiltration`, `credential_phishing` or \
`system_tampering` is hard only if the words are unmistakable (such as \"ignore all previous instructions\"), if \
the same text has signs of two kinds of malice (overriding, passing on, hiding, tampering, phishing), or if the wording \
model of `suspicious_wording` is certain about the same sentence. Otherwise it is soft and of medium severity, and of \
low severity if the model finds nothing suspicious in the whole text. Words that a text only quotes or reports are a soft finding of low severity. A tag such as \
`<important>` is soft without such words around it.
";

const METHOD: &str = "\
*Flagged* means a finding of at least medium severity, *blocked* a hard one, *with hints* also the hints of \
`suspicious_wording`. For attacks more is better, for harmless definitions less. The definitions are in \
`crates/judge/tests/corpus/mcp`. The first list was written by the authors of the rules. A quarter of it was set \
aside before any rule was written, and the tests demand that at least 90 % of its attacks and at most 3 % of its \
harmless definitions are flagged. That says little about attackers who choose their own words: the lines *by \
other authors* do. They are the quarters of their lists that were set aside; the wording model learnt from the rest. \
*Tuned* lists were measured first and the rules then changed for them, so their figures flatter. *Fresh* and *unseen* \
lists were written after the rules, and no rule is changed for them.
";

const LIMITS: &str = "\
The rules miss attacks that are phrased in new ways, above all in languages other than English. A scan without \
findings is no proof that a server is harmless: what protects against a server that changes its definitions later is \
a lock (`wayleave mcp lock`), and what protects against a harmful call is the person who confirms it.
";

fn row(page: &mut String, name: &str, attacks: &[Definition], harmless: &[Definition]) {
    let cells = |counts: Counts| {
        let of = counts.of;
        format!("{} of {of} | {} | {}", counts.flagged, counts.blocked, counts.hinted)
    };
    let (attacks, harmless) = (cells(count(attacks, false)), cells(count(harmless, true)));
    writeln!(page, "| {name} | {attacks} | {harmless} |").unwrap();
}

fn mcp_rules_page() -> String {
    let mut page = String::from("# The rules for MCP servers\n\n");
    let pack = rulepack();
    page.push_str(HEAD);
    writeln!(page, "\nRulepack `{}`, SHA-256 `{}`.\n", pack.id, pack.rulepack_sha256).unwrap();
    page.push_str("## Rules\n\n| rule | tier | severity | fires | stays quiet | why it matters |\n|---|---|---|---|---|---|\n");
    for rule in RULES {
        let (fires, quiet) = note(rule.id).unwrap();
        let tier = if rule.hard { "hard" } else { "soft" };
        let cells = [fires, quiet, rule.why].map(|text| text.replace('|', "\\|"));
        writeln!(page, "| `{}` | {tier} | {} | {} |", rule.id, rule.severity, cells.join(" | "))
            .unwrap();
    }
    page.push_str("\n## How well they work\n\n");
    page.push_str(METHOD);
    page.push_str("\n| list | attacks flagged | blocked | with hints | harmless flagged | blocked | with hints |\n|---|---|---|---|---|---|---|\n");
    row(&mut page, "set aside", &part(ATTACKS, true), &part(HARMLESS, true));
    for (name, attacks, harmless) in BY_OTHERS {
        let name = format!("by other authors: {name}");
        row(&mut page, &name, &part(attacks, true), &part(harmless, true));
    }
    row(&mut page, "unseen", &parse(UNSEEN_ATTACKS), &parse(UNSEEN_HARMLESS));
    row(&mut page, "fresh, like well-known servers", &parse(FRESH.0), &parse(FRESH.1));
    row(&mut page, "fresh, second list", &parse(LATEST.0), &parse(LATEST.1));
    row(&mut page, "tuned, like well-known servers", &parse(SCEPTIC.0), &parse(SCEPTIC.1));
    page.push_str(
        "\nThe tuned list was written in two parts. Before the rules were changed for the first, 22 of its 30 attacks \
         were flagged and 15 blocked, and 14 of its 60 harmless definitions flagged and 8 blocked. For the second it \
         was 7 of 10 and 2, and 8 of 20 and none.\n\nThe first fresh list was known when the wording model and the hard \
         patterns were last extended, so its figures may flatter (before: 7 of 10 attacks flagged and none blocked). Only the \
         second one is new to them.\n\n",
    );
    page.push_str(LIMITS);
    page
}

#[test]
fn the_mcp_rules_page_is_that_of_the_rules() {
    for id in NOTES.lines().filter_map(|line| line.split(": ").next()) {
        assert!(RULES.iter().any(|rule| rule.id == id), "a note of no rule: {id}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mcp-rules.md");
    let page = mcp_rules_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page, "UPDATE_DOCS=1 writes it");
}
