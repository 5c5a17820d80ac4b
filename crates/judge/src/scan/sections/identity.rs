//! Whether the page says whose it is, and says it the same way everywhere.

use contract::records::{FaultWeight, Severity};

use super::Readings;
use crate::scan::verdicts::{Outcome, Verdicts, about};

pub(super) fn judge(read: &Readings<'_>, out: &mut Verdicts) {
    let (Some(lineage), Some(reading)) = (read.lineage, read.content.reading.clone()) else {
        for rule in ["identity.named", "identity.agrees"] {
            out.not_assessed(rule, "No HTML page was given that could be read.");
        }
        return;
    };
    let evidence = vec![reading];
    let broken: Vec<_> =
        lineage.faults.iter().filter(|fault| fault.weight != FaultWeight::Note).collect();
    match &lineage.subject.untrusted_name {
        Some(_) if !broken.is_empty() => {
            out.rule(
                "identity.named",
                Outcome::Share { got: 1, of: 2 },
                "The page names its owner in markup that strict readers cannot read.",
                evidence.clone(),
            );
        }
        Some(_) => out.passed(
            "identity.named",
            format!("The page names its owner ({}).", lineage.read.carriers.join(", ")),
            evidence.clone(),
        ),
        None => {
            out.failed("identity.named", "No structured data names the owner.", evidence.clone());
            let mut finding = about(read.look.rules, "identity.named", "not_named", Severity::Low);
            finding.title = "Nothing on the page says in a machine's words whose it is".to_owned();
            finding.seen = "No JSON-LD or microdata of the home page names an organisation, business or person."
                .to_owned();
            finding.fix =
                Some("Put this into the head of the home page, with your own facts.".to_owned());
            finding.paste = Some(format!(
                "<script type=\"application/ld+json\">\n{{\n  \"@context\": \"https://schema.org\",\n  \"@type\": \
                 \"Organization\",\n  \"name\": \"YOUR NAME\",\n  \"url\": \"https://{}/\"\n}}\n</script>",
                read.look.evidence.host
            ));
            finding.evidence = evidence.clone();
            out.find(finding);
        }
    }
    if !broken.is_empty() {
        let mut finding =
            about(read.look.rules, "identity.named", "markup_faults", Severity::Medium);
        finding.title = "Structured data is there, and cannot be read as it was meant".to_owned();
        let told = |text: fn(&contract::records::FileFault) -> &String| {
            let all = broken.iter().take(8).map(|fault| crate::scan::at(&fault.at, text(fault)));
            all.collect::<Vec<_>>().join(" ")
        };
        finding.seen = told(|fault| &fault.problem);
        finding.fix = Some(told(|fault| &fault.fix));
        finding.evidence = evidence.clone();
        out.find(finding);
    }
    let several = lineage.facts.iter().any(|fact| fact.stated.len() > 1);
    if !several {
        return out.not_applicable("identity.agrees", "No fact is stated by two sources.");
    }
    if lineage.disagree.is_empty() {
        return out.passed(
            "identity.agrees",
            "Every fact that is stated twice is stated alike.",
            evidence,
        );
    }
    out.failed(
        "identity.agrees",
        format!("Sources contradict each other about: {}.", lineage.disagree.join(", ")),
        evidence.clone(),
    );
    for name in &lineage.disagree {
        let Some(fact) = lineage.facts.iter().find(|fact| &fact.fact == name) else { continue };
        let mut finding = about(
            read.look.rules,
            "identity.agrees",
            &format!("facts_disagree:{name}"),
            Severity::Medium,
        );
        finding.title = format!("The page contradicts itself about its {}", name.replace('_', " "));
        finding.matters_to =
            vec!["readers".to_owned(), "agents".to_owned(), "site_owner".to_owned()];
        finding.seen = fact
            .stated
            .iter()
            .map(|stated| format!("{} says “{}”", stated.source, stated.untrusted_value))
            .collect::<Vec<_>>()
            .join("; ")
            + ".";
        finding.fix =
            Some("Find out which is right, and write the same in every place.".to_owned());
        finding.evidence = evidence.clone();
        out.find(finding);
    }
}
