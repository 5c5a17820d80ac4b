//! What the page contains for a client that runs no scripts.

use contract::evidence::ReadTarget;
use contract::records::{InstructionLikeText, Severity};

use super::content_notes;
use super::inputs::SectionInputs;
use crate::scan::convert::with_location;
use crate::scan::verdicts::{RuleOutcome, Verdicts, finding_for_rule, unscored_finding};

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let Some(reading) = inputs.content.reading.clone() else {
        for rule in ["content.words", "content.described", "content.clean"] {
            verdicts.add_not_assessed(rule, "No readable HTML page was served.");
        }
        return;
    };
    if inputs.content.main_words.is_none() {
        judge_other_document(inputs, &reading, verdicts);
    } else {
        judge_words(inputs, &reading, verdicts);
        judge_description(inputs, &reading, verdicts);
        judge_instructions(inputs, &reading, verdicts);
    }
    content_notes::report(inputs, &reading, verdicts);
    report_noindex(inputs, verdicts);
    report_markdown_faults(inputs, verdicts);
}

/// The home page is a document that is not a page: a PDF file, JSON, an image.
fn judge_other_document(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    const RULE: &str = "content.words";
    let kind = inputs.content.page_kind.as_deref().unwrap_or_default();
    let what = match kind {
        "pdf" => "a PDF file",
        "json" => "JSON data",
        "image" => "an image",
        _ => "a file that is neither HTML nor text",
    };
    let why = format!("The home page is {what}. It has no text that agents read as a page.");
    verdicts.add_failed(RULE, why.clone(), vec![reading.to_owned()]);
    verdicts.add_cap("no_text", why);
    for rule in ["content.described", "content.clean"] {
        verdicts.add_not_assessed(rule, format!("The home page is {what}, not a page."));
    }
    let mut finding = finding_for_rule(inputs.parsed.rules, RULE, "not_a_page", Severity::High);
    finding.title = format!("The home page is {what}, not a page");
    finding.seen = format!("The home page of the site is {what}.");
    finding.why = "Agents expect an HTML page. Many skip other documents, and none finds links, a title or a \
                   description there."
        .to_owned();
    finding.fix = Some(
        "Serve an HTML page with the content, and link to the document from it. Serve an API under its own path \
         or host."
            .to_owned(),
    );
    finding.evidence = vec![reading.to_owned()];
    verdicts.add_finding(finding);
}

/// Reports faults of the Markdown version of the page.
fn report_markdown_faults(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let faults = &inputs.content.markdown_faults;
    let Some(reading) =
        inputs.parsed.readings(ReadTarget::Markdown).last().filter(|_| !faults.is_empty())
    else {
        return;
    };
    let mut finding = unscored_finding("content", "markdown_faults", Severity::Low);
    finding.title = "The Markdown version of the page is faulty".to_owned();
    let join_faults = |text: fn(&contract::records::FileFault) -> &String| {
        let all = faults.iter().take(8).map(|fault| with_location(&fault.at, text(fault)));
        all.collect::<Vec<_>>().join(" ")
    };
    finding.seen = join_faults(|fault| &fault.problem);
    finding.why =
        "Agents that request Markdown rely on it instead of the page, and caches may serve it to other clients."
            .to_owned();
    finding.fix = Some(join_faults(|fault| &fault.fix));
    finding.standard = Some("RFC 9110 section 12.5.1; RFC 7763".to_owned());
    finding.evidence = vec![reading.id.clone()];
    verdicts.add_finding(finding);
}

fn judge_words(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    const RULE: &str = "content.words";
    let words = inputs.content.words.unwrap_or(0);
    let enough = inputs.parsed.rules.thresholds.enough_words;
    let evidence = vec![reading.to_owned()];
    if words >= enough {
        let noscript = inputs.content.noscript_words.unwrap_or(0);
        // Most of the words may be those of noscript elements.
        let why = if noscript >= enough && words.saturating_sub(noscript) < enough {
            format!(
                "The page has {words} words before any script runs, {noscript} of them in noscript elements."
            )
        } else {
            format!("The page has {words} words before any script runs.")
        };
        return verdicts.add_passed(RULE, why, evidence);
    }
    let shell = inputs.content.script_shell == Some(true);
    let nothing = words == 0 || shell;
    let why = if shell {
        format!("The page is filled by scripts. Without scripts it has {words} words.")
    } else if nothing {
        "The page has no text before any script runs.".to_owned()
    } else {
        format!("The page has only {words} words before any script runs.")
    };
    verdicts.add_ruling(
        RULE,
        RuleOutcome::Share { got: u32::from(!nothing), of: 2 },
        why.clone(),
        evidence.clone(),
    );
    if nothing {
        verdicts.add_cap("no_text", why);
    }
    let mut finding = finding_for_rule(
        inputs.parsed.rules,
        RULE,
        if shell { "script_shell" } else { "few_words" },
        if nothing { Severity::High } else { Severity::Low },
    );
    finding.title = if shell {
        "Without scripts the page is empty".to_owned()
    } else if nothing {
        "The page has no text".to_owned()
    } else {
        "The page has little text".to_owned()
    };
    finding.seen = format!("Without running scripts, the page has {words} words.");
    finding.fix = Some(
        "Render the page on the server or at build time (every common framework supports this), so that the HTML \
         contains the text. At least put the main content into a noscript element and an llms.txt."
            .to_owned(),
    );
    finding.evidence = evidence;
    verdicts.add_finding(finding);
}

fn judge_description(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    const RULE: &str = "content.described";
    let (title, description) =
        (inputs.content.untrusted_title.is_some(), inputs.content.untrusted_description.is_some());
    let got = u32::from(title) + u32::from(description);
    let why = match (title, description) {
        (true, true) => "The page has a title and a description.",
        (true, false) => "The page has a title but no description.",
        (false, true) => "The page has a description but no title.",
        (false, false) => "The page has neither a title nor a description.",
    };
    verdicts.add_ruling(RULE, RuleOutcome::Share { got, of: 2 }, why, vec![reading.to_owned()]);
    if got == 2 {
        return;
    }
    let mut finding = finding_for_rule(inputs.parsed.rules, RULE, "not_described", Severity::Low);
    finding.title = why.trim_end_matches('.').to_owned();
    finding.seen = why.to_owned();
    finding.fix = Some("Add both to the head of the page.".to_owned());
    finding.paste = Some(
        "<title>Name of the site: what it is</title>\n<meta name=\"description\" content=\"One sentence on what is \
         here and for whom.\">"
            .to_owned(),
    );
    finding.evidence = vec![reading.to_owned()];
    verdicts.add_finding(finding);
}

fn judge_instructions(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    const RULE: &str = "content.clean";
    let found = &inputs.content.instruction_like;
    let (hostile, open): (Vec<_>, Vec<_>) =
        found.iter().partition(|hit: &&InstructionLikeText| hit.concealed || hit.only_ai);
    let evidence = |hits: &[&InstructionLikeText]| {
        let mut ids: Vec<String> =
            hits.iter().flat_map(|hit| hit.evidence.iter().cloned()).collect();
        ids.sort();
        ids.dedup();
        ids
    };
    if hostile.is_empty() && open.is_empty() {
        verdicts.add_passed(
            RULE,
            "No text was found that gives instructions to machines.",
            vec![reading.to_owned()],
        );
    }
    if !hostile.is_empty() {
        let why = format!(
            "{} passages give instructions to machines and are hidden from people or served only to AI crawlers.",
            hostile.len()
        );
        verdicts.add_failed(RULE, why.clone(), evidence(&hostile));
        verdicts.add_cap("hidden_instructions", why);
        let mut finding =
            finding_for_rule(inputs.parsed.rules, RULE, "hidden_instructions", Severity::High);
        finding.title = "The page gives hidden instructions to machines".to_owned();
        finding.seen = list_excerpts(&hostile);
        finding.fix = Some(
            "Remove the text. If you did not put it there, the page may have been tampered with, or the text came from \
             a plug-in, an advertisement or a comment field."
                .to_owned(),
        );
        finding.evidence = evidence(&hostile);
        verdicts.add_finding(finding);
    }
    if !open.is_empty() {
        judge_visible_instructions(inputs, &open, evidence(&open), hostile.is_empty(), verdicts);
    }
}

/// Instructions that everybody can read. They cost half of the rule's points, unless hidden ones cost
/// all of them.
fn judge_visible_instructions(
    inputs: &SectionInputs<'_>,
    open: &[&InstructionLikeText],
    evidence: Vec<String>,
    decides: bool,
    verdicts: &mut Verdicts,
) {
    const RULE: &str = "content.clean";
    if decides {
        verdicts.add_ruling(
            RULE,
            RuleOutcome::Share { got: 1, of: 2 },
            format!("{} visible passages give instructions to machines.", open.len()),
            evidence.clone(),
        );
    }
    // Text that wants machines to drop their own instructions is worse than advertising for them.
    let overrides = open.iter().any(|hit| hit.rule == "override");
    let severity = if overrides { Severity::Medium } else { Severity::Low };
    let mut finding = finding_for_rule(inputs.parsed.rules, RULE, "visible_instructions", severity);
    finding.title = "The page gives visible instructions to machines".to_owned();
    finding.seen = list_excerpts(open);
    finding.why = "Everybody can read the text, but agents that find it may distrust the whole page. It may come from \
                   someone other than the owner."
        .to_owned();
    finding.fix = Some(
        "Remove the text. Put notes on the use of the site into llms.txt or an API description, as facts and not as \
         orders."
            .to_owned(),
    );
    finding.evidence = evidence;
    verdicts.add_finding(finding);
}

fn list_excerpts(hits: &[&InstructionLikeText]) -> String {
    hits.iter()
        .take(5)
        .map(|hit| {
            format!(
                "“{}” ({}, served to {})",
                hit.untrusted_excerpt,
                hit.surface,
                hit.identities.join(", ")
            )
        })
        .collect::<Vec<_>>()
        .join("; ")
        + "."
}

/// Reports that the page asks not to be indexed or used. This costs no points.
fn report_noindex(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let asks = |statement: &&contract::records::SignalStatement| {
        matches!(statement.mechanism.as_str(), "x_robots_tag" | "meta_robots")
            && statement.uses.values().any(|effect| effect == "disallow")
    };
    let statements: Vec<_> = inputs.policy.signals.iter().filter(asks).collect();
    if statements.is_empty() {
        return;
    }
    let mut finding = unscored_finding("policy", "asks_not_to_be_used", Severity::Info);
    finding.title = "The page asks not to be indexed or used".to_owned();
    finding.seen = statements
        .iter()
        .map(|statement| format!("{} ({})", statement.untrusted_raw, statement.carrier))
        .collect::<Vec<_>>()
        .join("; ")
        + ".";
    finding.why = "Agents that obey this leave the page out of their answers. This may be intended, but it is often left \
                   over from a test system."
        .to_owned();
    finding.fix = Some(
        "If this is not intended, remove it from the page's head or the server's settings."
            .to_owned(),
    );
    finding.standard =
        Some("X-Robots-Tag and robots meta, as search engines document them".to_owned());
    finding.evidence = statements.iter().flat_map(|s| s.evidence.iter().cloned()).collect();
    verdicts.add_finding(finding);
}
