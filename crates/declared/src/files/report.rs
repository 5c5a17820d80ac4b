//! Collects faults, counts and URLs while a file is inspected.

use std::collections::BTreeMap;

use contract::text::display_safe;
use url::Url;

use super::generator;
use super::kind::FileKind;
use super::model::{Inspection, MAX_ADDRESSES, ServedFile};
use crate::fault::{Fault, Weight};

/// How many faults of one code and weight are listed; the last of them says how many more there are.
const MAX_FAULTS_PER_CODE: u64 = 5;

/// How much of a site's own text a fault may quote.
pub(super) const QUOTED_CHARS: usize = 80;

/// Longer URLs are not returned.
const MAX_ADDRESS_CHARS: usize = 2_048;

pub(super) struct Report<'a> {
    pub(super) served: ServedFile<'a>,
    pub(super) kind: FileKind,
    /// The base URL for references in the file.
    pub(super) base: Option<Url>,
    pub(super) version: Option<String>,
    pub(super) generator: Option<String>,
    pub(super) newest_date: Option<String>,
    faults: Vec<Fault>,
    count_by_code: BTreeMap<(&'static str, Weight), u64>,
    unusable: bool,
    counts: BTreeMap<&'static str, u64>,
    addresses: Vec<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(kind: FileKind, served: &ServedFile<'a>) -> Self {
        Self {
            served: *served,
            kind,
            base: Url::parse(served.final_url).ok(),
            version: None,
            generator: generator::detect_generator(served),
            newest_date: None,
            faults: Vec::new(),
            count_by_code: BTreeMap::new(),
            unusable: false,
            counts: BTreeMap::new(),
            addresses: Vec::new(),
        }
    }

    pub(super) fn note(
        &mut self,
        code: &'static str,
        at: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.add_fault(Weight::Note, code, at.into(), problem.into(), fix.into());
    }

    pub(super) fn warn(
        &mut self,
        code: &'static str,
        at: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.add_fault(Weight::Warning, code, at.into(), problem.into(), fix.into());
    }

    /// A fault that makes a part of the file unusable.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        at: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.add_fault(Weight::Error, code, at.into(), problem.into(), fix.into());
    }

    /// A fault that makes the whole file unusable.
    pub(super) fn fatal(
        &mut self,
        code: &'static str,
        at: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.unusable = true;
        self.add_fault(Weight::Error, code, at.into(), problem.into(), fix.into());
    }

    pub(super) fn add_fault(
        &mut self,
        weight: Weight,
        code: &'static str,
        at: String,
        problem: String,
        fix: String,
    ) {
        let count = self.count_by_code.entry((code, weight)).or_default();
        *count += 1;
        if *count <= MAX_FAULTS_PER_CODE {
            self.faults.push(Fault { code, weight, at, problem, fix });
        }
    }

    /// Marks the file as unusable because of a fault that was already added.
    pub(super) fn mark_unusable(&mut self) {
        self.unusable = true;
    }

    /// Reports that the body is incomplete, so that the file cannot be checked.
    pub(super) fn add_not_read_whole(&mut self) {
        self.unusable = true;
        self.note(
            "not_read_whole",
            "",
            "The file was not received completely within our size and time limits, so it was not checked.",
            "We found nothing wrong. Keep the file small and fast to serve, so that agents with limits can read all of it.",
        );
    }

    pub(super) fn set_count(&mut self, name: &'static str, number: usize) {
        self.counts.insert(name, u64::try_from(number).unwrap_or(u64::MAX));
    }

    pub(super) fn add_address(&mut self, address: &str) {
        if self.addresses.len() < MAX_ADDRESSES && address.len() <= MAX_ADDRESS_CHARS {
            self.addresses.push(address.to_owned());
        }
    }

    pub(super) fn finish(mut self, summary: Option<String>) -> Inspection {
        for ((code, weight), count) in &self.count_by_code {
            let more = count.saturating_sub(MAX_FAULTS_PER_CODE);
            let mut listed = self.faults.iter_mut().rev();
            if more > 0
                && let Some(last) =
                    listed.find(|fault| fault.code == *code && fault.weight == *weight)
            {
                last.problem.push_str(&format!(" There are {more} more faults of this kind."));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        self.addresses.retain(|address| seen.insert(address.clone()));
        Inspection {
            kind: self.kind,
            usable: !self.unusable,
            version: self.version,
            generator: self.generator,
            newest_date: self.newest_date,
            summary: summary
                .unwrap_or_else(|| format!("It could not be read as {}.", self.kind.title())),
            counts: self.counts,
            addresses: self.addresses,
            faults: self.faults,
        }
    }
}

/// A quotation from the file that is safe to use in a fault.
pub(super) fn quoted(text: &str) -> String {
    format!("“{}”", display_safe(text, QUOTED_CHARS - 2))
}

/// `1 link`, `2 links`.
pub(super) fn count_with_noun(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
