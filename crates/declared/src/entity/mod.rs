//! The owner of a site, as the site describes it: structured data, Open Graph and visible text.
//!
//! Every fact is kept with its position and in a normalized form, so that facts can be compared. The
//! facts are claims of the site and are not verified here.

mod classes;
mod compare;
mod fact_collector;
#[doc(hidden)]
pub mod fuzzing;
mod graph;
mod h_card;
mod hours_words;
mod json_ld;
mod model;
mod normalize;
mod outside_markup;
mod owner;
mod read;
pub(crate) mod visible_hours;
pub(crate) mod visible_numbers;
mod written;

pub use compare::{Agreement, Disagreement, compare_facts, find_disagreements};
pub use model::{BlockPointer, Carrier, Entity, EntityFact, FactName};
pub(crate) use read::read_declared_facts;
pub use read::read_entity;
pub use written::{WrittenField, WrittenMatch, compare_written, states_full_week};

#[cfg(test)]
mod carrier_tests;
#[cfg(test)]
mod tests;
