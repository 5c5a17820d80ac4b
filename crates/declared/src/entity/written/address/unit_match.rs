//! Compares flats, suites and floors of two addresses.

use super::super::WrittenMatch;
use super::reading::WrittenAddress;
use super::units::{Unit, UnitKind};

/// Compares flats, suites and floors. One address may state more of them than the other: people leave them
/// out, and the door of the house is the same.
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
        return WrittenMatch::Equal;
    }
    let clash = |a: &Unit, b: &Unit| match (a.kind, b.kind) {
        (UnitKind::Unnamed, UnitKind::Unnamed) => only_one.len() == only_other.len(),
        (UnitKind::Home | UnitKind::Tenant, UnitKind::Home | UnitKind::Tenant) => true,
        (a, b) => a == b,
    };
    if only_one.iter().any(|a| only_other.iter().any(|b| clash(a, b))) {
        WrittenMatch::Different
    } else {
        // `Suite 400` and `4th floor` say nothing against each other.
        WrittenMatch::Equal
    }
}
