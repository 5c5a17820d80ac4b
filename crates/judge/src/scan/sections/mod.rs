//! The scoring rules, one file for each section. They turn the parsed readings into rulings, caps and
//! findings.

mod caching;
mod content;
mod content_notes;
mod equivalence;
mod further_pages;
mod gates;
mod identity;
mod inputs;
mod machine_files;
mod paywall;
mod policy;
mod reach;
mod transport;

use super::verdicts::Verdicts;
pub(super) use inputs::SectionInputs;

pub(super) fn judge_sections(inputs: &SectionInputs<'_>) -> Verdicts {
    let mut verdicts = Verdicts::default();
    reach::judge(inputs, &mut verdicts);
    policy::judge(inputs, &mut verdicts);
    machine_files::judge(inputs, &mut verdicts);
    content::judge(inputs, &mut verdicts);
    paywall::judge(inputs, &mut verdicts);
    identity::judge(inputs, &mut verdicts);
    equivalence::judge(inputs, &mut verdicts);
    caching::judge(inputs, &mut verdicts);
    transport::judge(inputs, &mut verdicts);
    further_pages::judge(inputs, &mut verdicts);
    verdicts
}
