use std::collections::BTreeMap;

use contract::records::{Rights, RightsValue as Value, ScanRecord};
use proptest::prelude::*;

use super::*;
use crate::scan::tests::EvidenceBuilder;

fn decided(robots: &str) -> (ScanRecord, Rights) {
    let record = EvidenceBuilder::new()
        .robots(200, robots)
        .browser_and_control()
        .crawlers(200, crate::scan::tests::PAGE)
        .build_record();
    let block = rights_section(&record, "https://svc.example");
    (record, block)
}

#[test]
fn a_prohibition_decides_and_names_its_line() {
    let (_, rights) = decided("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n");
    assert!(rights.observed);
    assert_eq!(rights.train.value, Value::Disallowed);
    assert_eq!(rights.train.decided_by.signal.as_deref(), Some("content_signal"));
    assert_eq!(rights.train.decided_by.url.as_deref(), Some("https://ferry.lab/robots.txt"));
    assert_eq!(rights.train.decided_by.evidence.as_deref(), Some("line 2"));
    assert_eq!(rights.cite.value, Value::Allowed);
    assert_eq!((rights.ground.value, rights.ground.decided_by.signal), (Value::Unknown, None));
    assert_eq!(rights.api, "https://svc.example/api/v1/rights?domain=ferry.lab");
}

#[test]
fn a_robots_rule_decides_as_access_and_names_its_lines() {
    let (_, rights) = decided("User-agent: *\nDisallow: /\n");
    assert_eq!(rights.train.value, Value::Disallowed);
    assert_eq!(rights.train.decided_by.signal.as_deref(), Some("access"));
    assert!(rights.train.decided_by.evidence.unwrap().contains("line 2 for GPTBot"));
    // robots.txt rules are not about these uses.
    assert_eq!(rights.summarize.value, Value::Unknown);
    assert_eq!(rights.transact.value, Value::Unknown);
}

#[test]
fn rights_are_unknown_if_nothing_was_read() {
    let record = EvidenceBuilder::new().robots(403, "no").build_record();
    let rights = rights_section(&record, "https://svc.example");
    assert!(!rights.observed);
    assert_eq!((rights.read_at, rights.train.value), (None, Value::Unknown));
    // A missing robots.txt is an observation, too.
    assert!(
        rights_section(
            &EvidenceBuilder::new().robots(404, "").build_record(),
            "https://svc.example"
        )
        .observed
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The section is computed again from the stored statements and must give the same values as the
    /// record.
    #[test]
    fn the_section_agrees_with_the_record(lines in proptest::collection::vec(prop_oneof![
        Just("User-agent: *"), Just("User-agent: GPTBot"), Just("User-agent: CCBot"),
        Just("Allow: /"), Just("Disallow: /"), Just(""),
        Just("Content-Signal: ai-train=no"), Just("Content-Signal: ai-train=yes, search=no, use=immediate"),
        Just("Content-Usage: train-ai=n"), Just("Content-Usage: / train-ai=y, search=n"),
    ], 0..14)) {
        let (record, rights) = decided(&lines.join("\n"));
        let section_rights = BTreeMap::from([
            ("train", &rights.train), ("ground", &rights.ground), ("summarize", &rights.summarize),
            ("cite", &rights.cite), ("transact", &rights.transact),
        ]);
        for (name, right) in section_rights {
            let recorded = &record.policy.rights[name];
            prop_assert_eq!(&right.value, &recorded.value);
            prop_assert_eq!(right.conflicts, recorded.conflicts);
            prop_assert_eq!(right.decided_by.signal.is_some(), recorded.value != Value::Unknown);
        }
    }
}

mod query_answers {
    use agents::Catalogue;
    use contract::Brand;
    use contract::records::{ConflictRule, RightsRecord};

    use super::*;
    use contract::Issuer;

    /// The vector of the AIPREF draft, with a group of its own for one agent.
    const ROBOTS: &str = "User-agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n\
        Content-Usage: /ai-ok/ train-ai=y\n\nUser-agent: ExampleBot\nAllow: /\nContent-Usage: train-ai=y\n";

    fn ask(site: &EvidenceBuilder, path: &str, agent: Option<&str>) -> RightsRecord {
        let brand = Brand::default();
        let record = site.build_record();
        let issuer = Issuer::new(brand.clone(), "https://svc.example");
        answer(
            &record.domain,
            Some(&record),
            &site.bodies,
            &Catalogue::built_in().unwrap(),
            RightsQuery { path, agent },
            &issuer,
        )
    }

    fn site(robots: &str) -> EvidenceBuilder {
        EvidenceBuilder::new()
            .robots(200, robots)
            .browser_and_control()
            .crawlers(200, crate::scan::tests::PAGE)
    }

    #[test]
    fn a_path_and_an_agent_are_answered_by_the_lines_that_are_for_them() {
        let site = site(ROBOTS);
        let train = |path: &str, agent: Option<&str>| ask(&site, path, agent).train.value;
        assert_eq!(train("/test", Some("SomeBot")), Value::Disallowed);
        assert_eq!(train("/ai-ok/test", Some("SomeBot")), Value::Allowed);
        assert_eq!(train("/test", Some("examplebot")), Value::Allowed);
        // May not be fetched: prohibited by access, regardless of other lines.
        let never = ask(&site, "/never/test", Some("SomeBot"));
        assert_eq!(never.train.value, Value::Disallowed);
        assert_eq!(never.train.decided_by.signal.as_deref(), Some("access"));
        assert_eq!(never.train.decided_by.evidence.as_deref(), Some("line 3 for SomeBot"));
        assert_eq!(train("/never/test", Some("ExampleBot")), Value::Allowed);
        assert!(never.not_read.iter().any(|what| what.contains("of this page")));
        assert_eq!(
            never.api,
            "https://svc.example/api/v1/rights?domain=ferry.lab&path=%2Fnever%2Ftest&agent=SomeBot"
        );
    }

    #[test]
    fn a_missing_body_is_reported_and_grants_nothing() {
        let mut site = site(ROBOTS);
        let record = site.build_record();
        site.bodies.clear();
        let brand = Brand::default();
        let issuer = Issuer::new(brand.clone(), "https://svc.example");
        let catalogue = Catalogue::built_in().unwrap();
        let query = RightsQuery { path: "/ai-ok/x", agent: None };
        let record_answer =
            answer(&record.domain, Some(&record), &site.bodies, &catalogue, query, &issuer);
        assert_eq!(record_answer.train.value, Value::Unknown);
        assert!(
            record_answer.not_read.iter().any(|what| what.starts_with("robots.txt")),
            "{record_answer:?}"
        );
        let none = answer(&record.domain, None, &site.bodies, &catalogue, query, &issuer);
        assert!(!none.observed && none.read_at.is_none());
    }

    #[test]
    fn conflicts_name_both_signals_and_are_as_many_as_counted() {
        let torn =
            "User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: train-ai=y\nAllow: /\n";
        let record_answer = ask(&site(torn), "/", None);
        assert_eq!(record_answer.train.value, Value::Disallowed);
        let about: Vec<_> =
            record_answer.conflicts.iter().filter(|c| c.content_use == "train").collect();
        assert_eq!(about.len(), usize::try_from(record_answer.train.conflicts).unwrap());
        assert_eq!(about[0].signals, ["content_signal", "aipref"]);
        assert_eq!(about[0].resolved_by, ConflictRule::MostRestrictive);
        assert_eq!(record_answer.signals.len(), 2);
        assert_eq!(record_answer.signals[0].group.as_deref(), Some("*"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// The answer for the home page and all agents is the same as the section.
        #[test]
        fn the_answer_for_everyone_is_the_block(lines in proptest::collection::vec(prop_oneof![
            Just("User-agent: *"), Just("User-agent: GPTBot"), Just("Allow: /"), Just("Disallow: /"),
            Just("Content-Signal: ai-train=no, use=immediate"), Just("Content-Usage: train-ai=y"),
        ], 0..12)) {
            let site = site(&lines.join("\n"));
            let block = rights_section(&site.build_record(), "https://svc.example");
            let record_answer = ask(&site, "/", None);
            prop_assert_eq!(&record_answer.train.value, &block.train.value);
            prop_assert_eq!(&record_answer.train.decided_by, &block.train.decided_by);
            prop_assert_eq!(&record_answer.cite.value, &block.cite.value);
            let counted = record_answer.conflicts.iter().filter(|c| c.content_use == "train").count();
            prop_assert_eq!(counted, usize::try_from(block.train.conflicts).unwrap());
        }
    }
}
