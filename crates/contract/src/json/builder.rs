//! How the parser hands over what it reads, so that other trees than `serde_json`'s can be built.

use serde_json::Number;

/// Builds values. The parser calls it for each value when that is complete.
pub trait Builder {
    type Value;
    /// The members of an object that is not complete yet.
    type Members: Default;

    fn null(&mut self) -> Self::Value;
    fn boolean(&mut self, value: bool) -> Self::Value;
    fn number(&mut self, value: Number) -> Self::Value;
    fn text(&mut self, value: String) -> Self::Value;
    fn array(&mut self, items: Vec<Self::Value>) -> Self::Value;
    fn object(&mut self, members: Self::Members) -> Self::Value;

    /// A member's name was read, its value not yet.
    fn check_name(&mut self, _: &Self::Members, _: &str) -> Result<(), DuplicateMember> {
        Ok(())
    }

    fn add_member(
        &mut self,
        members: &mut Self::Members,
        name: String,
        value: Self::Value,
    ) -> Result<(), DuplicateMember>;

    /// A member or an item begins. What this returns is given to [`Self::leave`] when it is complete
    /// and added.
    fn enter(&mut self, _: PathStep<'_>) -> usize {
        0
    }

    fn leave(&mut self, _: usize) {}
}

/// The object has this member already: parsing ends with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuplicateMember;

/// One step from a value to a value in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStep<'a> {
    Member(&'a str),
    Item(usize),
}
