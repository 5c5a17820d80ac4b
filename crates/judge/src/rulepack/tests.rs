use super::*;

#[test]
fn letters_begin_where_the_table_says() {
    let rules = Rulepack::current();
    for (score, letter) in
        [(100, "A"), (90, "A"), (89, "B"), (70, "C"), (60, "D"), (59, "F"), (0, "F")]
    {
        assert_eq!(rules.letter(score), Some(letter), "{score}");
    }
}

#[test]
fn weights_come_to_a_hundred_and_every_rule_has_its_section() {
    let rules = Rulepack::current();
    assert_eq!(rules.rules.iter().map(|rule| rule.weight).sum::<u32>(), 100);
    for rule in &rules.rules {
        assert!(rules.sections.iter().any(|section| section.id == rule.section), "{}", rule.id);
        assert!(rule.id.starts_with(&format!("{}.", rule.section)), "{}", rule.id);
        assert!(rule.weight > 0, "{}", rule.id);
    }
    for section in &rules.sections {
        assert!(rules.rules.iter().any(|rule| rule.section == section.id), "{}", section.id);
    }
    let mut ids: Vec<_> = rules.rules.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules.rules.len());
}

/// Rules cannot change unnoticed: whoever changes one raises `score_version` and updates the digest
/// here.
#[test]
fn the_digest_belongs_to_the_version() {
    let rules = Rulepack::current();
    assert_eq!(
        (rules.score_version, rules.digest().as_str()),
        (5, "ab757650c9ef5ada40268c5c983e35f77535b0f89dc744f65e18764b3b7e47dc")
    );
}

/// `docs/scoring.md` is generated from the rules. Run with `UPDATE_DOCS=1` to regenerate it.
#[test]
fn the_published_method_is_the_one_that_judges() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scoring.md");
    let page = method_page(&Rulepack::current());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page);
}
