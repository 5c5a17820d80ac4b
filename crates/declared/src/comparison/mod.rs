//! Compares the pages that several readers got, and tells chance from treatment.
//!
//! Many sites give every request another text (tests of two versions, rotating blocks, advertisements).
//! A text counts as "other for AI identities" only if it follows the identity. This takes three steps:
//! `suspects` names the identities whose text matched none that people got; they are read again, which
//! removes most chance differences; and a `trial` of requests in random order decides, with a known
//! rate of false alarms. Reading is done by `observe`, judging by `judge`; both use these functions.

mod compared_page;
mod contacts;
mod street_addresses;
mod street_words;
mod suspects;
mod trial;

pub use compared_page::{ComparedPage, EQUAL_TEXT_PERCENT, Facet, NOISE_PERCENT};
pub use suspects::{
    ComparedReading, Reader, Suspects, differs_from_people, find_suspects, pages_differ,
};
pub use trial::{
    MAX_TRIAL_READS, TRIAL_REFERENCE_READS, TRIAL_SUSPECT_READS, TrialOutcome, TrialReading,
    run_trial, trial_order,
};

#[cfg(test)]
mod tests;
