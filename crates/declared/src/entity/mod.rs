//! The owner of a site, as the site describes it: structured data, Open Graph and visible text.
//!
//! Every fact is kept with its position and in a normalized form, so that facts can be compared. The
//! facts are claims of the site and are not verified here.

mod classes;
mod compare;
#[doc(hidden)]
pub mod fuzzing;
mod graph;
mod hours_words;
mod json_ld;
mod model;
mod normalize;
mod owner;
mod read;
mod visible_hours;
mod visible_numbers;

pub use compare::{Agreement, Disagreement, compare_facts, find_disagreements};
pub use model::{Carrier, Entity, EntityFact, FactName};
pub use read::read_entity;

#[cfg(test)]
mod tests;
