//! The normal forms, for the fuzz targets in `fuzz/`. Not part of the interface.

use super::json_ld;
use super::normalize::{self, address, hours::OpeningHours, name, phone};

#[must_use]
pub fn normalize_phone(value: &str, region: Option<&str>) -> String {
    phone::normalize_phone(value, region)
}

/// The normal form of opening hours, and whether all of the text was understood.
#[must_use]
pub fn normalize_hours(text: &str) -> (String, bool) {
    let mut week = OpeningHours::default();
    let understood = week.add_text(text);
    (week.to_normalized(), understood)
}

#[must_use]
pub fn normalize_address(value: &str) -> String {
    address::normalize_address(value)
}

/// Whether the comparison of two normal forms is the same in both directions.
#[must_use]
pub fn compares_symmetrically(one: &str, other: &str) -> bool {
    address::compare_addresses(one, other) == address::compare_addresses(other, one)
}

#[must_use]
pub fn normalize_name(value: &str) -> String {
    name::normalize_name(value)
}

#[must_use]
pub fn normalize_url(value: &str) -> String {
    normalize::normalize_url(value)
}

#[must_use]
pub fn normalize_text(value: &str) -> String {
    normalize::normalize_text(value)
}

/// A JSON-LD block, after repairs.
#[must_use]
pub fn parse_json_ld(block: &str) -> Option<serde_json::Value> {
    json_ld::parse_lenient(block).ok().map(|(value, _)| value)
}
