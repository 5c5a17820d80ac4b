//! Files meant for machines.

use contract::evidence::{ReadTarget, Reading};
use contract::records::{Check, CheckVerdict, FaultWeight, FileFault, Severity};

use super::inputs::SectionInputs;
use crate::scan::convert::{saturating_u32, with_location};
use crate::scan::parsed_evidence::is_success;
use crate::scan::sitemap_children::NO_CHILDREN;
use crate::scan::verdicts::{RuleOutcome, Verdicts, finding_for_rule, unscored_finding};

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    judge_sitemap(inputs, verdicts);
    judge_validity(inputs, verdicts);
    judge_missing_paths(inputs, verdicts);
}

fn judge_sitemap(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "machine_files.sitemap";
    let sitemaps: Vec<&Check> =
        inputs.checks.iter().filter(|check| check.file == "sitemap").collect();
    let evidence: Vec<String> = sitemaps.iter().filter_map(|check| check.reading.clone()).collect();
    report_missing_children(inputs, &sitemaps, verdicts);
    let leads_nowhere = |check: &&Check| check.faults.iter().any(|fault| fault.code == NO_CHILDREN);
    if sitemaps.iter().any(|check| check.verdict == CheckVerdict::Ok && !leads_nowhere(check)) {
        return verdicts.add_passed(RULE, "There is a readable sitemap.", evidence);
    }
    if sitemaps.iter().any(leads_nowhere) {
        return verdicts.add_not_applicable(
            RULE,
            "There is a sitemap index, but no sitemap that it lists. The rule for valid machine files counts this.",
        );
    }
    let any = |verdict: CheckVerdict| sitemaps.iter().any(|check| check.verdict == verdict);
    if sitemaps.is_empty()
        || any(CheckVerdict::Refused)
        || any(CheckVerdict::Unreachable)
        || any(CheckVerdict::NotRead)
    {
        return verdicts
            .add_not_assessed(RULE, "The sitemap URL was refused or could not be read.");
    }
    if any(CheckVerdict::Invalid) {
        // The file exists. The rule for valid machine files counts its faults.
        return verdicts.add_not_applicable(
            RULE,
            "There is a sitemap, but it is invalid. The rule for valid machine files counts this.",
        );
    }
    verdicts.add_failed(RULE, "There is no sitemap.", evidence.clone());
    let mut finding = finding_for_rule(inputs.parsed.rules, RULE, "no_sitemap", Severity::Low);
    finding.title = "There is no sitemap".to_owned();
    finding.seen =
        "/sitemap.xml does not exist, and robots.txt names no readable sitemap.".to_owned();
    finding.fix = Some(
        "Publish a list of your pages at /sitemap.xml and name it in robots.txt. Most site builders have a setting \
         for it."
            .to_owned(),
    );
    let host = &inputs.parsed.evidence.host;
    finding.paste = Some(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n  \
         <url><loc>https://{host}/</loc></url>\n</urlset>\n"
    ));
    finding.evidence = evidence;
    verdicts.add_finding(finding);
}

/// Reports sitemaps that an index lists and that do not exist.
fn report_missing_children(
    inputs: &SectionInputs<'_>,
    sitemaps: &[&Check],
    verdicts: &mut Verdicts,
) {
    let children: Vec<&str> = inputs
        .parsed
        .readings(ReadTarget::SitemapChild)
        .map(|reading| reading.id.as_str())
        .collect();
    let missing: Vec<&&Check> = sitemaps
        .iter()
        .filter(|check| check.reading.as_deref().is_some_and(|id| children.contains(&id)))
        .filter(|check| matches!(check.verdict, CheckVerdict::Absent | CheckVerdict::Soft404))
        .collect();
    let Some(first) = missing.first() else { return };
    let mut finding = unscored_finding("machine_files", "missing_sitemaps", Severity::Low);
    finding.title = "The sitemap index lists sitemaps that do not exist".to_owned();
    finding.seen = format!(
        "{} of the {} listed sitemaps that we read do not exist, for example {}.",
        missing.len(),
        children.len(),
        first.path
    );
    finding.why = "Agents that look for pages by sitemap do not find those pages.".to_owned();
    finding.fix =
        Some("Publish the listed sitemaps again, or remove them from the index.".to_owned());
    finding.standard = first.standard.clone();
    finding.evidence = missing.iter().filter_map(|check| check.reading.clone()).collect();
    verdicts.add_finding(finding);
}

/// The share of existing files that conform to their standard.
fn judge_validity(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "machine_files.valid";
    let existing: Vec<&Check> = inputs
        .checks
        .iter()
        // robots.txt has rules of its own.
        .filter(|check| check.path != "/robots.txt")
        // Files that another one refers to are judged with that one.
        .filter(|check| check.file != "other")
        .filter(|check| matches!(check.verdict, CheckVerdict::Ok | CheckVerdict::Invalid))
        .collect();
    if existing.is_empty() {
        let unread =
            inputs.checks.iter().filter(|check| check.path != "/robots.txt").all(|check| {
                matches!(
                    check.verdict,
                    CheckVerdict::Refused | CheckVerdict::Unreachable | CheckVerdict::NotRead
                )
            });
        return if unread {
            verdicts.add_not_assessed(RULE, "The machine files were refused or could not be read.")
        } else {
            verdicts.add_not_applicable(RULE, "There are no machine files to check.")
        };
    }
    let has_error = |check: &Check| {
        check.verdict == CheckVerdict::Invalid
            || check.faults.iter().any(|fault| fault.weight == FaultWeight::Error)
    };
    let broken: Vec<&Check> = existing.iter().copied().filter(|check| has_error(check)).collect();
    let good = existing.len() - broken.len();
    verdicts.add_ruling(
        RULE,
        RuleOutcome::Share { got: saturating_u32(good), of: saturating_u32(existing.len()) },
        format!("{good} of {} machine files conform to their standard.", existing.len()),
        existing.iter().filter_map(|check| check.reading.clone()).collect(),
    );
    for check in broken {
        report_errors(inputs, check, verdicts);
    }
    for check in existing {
        report_warnings(check, verdicts);
    }
}

/// Reports the errors of a file: those that make it unusable, or those that make parts of it unusable.
fn report_errors(inputs: &SectionInputs<'_>, check: &Check, verdicts: &mut Verdicts) {
    let is_invalid = check.verdict == CheckVerdict::Invalid;
    let kind = if is_invalid { "invalid" } else { "errors" };
    let mut finding = finding_for_rule(
        inputs.parsed.rules,
        "machine_files.valid",
        &format!("{kind}:{}", check.path),
        Severity::Medium,
    );
    finding.title = if is_invalid {
        format!("{} is invalid", check.path)
    } else {
        format!("Parts of {} cannot be used", check.path)
    };
    let errors: Vec<_> =
        check.faults.iter().filter(|fault| fault.weight == FaultWeight::Error).collect();
    let join_errors = |text: fn(&FileFault) -> &String| {
        let all = errors.iter().take(8).map(|fault| with_location(&fault.at, text(fault)));
        all.collect::<Vec<_>>().join(" ")
    };
    finding.seen = if errors.is_empty() {
        check.why.clone().unwrap_or_default()
    } else {
        join_errors(|fault| &fault.problem)
    };
    finding.fix = Some(if errors.is_empty() {
        "Serve the file in its own format, or answer 404.".to_owned()
    } else {
        join_errors(|fault| &fault.fix)
    });
    finding.standard = check.standard.clone();
    finding.evidence = check.reading.iter().cloned().collect();
    verdicts.add_finding(finding);
}

/// Reports the warnings of a valid file.
fn report_warnings(check: &Check, verdicts: &mut Verdicts) {
    let warnings: Vec<_> =
        check.faults.iter().filter(|fault| fault.weight == FaultWeight::Warning).collect();
    if check.verdict != CheckVerdict::Ok || warnings.is_empty() {
        return;
    }
    let mut finding =
        unscored_finding("machine_files", &format!("warnings:{}", check.path), Severity::Low);
    let has_error = check.faults.iter().any(|fault| fault.weight == FaultWeight::Error);
    finding.title = if has_error {
        format!("{} also has problems with some clients", check.path)
    } else {
        format!("{} is valid, but has problems with some clients", check.path)
    };
    finding.seen = warnings
        .iter()
        .take(8)
        .map(|f| with_location(&f.at, &f.problem))
        .collect::<Vec<_>>()
        .join(" ");
    finding.why = "Some agents are stricter than others and may fail on these problems.".to_owned();
    finding.fix = Some(
        warnings.iter().take(8).map(|f| with_location(&f.at, &f.fix)).collect::<Vec<_>>().join(" "),
    );
    finding.standard = check.standard.clone();
    finding.evidence = check.reading.iter().cloned().collect();
    verdicts.add_finding(finding);
}

fn judge_missing_paths(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "machine_files.honest_404";
    let controls: Vec<&Reading> = inputs.parsed.readings(ReadTarget::ControlPath).collect();
    let answered = |reading: &&Reading| {
        reading.exchange.response().is_some_and(|response| {
            (is_success(response) && !inputs.parsed.is_certain_wall(response))
                || matches!(response.status, 404 | 410)
                || (300..400).contains(&response.status)
        })
    };
    let conclusive: Vec<&Reading> = controls.iter().copied().filter(answered).collect();
    if conclusive.is_empty() {
        return verdicts.add_not_assessed(
            RULE,
            "Requests for paths that do not exist were refused or could not be read.",
        );
    }
    let successes: Vec<&Reading> = conclusive
        .iter()
        .copied()
        .filter(|reading| reading.exchange.response().is_some_and(is_success))
        .collect();
    let evidence: Vec<String> = conclusive.iter().map(|reading| reading.id.clone()).collect();
    if successes.is_empty() {
        return verdicts.add_passed(
            RULE,
            "Paths that do not exist do not return success.",
            evidence,
        );
    }
    verdicts.add_failed(
        RULE,
        format!(
            "{} of {} paths that do not exist return success.",
            successes.len(),
            conclusive.len()
        ),
        evidence.clone(),
    );
    let soft_404_paths: Vec<&str> = inputs
        .checks
        .iter()
        .filter(|check| check.verdict == CheckVerdict::Soft404)
        .map(|check| check.path.as_str())
        .collect();
    let mut finding = finding_for_rule(inputs.parsed.rules, RULE, "soft_404", Severity::Medium);
    finding.title = "Missing files return success instead of 404".to_owned();
    let redirected = successes.first().is_some_and(|reading| reading.exchange.hops.len() > 1);
    finding.seen = format!(
        "A path that does not exist {} {}{}.",
        if redirected { "is redirected to a page that returns" } else { "returns" },
        successes
            .first()
            .and_then(|r| r.exchange.response())
            .map_or(200, |response| response.status),
        if soft_404_paths.is_empty() {
            String::new()
        } else {
            format!(
                ". So do these machine files, which do not exist: {}",
                soft_404_paths.join(", ")
            )
        }
    );
    finding.fix = Some(
        "Answer 404 for paths that do not exist. In a single-page app, serve the app shell only for routes the app \
         knows, and never for /.well-known/ or for file names such as *.txt, *.json or *.xml."
            .to_owned(),
    );
    finding.paste = Some(
        "location /.well-known/ { try_files $uri =404; }\nlocation ~ \\.(txt|json|xml|md)$ { try_files $uri =404; }"
            .to_owned(),
    );
    finding.evidence = evidence;
    verdicts.add_finding(finding);
}
