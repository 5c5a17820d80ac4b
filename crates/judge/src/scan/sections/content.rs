//! What a reader that runs no scripts is told.

use contract::evidence::Target;
use contract::records::{InstructionLike, Severity};

use super::Readings;
use crate::scan::verdicts::{Outcome, Verdicts, about, aside};

pub(super) fn judge(read: &Readings<'_>, out: &mut Verdicts) {
    let Some(reading) = read.content.reading.clone() else {
        for rule in ["content.words", "content.described", "content.clean"] {
            out.not_assessed(rule, "No HTML page was given that could be read.");
        }
        return;
    };
    words(read, &reading, out);
    described(read, &reading, out);
    clean(read, &reading, out);
    noindex(read, out);
    markdown(read, out);
}

/// A Markdown copy is worth having only if it can be relied on.
fn markdown(read: &Readings<'_>, out: &mut Verdicts) {
    let faults = &read.content.markdown_faults;
    let Some(reading) = read.look.reads(Target::Markdown).last().filter(|_| !faults.is_empty())
    else {
        return;
    };
    let mut finding = aside("content", "markdown_faults", Severity::Low);
    finding.title = "The Markdown copy of the page cannot be relied on".to_owned();
    let told = |text: fn(&contract::records::FileFault) -> &String| {
        let all = faults.iter().take(8).map(|fault| crate::scan::at(&fault.at, text(fault)));
        all.collect::<Vec<_>>().join(" ")
    };
    finding.seen = told(|fault| &fault.problem);
    finding.why =
        "Agents that ask for Markdown take what comes for the page; caches may hand it to others."
            .to_owned();
    finding.fix = Some(told(|fault| &fault.fix));
    finding.standard = Some("RFC 9110 section 12.5.1; RFC 7763".to_owned());
    finding.evidence = vec![reading.id.clone()];
    out.find(finding);
}

fn words(read: &Readings<'_>, reading: &str, out: &mut Verdicts) {
    const RULE: &str = "content.words";
    let words = read.content.words.unwrap_or(0);
    let enough = read.look.rules.thresholds.enough_words;
    let evidence = vec![reading.to_owned()];
    if words >= enough {
        return out.passed(
            RULE,
            format!("{words} words are there before any script runs."),
            evidence,
        );
    }
    let shell = read.content.script_shell == Some(true);
    let nothing = words == 0 || shell;
    out.rule(
        RULE,
        Outcome::Share { got: u32::from(!nothing), of: 2 },
        if shell {
            format!("The page is a shell that its scripts would fill; without them it holds {words} words.")
        } else {
            format!("The page holds {words} words before any script runs.")
        },
        evidence.clone(),
    );
    if nothing {
        out.cap("no_text", format!("Without scripts it holds {words} words."));
    }
    let mut finding = about(
        read.look.rules,
        RULE,
        if shell { "script_shell" } else { "few_words" },
        if nothing { Severity::High } else { Severity::Low },
    );
    finding.title = if shell {
        "Without its scripts the page is empty".to_owned()
    } else if nothing {
        "The page holds no text".to_owned()
    } else {
        "The page holds little text".to_owned()
    };
    finding.seen = format!("Read without running scripts, the page holds {words} words.");
    finding.fix = Some(
        "Render the page on the server, or ahead of time (every common framework can), so that its text is in \
         the HTML. At the least, put what matters into a noscript element and an llms.txt."
            .to_owned(),
    );
    finding.evidence = evidence;
    out.find(finding);
}

fn described(read: &Readings<'_>, reading: &str, out: &mut Verdicts) {
    const RULE: &str = "content.described";
    let (title, description) =
        (read.content.untrusted_title.is_some(), read.content.untrusted_description.is_some());
    let got = u32::from(title) + u32::from(description);
    let why = match (title, description) {
        (true, true) => "The page has a title and a description.",
        (true, false) => "The page has a title and no description.",
        (false, true) => "The page has a description and no title.",
        (false, false) => "The page has neither a title nor a description.",
    };
    out.rule(RULE, Outcome::Share { got, of: 2 }, why, vec![reading.to_owned()]);
    if got == 2 {
        return;
    }
    let mut finding = about(read.look.rules, RULE, "not_described", Severity::Low);
    finding.title = why.trim_end_matches('.').to_owned();
    finding.seen = why.to_owned();
    finding.fix = Some("Put both into the head of the page.".to_owned());
    finding.paste = Some(
        "<title>Name of the site: what it is</title>\n<meta name=\"description\" content=\"One sentence on what is \
         here and for whom.\">"
            .to_owned(),
    );
    finding.evidence = vec![reading.to_owned()];
    out.find(finding);
}

fn clean(read: &Readings<'_>, reading: &str, out: &mut Verdicts) {
    const RULE: &str = "content.clean";
    let found = &read.content.instruction_like;
    let grave: Vec<&InstructionLike> =
        found.iter().filter(|hit| hit.concealed || hit.only_ai || hit.rule == "override").collect();
    let evidence = |hits: &[&InstructionLike]| {
        let mut ids: Vec<String> =
            hits.iter().flat_map(|hit| hit.evidence.iter().cloned()).collect();
        ids.sort();
        ids.dedup();
        ids
    };
    if grave.is_empty() {
        out.passed(RULE, "No such text was found.", vec![reading.to_owned()]);
    } else {
        out.failed(
            RULE,
            format!("{} passages tell machines what to do, out of people's sight or against their orders.", grave.len()),
            evidence(&grave),
        );
        if grave.iter().any(|hit| hit.concealed || hit.only_ai) {
            out.cap("hidden_instructions", format!("{} such passages were found.", grave.len()));
        }
        let mut finding = about(read.look.rules, RULE, "hidden_instructions", Severity::High);
        finding.title = "The page tells machines what to do".to_owned();
        finding.seen = told(&grave);
        finding.fix = Some(
            "Take the text out. If you did not put it there, the page may have been tampered with, or a plug-in, an \
             advertisement or a comment field let it in."
                .to_owned(),
        );
        finding.evidence = evidence(&grave);
        out.find(finding);
    }
    let open: Vec<&InstructionLike> = found
        .iter()
        .filter(|hit| !(hit.concealed || hit.only_ai || hit.rule == "override"))
        .collect();
    if !open.is_empty() {
        let mut finding = aside("content", "visible_instructions", Severity::Info);
        finding.title = "The page speaks to machines openly".to_owned();
        finding.seen = told(&open);
        finding.why = "Everybody can see it, and it overrides nothing; careful agents may still distrust the page.".to_owned();
        finding.evidence = evidence(&open);
        out.find(finding);
    }
}

fn told(hits: &[&InstructionLike]) -> String {
    hits.iter()
        .take(5)
        .map(|hit| {
            format!(
                "“{}” ({}, given to {})",
                hit.untrusted_excerpt,
                hit.surface,
                hit.identities.join(", ")
            )
        })
        .collect::<Vec<_>>()
        .join("; ")
        + "."
}

/// A wish not to be indexed is the owner's, and worth knowing of.
fn noindex(read: &Readings<'_>, out: &mut Verdicts) {
    let asks = |statement: &&contract::records::SignalStatement| {
        matches!(statement.mechanism.as_str(), "x_robots_tag" | "meta_robots")
            && statement.uses.values().any(|effect| effect == "disallow")
    };
    let statements: Vec<_> = read.policy.signals.iter().filter(asks).collect();
    if statements.is_empty() {
        return;
    }
    let mut finding = aside("policy", "asks_not_to_be_used", Severity::Info);
    finding.title = "The page asks not to be indexed or used".to_owned();
    finding.seen = statements
        .iter()
        .map(|statement| format!("{} ({})", statement.untrusted_raw, statement.carrier))
        .collect::<Vec<_>>()
        .join("; ")
        + ".";
    finding.why = "Agents that honour it leave the page out of answers. That is the owner's choice; often it is a \
                   left-over of a test system."
        .to_owned();
    finding.fix = Some(
        "If it is not meant, take it out of the page's head or the server's settings.".to_owned(),
    );
    finding.standard =
        Some("X-Robots-Tag and robots meta, as search engines document them".to_owned());
    finding.evidence = statements.iter().flat_map(|s| s.evidence.iter().cloned()).collect();
    out.find(finding);
}
