//! Compares flats, suites and floors of two addresses.

use super::super::WrittenMatch;
use super::reading::WrittenAddress;
use super::units::{Unit, UnitKind};

/// Compares flats, suites and floors. One address may state more of them than the other, but which of the
/// tenants of a house is meant must not be left open.
pub(super) fn compare_units(one: &WrittenAddress, other: &WrittenAddress) -> WrittenMatch {
    let only_in = |address: &WrittenAddress, other: &WrittenAddress| -> Vec<Unit> {
        let is_shared = |unit: &Unit| other.units.iter().any(|known| known.text == unit.text);
        address.units.iter().filter(|unit| !is_shared(unit)).cloned().collect()
    };
    let (only_one, only_other) = (only_in(one, other), only_in(other, one));
    // `Flat A, 5/F` and `Flat 5A`, `3º 2ª` and `3-2`.
    let characters = |address: &WrittenAddress| {
        let letters = address.units.iter().flat_map(|unit| unit.text.chars());
        let mut all: Vec<char> = letters.filter(char::is_ascii_alphanumeric).collect();
        all.sort_unstable();
        all
    };
    if one.units.len() != other.units.len() && characters(one) == characters(other) {
        return WrittenMatch::Equal;
    }
    if only_one.is_empty() || only_other.is_empty() {
        // People leave out offices and floors, but one of many flats is left open. A letter is a detail.
        let is_open = only_one.iter().chain(&only_other).any(|unit| {
            unit.kind == UnitKind::Home && unit.text.bytes().any(|b| b.is_ascii_digit())
        });
        return if is_open { WrittenMatch::Undecidable } else { WrittenMatch::Equal };
    }
    let clash = |a: &Unit, b: &Unit| match (a.kind, b.kind) {
        (UnitKind::Unnamed, UnitKind::Unnamed) => only_one.len() == 1 && only_other.len() == 1,
        (UnitKind::Home | UnitKind::Tenant, UnitKind::Home | UnitKind::Tenant) => true,
        (a, b) => a == b,
    };
    if only_one.iter().any(|a| only_other.iter().any(|b| clash(a, b))) {
        WrittenMatch::Different
    } else {
        WrittenMatch::Undecidable
    }
}
