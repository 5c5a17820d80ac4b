//! Reports a paywall as a fact. It costs no points.

use contract::records::Severity;

use super::inputs::SectionInputs;
use crate::scan::verdicts::{Verdicts, unscored_finding};

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let Some(paywall) = inputs.paywall.filter(|paywall| paywall.declared || paywall.visible) else {
        return;
    };
    let mut finding = unscored_finding("content", "paywall", Severity::Info);
    finding.title = "Part of the text is only for subscribers".to_owned();
    finding.seen = format!("Signs on the home page: {}.", paywall.marks.join("; "));
    finding.why =
        "Agents read and cite only the part that is free. A quotation cannot cover the rest."
            .to_owned();
    if !paywall.declared {
        finding.fix = Some(
            "Nothing is wrong. To tell agents which part is free, add isAccessibleForFree and hasPart to the \
             structured data of the page (schema.org)."
                .to_owned(),
        );
    }
    finding.evidence.clone_from(&paywall.evidence);
    verdicts.add_finding(finding);
}
