//! Files meant for machines.

use contract::evidence::{Reading, Target};
use contract::records::{Check, CheckVerdict, FaultWeight, Severity};

use super::Readings;
use crate::scan::look::is_success;
use crate::scan::verdicts::{Outcome, Verdicts, about, aside};

pub(super) fn judge(read: &Readings<'_>, out: &mut Verdicts) {
    sitemap(read, out);
    valid(read, out);
    honest_404(read, out);
}

fn sitemap(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "machine_files.sitemap";
    let sitemaps: Vec<&Check> =
        read.checks.iter().filter(|check| check.file == "sitemap").collect();
    let evidence: Vec<String> = sitemaps.iter().filter_map(|check| check.reading.clone()).collect();
    if sitemaps.iter().any(|check| check.verdict == CheckVerdict::Ok) {
        return out.passed(RULE, "There is a sitemap that can be read.", evidence);
    }
    let told = |verdict: CheckVerdict| sitemaps.iter().any(|check| check.verdict == verdict);
    if sitemaps.is_empty()
        || told(CheckVerdict::Refused)
        || told(CheckVerdict::Unreachable)
        || told(CheckVerdict::NotRead)
    {
        return out
            .not_assessed(RULE, "The address of the sitemap was refused or could not be read.");
    }
    if told(CheckVerdict::Invalid) {
        // The file is there; what is wrong with it is counted by its own rule.
        return out.not_applicable(RULE, "There is a sitemap, and it is broken: counted below.");
    }
    out.failed(RULE, "There is no sitemap.", evidence.clone());
    let mut finding = about(read.look.rules, RULE, "no_sitemap", Severity::Low);
    finding.title = "There is no sitemap".to_owned();
    finding.seen =
        "/sitemap.xml is not there, and robots.txt names no other that can be read.".to_owned();
    finding.fix = Some(
        "Put a list of your pages at /sitemap.xml and name it in robots.txt. Most site builders do so at the flick \
         of a switch."
            .to_owned(),
    );
    let host = &read.look.evidence.host;
    finding.paste = Some(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n  \
         <url><loc>https://{host}/</loc></url>\n</urlset>\n"
    ));
    finding.evidence = evidence;
    out.find(finding);
}

/// Of the files that are there, those that hold to their standard.
fn valid(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "machine_files.valid";
    let there: Vec<&Check> = read
        .checks
        .iter()
        // robots.txt has rules of its own.
        .filter(|check| check.path != "/robots.txt")
        .filter(|check| matches!(check.verdict, CheckVerdict::Ok | CheckVerdict::Invalid))
        .collect();
    if there.is_empty() {
        let unread = read.checks.iter().filter(|check| check.path != "/robots.txt").all(|check| {
            matches!(
                check.verdict,
                CheckVerdict::Refused | CheckVerdict::Unreachable | CheckVerdict::NotRead
            )
        });
        return if unread {
            out.not_assessed(RULE, "The machine files were refused or could not be read.")
        } else {
            out.not_applicable(RULE, "There is no machine file that could be wrong.")
        };
    }
    let broken: Vec<&Check> =
        there.iter().copied().filter(|check| check.verdict == CheckVerdict::Invalid).collect();
    let good = there.len() - broken.len();
    out.rule(
        RULE,
        Outcome::Share { got: crate::scan::count(good), of: crate::scan::count(there.len()) },
        format!("{good} of {} machine files hold to their standard.", there.len()),
        there.iter().filter_map(|check| check.reading.clone()).collect(),
    );
    for check in broken {
        let mut finding =
            about(read.look.rules, RULE, &format!("invalid:{}", check.path), Severity::Medium);
        finding.title = format!("{} is there, but is not what it should be", check.path);
        let errors: Vec<_> =
            check.faults.iter().filter(|fault| fault.weight == FaultWeight::Error).collect();
        finding.seen = if errors.is_empty() {
            check.why.clone().unwrap_or_default()
        } else {
            errors
                .iter()
                .take(8)
                .map(|f| crate::scan::at(&f.at, &f.problem))
                .collect::<Vec<_>>()
                .join(" ")
        };
        finding.fix = Some(if errors.is_empty() {
            "Serve the file in its own format, or answer 404.".to_owned()
        } else {
            errors
                .iter()
                .take(8)
                .map(|f| crate::scan::at(&f.at, &f.fix))
                .collect::<Vec<_>>()
                .join(" ")
        });
        finding.standard = check.standard.clone();
        finding.evidence = check.reading.iter().cloned().collect();
        out.find(finding);
    }
    for check in there {
        warned(check, out);
    }
}

/// A file that can be used and has something about it.
fn warned(check: &Check, out: &mut Verdicts) {
    let warnings: Vec<_> =
        check.faults.iter().filter(|fault| fault.weight == FaultWeight::Warning).collect();
    if check.verdict != CheckVerdict::Ok || warnings.is_empty() {
        return;
    }
    let mut finding = aside("machine_files", &format!("warnings:{}", check.path), Severity::Low);
    finding.title = format!("{} can be used, but some readers will go wrong", check.path);
    finding.seen = warnings
        .iter()
        .take(8)
        .map(|f| crate::scan::at(&f.at, &f.problem))
        .collect::<Vec<_>>()
        .join(" ");
    finding.why = "Agents differ in how lenient they are.".to_owned();
    finding.fix = Some(
        warnings
            .iter()
            .take(8)
            .map(|f| crate::scan::at(&f.at, &f.fix))
            .collect::<Vec<_>>()
            .join(" "),
    );
    finding.standard = check.standard.clone();
    finding.evidence = check.reading.iter().cloned().collect();
    out.find(finding);
}

fn honest_404(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "machine_files.honest_404";
    let controls: Vec<&Reading> = read.look.reads(Target::ControlPath).collect();
    let answered = |reading: &&Reading| {
        reading.exchange.response().is_some_and(|response| {
            (is_success(response) && !read.look.is_walled(response))
                || matches!(response.status, 404 | 410)
                || (300..400).contains(&response.status)
        })
    };
    let told: Vec<&Reading> = controls.iter().copied().filter(answered).collect();
    if told.is_empty() {
        return out
            .not_assessed(RULE, "Paths that cannot exist were refused or could not be read.");
    }
    let fooled: Vec<&Reading> = told
        .iter()
        .copied()
        .filter(|reading| reading.exchange.response().is_some_and(is_success))
        .collect();
    let evidence: Vec<String> = told.iter().map(|reading| reading.id.clone()).collect();
    if fooled.is_empty() {
        return out.passed(RULE, "Paths that cannot exist are answered as missing.", evidence);
    }
    out.failed(
        RULE,
        format!(
            "{} of {} paths that cannot exist are answered with success.",
            fooled.len(),
            told.len()
        ),
        evidence.clone(),
    );
    let taken: Vec<&str> = read
        .checks
        .iter()
        .filter(|check| check.verdict == CheckVerdict::Soft404)
        .map(|check| check.path.as_str())
        .collect();
    let mut finding = about(read.look.rules, RULE, "soft_404", Severity::Medium);
    finding.title = "Missing files are answered with success".to_owned();
    finding.seen = format!(
        "A path that cannot exist is answered with {}{}.",
        fooled.first().and_then(|r| r.exchange.response()).map_or(200, |response| response.status),
        if taken.is_empty() {
            String::new()
        } else {
            format!(", and so are {}, none of which is there", taken.join(", "))
        }
    );
    finding.fix = Some(
        "Answer 404 for what does not exist. In a single-page app, send the shell only for routes the app knows, \
         and never for /.well-known/ or for names with an ending such as .txt, .json or .xml."
            .to_owned(),
    );
    finding.paste = Some(
        "location /.well-known/ { try_files $uri =404; }\nlocation ~ \\.(txt|json|xml|md)$ { try_files $uri =404; }"
            .to_owned(),
    );
    finding.evidence = evidence;
    out.find(finding);
}
