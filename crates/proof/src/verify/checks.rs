//! Collects the checks of one document.

use contract::Brand;

use super::verdict::{Check, CheckOutcome};

/// Whether `kind` is `brand.kind(word)`.
pub(super) fn is_kind(kind: &str, word: &str, brand: &Brand) -> bool {
    kind.strip_prefix(brand.as_str()).and_then(|rest| rest.strip_prefix('-')) == Some(word)
}

/// The checks made so far. `name_prefix` is put before the names of the checks added next, to tell
/// the checks of an embedded head from those of the document.
#[derive(Default)]
pub(super) struct Checks {
    pub(super) list: Vec<Check>,
    pub(super) name_prefix: &'static str,
}

impl Checks {
    pub(super) fn push(&mut self, name: &str, ok: CheckOutcome, detail: impl Into<String>) {
        let name = format!("{}{name}", self.name_prefix);
        self.list.push(Check { name, ok, detail: detail.into() });
    }

    pub(super) fn failed(&mut self, name: &str, detail: impl Into<String>) {
        self.push(name, CheckOutcome::Failed, detail);
    }

    pub(super) fn not_checked(&mut self, name: &str, detail: impl Into<String>) {
        self.push(name, CheckOutcome::NotChecked, detail);
    }

    pub(super) fn push_result(
        &mut self,
        name: &str,
        result: Result<impl Into<String>, impl Into<String>>,
    ) {
        match result {
            Ok(detail) => self.push(name, CheckOutcome::Passed, detail),
            Err(detail) => self.push(name, CheckOutcome::Failed, detail),
        }
    }
}
