//! What is gathered while a file is inspected.

use std::collections::BTreeMap;

use url::Url;

use super::{Inspection, Kind, MAX_ADDRESSES, Served, generator};
use crate::fault::{Fault, Weight};
use crate::shown::shown;

/// How many faults of one code are told one by one; the last of them says how many more there are.
const OF_ONE_CODE: u64 = 5;

/// How much of a site's own text a fault may quote.
pub(super) const QUOTED_CHARS: usize = 80;

/// Longer addresses are not handed out.
const MAX_ADDRESS_CHARS: usize = 2_048;

pub(super) struct Report<'a> {
    pub(super) served: Served<'a>,
    pub(super) kind: Kind,
    /// What references inside the file are resolved against.
    pub(super) base: Option<Url>,
    pub(super) version: Option<String>,
    pub(super) generator: Option<String>,
    faults: Vec<Fault>,
    told: BTreeMap<&'static str, u64>,
    spoilt: bool,
    counts: BTreeMap<&'static str, u64>,
    addresses: Vec<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(kind: Kind, served: &Served<'a>) -> Self {
        Self {
            served: *served,
            kind,
            base: Url::parse(served.final_url).ok(),
            version: None,
            generator: generator::hint(served),
            faults: Vec::new(),
            told: BTreeMap::new(),
            spoilt: false,
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
        self.fault(Weight::Note, code, at.into(), problem.into(), fix.into());
    }

    pub(super) fn warn(
        &mut self,
        code: &'static str,
        at: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.fault(Weight::Warning, code, at.into(), problem.into(), fix.into());
    }

    /// Something that spoils a part.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        at: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.fault(Weight::Error, code, at.into(), problem.into(), fix.into());
    }

    /// Something that spoils the whole.
    pub(super) fn spoil(
        &mut self,
        code: &'static str,
        at: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.spoilt = true;
        self.fault(Weight::Error, code, at.into(), problem.into(), fix.into());
    }

    pub(super) fn fault(
        &mut self,
        weight: Weight,
        code: &'static str,
        at: String,
        problem: String,
        fix: String,
    ) {
        let told = self.told.entry(code).or_default();
        *told += 1;
        if *told <= OF_ONE_CODE {
            self.faults.push(Fault { code, weight, at, problem, fix });
        }
    }

    /// A fault already told turns out to spoil the whole.
    pub(super) fn void(&mut self) {
        self.spoilt = true;
    }

    /// The end of the body is not here, so nothing can be said of the whole.
    pub(super) fn not_read_whole(&mut self) {
        self.spoilt = true;
        self.note(
            "not_read_whole",
            "",
            "The file did not come to its end within what is read of it, so it was not checked.",
            "Nothing is known to be wrong; keep the file small and served quickly so that agents with a bound can read it.",
        );
    }

    pub(super) fn count(&mut self, name: &'static str, number: usize) {
        self.counts.insert(name, u64::try_from(number).unwrap_or(u64::MAX));
    }

    pub(super) fn hand_out(&mut self, address: &str) {
        if self.addresses.len() < MAX_ADDRESSES && address.len() <= MAX_ADDRESS_CHARS {
            self.addresses.push(address.to_owned());
        }
    }

    pub(super) fn finish(mut self, summary: Option<String>) -> Inspection {
        for (code, told) in &self.told {
            let more = told.saturating_sub(OF_ONE_CODE);
            if more > 0
                && let Some(last) = self.faults.iter_mut().rev().find(|fault| fault.code == *code)
            {
                last.problem.push_str(&format!(" The same goes for {more} more."));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        self.addresses.retain(|address| seen.insert(address.clone()));
        Inspection {
            kind: self.kind,
            usable: !self.spoilt,
            version: self.version,
            generator: self.generator,
            summary: summary
                .unwrap_or_else(|| format!("Could not be read as {}.", self.kind.title())),
            counts: self.counts,
            addresses: self.addresses,
            faults: self.faults,
        }
    }
}

/// A piece of the file, fit to stand in a fault.
pub(super) fn quoted(text: &str) -> String {
    format!("“{}”", shown(text, QUOTED_CHARS - 2))
}

/// `1 link`, `2 links`.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
