//! The two systems of Korean addresses: lots of land in a district, and houses along a road.

use super::super::plain_characters;
use super::reading::WrittenAddress;

/// Whether an address counts along a road: `테헤란로 152`, `152 Teheran-ro`.
pub(super) fn is_road(address: &WrittenAddress) -> bool {
    ends_in(address, &["로", "길", "ro", "gil"])
}

/// Whether an address counts lots: `역삼동 812-3`. A road may be in a district with such a name.
pub(super) fn is_lot(address: &WrittenAddress) -> bool {
    !is_road(address) && ends_in(address, &["동", "리", "dong", "ri"])
}

fn ends_in(address: &WrittenAddress, endings: &[&str]) -> bool {
    address.street.iter().chain(&address.places).any(|word| {
        endings.iter().any(|ending| {
            if ending.is_ascii() {
                // In Latin letters a hyphen separates the ending, which makes it a word.
                word.text == *ending
            } else {
                !word.text.is_ascii()
                    && (word.text.ends_with(ending)
                        || word.text.ends_with(&plain_characters(ending)))
            }
        })
    })
}
