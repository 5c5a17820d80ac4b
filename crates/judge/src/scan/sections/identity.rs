//! Whether structured data names the site's owner, and whether all sources agree.

use contract::records::{FaultWeight, Severity, StatedFact};

use super::inputs::SectionInputs;
use crate::scan::convert::with_location;
use crate::scan::verdicts::{RuleOutcome, Verdicts, finding_for_rule};

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let (Some(lineage), Some(reading)) = (inputs.lineage, inputs.content.reading.clone()) else {
        for rule in ["identity.named", "identity.agrees"] {
            verdicts.add_not_assessed(rule, "No readable HTML page was served.");
        }
        return;
    };
    let evidence = vec![reading];
    let broken: Vec<_> =
        lineage.faults.iter().filter(|fault| fault.weight != FaultWeight::Note).collect();
    match &lineage.subject.untrusted_name {
        Some(_) if !broken.is_empty() => {
            verdicts.add_ruling(
                "identity.named",
                RuleOutcome::Share { got: 1, of: 2 },
                "Structured data names the site's owner, but has errors that strict parsers reject.",
                evidence.clone(),
            );
        }
        Some(_) => verdicts.add_passed(
            "identity.named",
            format!(
                "Structured data names the site's owner ({}).",
                lineage.read.carriers.join(", ")
            ),
            evidence.clone(),
        ),
        None => {
            verdicts.add_failed(
                "identity.named",
                "No structured data names the site's owner.",
                evidence.clone(),
            );
            let mut finding =
                finding_for_rule(inputs.parsed.rules, "identity.named", "not_named", Severity::Low);
            finding.title = "No structured data names the site's owner".to_owned();
            finding.seen = "No JSON-LD or microdata on the home page names an organisation, business or person."
                .to_owned();
            finding.fix =
                Some("Add this to the head of the home page, with your own data.".to_owned());
            finding.paste = Some(format!(
                "<script type=\"application/ld+json\">\n{{\n  \"@context\": \"https://schema.org\",\n  \"@type\": \
                 \"Organization\",\n  \"name\": \"YOUR NAME\",\n  \"url\": \"https://{}/\"\n}}\n</script>",
                inputs.parsed.evidence.host
            ));
            finding.evidence = evidence.clone();
            verdicts.add_finding(finding);
        }
    }
    if !broken.is_empty() {
        let mut finding = finding_for_rule(
            inputs.parsed.rules,
            "identity.named",
            "markup_faults",
            Severity::Medium,
        );
        finding.title = "Structured data has errors".to_owned();
        let join_faults = |text: fn(&contract::records::FileFault) -> &String| {
            let all = broken.iter().take(8).map(|fault| with_location(&fault.at, text(fault)));
            all.collect::<Vec<_>>().join(" ")
        };
        finding.seen = join_faults(|fault| &fault.problem);
        finding.fix = Some(join_faults(|fault| &fault.fix));
        finding.evidence = evidence.clone();
        verdicts.add_finding(finding);
    }
    let several = lineage.facts.iter().any(|fact| fact.stated.len() > 1);
    if !several {
        return verdicts.add_not_applicable("identity.agrees", "No fact is stated by two sources.");
    }
    if lineage.disagree.is_empty() {
        return verdicts.add_passed(
            "identity.agrees",
            "All facts that are stated more than once agree.",
            evidence,
        );
    }
    verdicts.add_failed(
        "identity.agrees",
        format!("Sources contradict each other about: {}.", lineage.disagree.join(", ")),
        evidence.clone(),
    );
    for name in &lineage.disagree {
        let Some(fact) = lineage.facts.iter().find(|fact| &fact.fact == name) else { continue };
        let mut finding = finding_for_rule(
            inputs.parsed.rules,
            "identity.agrees",
            &format!("facts_disagree:{name}"),
            Severity::Medium,
        );
        finding.title = format!("The page contradicts itself about its {}", name.replace('_', " "));
        finding.matters_to =
            vec!["readers".to_owned(), "agents".to_owned(), "site_owner".to_owned()];
        // Only the values that contradict each other: the page may state others, of branches for example.
        let conflicting = inputs.nap.and_then(|nap| nap.conflicts.get(name));
        let is_conflicting = |stated: &&StatedFact| {
            conflicting.is_none_or(|values| values.contains(&stated.untrusted_value))
        };
        finding.seen = fact
            .stated
            .iter()
            .filter(is_conflicting)
            .map(|stated| format!("{} says “{}”", stated.source, stated.untrusted_value))
            .collect::<Vec<_>>()
            .join("; ")
            + ".";
        finding.fix = Some("Decide which value is correct and use it everywhere.".to_owned());
        finding.evidence = evidence.clone();
        verdicts.add_finding(finding);
    }
}
