//! What is worth telling the owner, each with the readings it rests on.

use contract::evidence::{Evidence, NotReadWhy, Target};
use contract::records::{AgentView, Check, CheckVerdict, Finding, Severity, Split};

use super::view::{is_ai, is_measured};

pub(super) fn findings(evidence: &Evidence, view: &AgentView, checks: &[Check]) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(treated_differently(view));
    found.extend(nobody_is_served(view));
    found.extend(certificate(evidence));
    found.extend(checks.iter().filter_map(broken_file));
    found.extend(answers_everything(evidence, checks));
    found.extend(opted_out(evidence));
    found
}

fn treated_differently(view: &AgentView) -> Option<Finding> {
    let split = view.split_evidence.as_ref()?;
    let asked = view.rows.iter().filter(|row| is_ai(row) && is_measured(row)).count();
    let (id, severity, title, why, fix) = match view.split {
        Split::Refused => (
            "ai_refused",
            if split.identities.len() == asked { Severity::High } else { Severity::Medium },
            "AI identities are turned away",
            "Assistants and search engines that use these crawlers cannot read the page they would cite. \
             We sent the crawlers' names from our own network; a site that checks addresses may serve the \
             crawlers themselves.",
            "If this is not intended, look for a bot rule in the CDN or web server that matches these user agents.",
        ),
        Split::Content => (
            "ai_other_text",
            Severity::Medium,
            "AI identities are given another text",
            "What an assistant says about the page is then not what a person sees there.",
            "Serve the same text to every reader, or say in the page why it differs.",
        ),
        _ => return None,
    };
    Some(Finding {
        id: id.to_owned(),
        severity,
        section: "reach".to_owned(),
        title: title.to_owned(),
        seen: format!("{} ({})", split.detail, split.identities.join(", ")),
        why: why.to_owned(),
        fix: Some(fix.to_owned()),
        standard: None,
        evidence: split.readings.clone(),
    })
}

/// Without a served browser there is no contrast, and still something to tell.
fn nobody_is_served(view: &AgentView) -> Option<Finding> {
    if view.split != Split::NotMeasured || view.all_refused != Some(true) {
        return None;
    }
    let asked: Vec<_> = view.rows.iter().filter(|row| is_measured(row)).collect();
    let answers: Vec<String> =
        asked.iter().filter_map(|row| Some(format!("{} {}", row.id, row.status?))).collect();
    Some(Finding {
        id: "all_refused".to_owned(),
        severity: Severity::High,
        section: "reach".to_owned(),
        title: "Nobody we asked as was given the page".to_owned(),
        seen: format!("The browser was not served either: {}.", answers.join(", ")),
        why:
            "Either the site refuses our whole network, or it serves nobody. What its pages say is \
              not known."
                .to_owned(),
        fix: Some(
            "If people elsewhere do see the page, look for a rule that matches our network."
                .to_owned(),
        ),
        standard: None,
        evidence: asked.iter().filter_map(|row| row.reading.clone()).collect(),
    })
}

fn certificate(evidence: &Evidence) -> Option<Finding> {
    let (reading, tls) = evidence.reads.iter().find_map(|reading| {
        let tls = reading.exchange.response()?.tls.as_ref()?;
        (!tls.trusted).then_some((reading, tls))
    })?;
    Some(Finding {
        id: "bad_certificate".to_owned(),
        severity: Severity::High,
        section: "transport".to_owned(),
        title: "The certificate does not hold".to_owned(),
        seen: format!("The server's certificate was read and is not trusted: {}.", tls.errors.join(", ")),
        why: "Agents that check certificates, as they should, stop before they read anything.".to_owned(),
        fix: Some("Install a certificate for this very name from a public authority and renew it in time.".to_owned()),
        standard: Some("RFC 5280; RFC 9525".to_owned()),
        evidence: vec![reading.id.clone()],
    })
}

fn broken_file(check: &Check) -> Option<Finding> {
    if check.verdict != CheckVerdict::Invalid {
        return None;
    }
    Some(Finding {
        id: format!("invalid:{}", check.path),
        severity: Severity::Low,
        section: "machine_files".to_owned(),
        title: format!("{} is there, but is not what it should be", check.path),
        seen: check.why.clone().unwrap_or_default(),
        why: "A reader that trusts the status takes the wrong thing for the file.".to_owned(),
        fix: Some("Serve the file in its own format, or answer 404.".to_owned()),
        standard: None,
        evidence: check.reading.iter().cloned().collect(),
    })
}

fn answers_everything(evidence: &Evidence, checks: &[Check]) -> Option<Finding> {
    let fooled: Vec<&Check> =
        checks.iter().filter(|check| check.verdict == CheckVerdict::Soft404).collect();
    let control = evidence.reads.iter().find(|reading| reading.target == Target::ControlPath)?;
    (!fooled.is_empty()).then(|| Finding {
        id: "soft_404".to_owned(),
        severity: Severity::Low,
        section: "machine_files".to_owned(),
        title: "Missing files are answered with success".to_owned(),
        seen: format!(
            "A path that cannot exist is answered with success, and so are {}.",
            fooled.iter().map(|check| check.path.as_str()).collect::<Vec<_>>().join(", ")
        ),
        why: "Agents take such a page for the file they asked for.".to_owned(),
        fix: Some("Answer 404 for what does not exist.".to_owned()),
        standard: Some("RFC 9110 section 15.5.5".to_owned()),
        evidence: std::iter::once(control.id.clone())
            .chain(fooled.iter().filter_map(|check| check.reading.clone()))
            .collect(),
    })
}

fn opted_out(evidence: &Evidence) -> Option<Finding> {
    let unread = evidence.not_read.iter().filter(|unread| unread.why == NotReadWhy::OptOut).count();
    let robots = evidence.reads.iter().rfind(|reading| reading.target == Target::Robots)?;
    (unread > 0).then(|| Finding {
        id: "opted_out".to_owned(),
        severity: Severity::Info,
        section: "policy".to_owned(),
        title: "The site asks this scanner to stay away".to_owned(),
        seen: format!("robots.txt has a group for our own name; {unread} reads were left out."),
        why: "What was not read is not reported, neither as present nor as absent.".to_owned(),
        fix: None,
        standard: Some("RFC 9309".to_owned()),
        evidence: vec![robots.id.clone()],
    })
}
