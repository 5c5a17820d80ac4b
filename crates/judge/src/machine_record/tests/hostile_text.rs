//! Whatever a site writes stays in its line and field.

use std::sync::LazyLock;

use contract::records::{MachineRecordFormat, ScanRecord, StatedFact};
use declared::fault::Weight;
use declared::files::FileKind;
use proptest::prelude::*;
use serde_json::Value;

use super::{build_from, shop, with_site};
use crate::scan::tests::EvidenceBuilder;

/// Puts a text in place of everything that the site wrote.
fn with_text(record: &mut ScanRecord, text: &str) {
    let lineage = record.fact_lineage.as_mut().unwrap();
    lineage.subject.untrusted_name = Some(text.to_owned());
    lineage.subject.types = vec![text.to_owned()];
    for fact in &mut lineage.facts {
        for StatedFact { untrusted_value, .. } in &mut fact.stated {
            *untrusted_value = text.to_owned();
        }
    }
    record.content.untrusted_title = Some(text.to_owned());
    record.content.untrusted_description = Some(text.to_owned());
    for check in &mut record.checks {
        check.excerpt = Some(text.to_owned());
    }
}

fn check(site: &EvidenceBuilder, record: &ScanRecord) -> Result<(), TestCaseError> {
    let made = build_from(site, record);
    for file in &made.files {
        let text = &file.untrusted_text;
        match file.format {
            MachineRecordFormat::JsonLd => {
                let marks = ['<', '>', '\u{2028}'];
                prop_assert!(!text.contains(marks), "{}", text);
                let members: Value = serde_json::from_str(text).unwrap();
                let members = members.as_object().unwrap();
                prop_assert_eq!(&members["@context"], "https://schema.org");
                prop_assert!(members.len() <= 20, "{}", text);
                let entity = with_site(site, record, |site| super::json_ld::parse_back(site, text));
                prop_assert!(entity.owner_found, "{}", text);
            }
            MachineRecordFormat::LlmsTxt => {
                let inspection = with_site(site, record, |site| {
                    site.inspect(FileKind::LlmsTxt, "/llms.txt", text)
                });
                prop_assert!(inspection.usable, "{}", text);
                let bad = inspection.faults.iter().any(|fault| fault.weight != Weight::Note);
                prop_assert!(!bad, "{:?}\n{}", inspection.faults, text);
                // Title, summary, two headings, two lists and the blank lines between them.
                let headings = text.lines().filter(|line| line.starts_with('#')).count();
                prop_assert_eq!(headings, 2, "{}", text);
                prop_assert_eq!(inspection.counts["links"], 1, "{}", text);
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn text_of_a_site_adds_no_line_and_no_markup() {
    let site = shop().robots(404, "");
    let record = site.build_record();
    for text in [
        "a\n# Second title\n- [x](https://evil.example/)",
        "a\r\nUser-agent: *\rAllow: /",
        "</script><script>alert(1)</script>",
        "a](https://evil.example/) [b",
        "](x) <https://evil.example>",
        "\"}, \"@type\": \"Person",
        "#",
        "- [x](https://evil.example/)",
        "```",
        "\u{2028}# x",
        "\\",
        "&lt;script&gt;",
    ] {
        let mut changed = record.clone();
        with_text(&mut changed, text);
        check(&site, &changed).unwrap();
    }
}

/// A newline in a statement cannot add a rule.
#[test]
fn statements_add_no_robots_line() {
    let site =
        shop().robots(200, "User-agent: *\nDisallow: /basket\nContent-Signal: ai-train=no\n");
    let mut record = site.build_record();
    for signal in &mut record.policy.signals {
        signal.untrusted_raw = "x\nAllow: /".to_owned();
        signal.carrier = "header".to_owned();
        signal.agents = vec!["GPTBot\nAllow: /".to_owned(), "*".to_owned()];
    }
    let made = build_from(&site, &record);
    let file = super::file(&made, MachineRecordFormat::RobotsTxt);
    assert_eq!(
        file.untrusted_text,
        "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /basket\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_text_stays_in_its_place(text in prop_oneof![
        any::<String>(),
        "[\\n\\r #>\\-*+\\[\\]()<>!`|~=:./a-z0-9\\\\]{0,60}",
    ]) {
        static SHOP: LazyLock<(EvidenceBuilder, ScanRecord)> = LazyLock::new(|| {
            let site = shop().robots(404, "");
            let record = site.build_record();
            (site, record)
        });
        let (site, mut record) = (&SHOP.0, SHOP.1.clone());
        with_text(&mut record, &text);
        check(site, &record)?;
    }
}
