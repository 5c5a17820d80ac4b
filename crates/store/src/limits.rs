//! Allowances by the day: how many of something one asker, or all together, have had.
//!
//! A count is kept under a digest that its user chose; which address stands behind one cannot be
//! read from here.

use contract::Day;

use crate::{BoxFuture, Digest, StoreError};

/// One of an allowance: what it is counted under, and how many there are in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    pub what: Digest,
    pub most: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taking {
    /// One of each was taken.
    Taken,
    /// Nothing was taken, because this draw (by its place among those given) has none left.
    Spent { which: usize },
}

pub trait Limits: Send + Sync {
    /// Takes one of each, or none at all; durable when this returns. Two that draw at once never
    /// both get the last one.
    fn take(&self, day: Day, draws: Vec<Draw>) -> BoxFuture<'_, Result<Taking, StoreError>>;

    /// How many were taken that day.
    fn taken(&self, day: Day, what: Digest) -> BoxFuture<'_, Result<u32, StoreError>>;

    /// Forgets the counts of all days before `day`, and says how many there were.
    fn forget_before(&self, day: Day) -> BoxFuture<'_, Result<u64, StoreError>>;
}
