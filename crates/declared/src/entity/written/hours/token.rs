//! A word, time or sign of a text about opening hours.

use super::meaning::Meaning;
use super::time_of_day::WrittenTime;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Word(Meaning),
    Time(WrittenTime),
    /// A number without anything that makes it a time.
    Number(WrittenTime),
    Dash,
    /// A comma, an ampersand or a slash.
    Joiner,
    /// The end of a statement.
    Stop,
    Break,
    Other,
}
