//! What the words of opening hours mean.

/// What a word or phrase means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A day of the week, from Monday.
    Day(u8),
    EveryDay,
    /// Monday to Friday.
    Weekdays,
    /// Monday to Friday, and in some places Saturday.
    WorkingDays,
    Weekend,
    Holiday,
    To,
    And,
    /// After it, “and” stands between opening and closing time.
    Between,
    From,
    Closed,
    /// Closed for good.
    NeverOpen,
    AllDay,
    /// All day, every day.
    Always,
    Noon,
    Midnight,
    Morning,
    Afternoon,
    /// An hour in letters.
    Hour(u8),
    /// Half an hour before the hour that follows: `halb neun`.
    HalfBefore,
    /// Half an hour after the hour that follows: `half past eight`.
    HalfPast,
    /// Half an hour after the hour before it: `las ocho y media`.
    AndHalf,
    /// A part of the day, which alone may be closed.
    MorningPart,
    AfternoonPart,
    /// Before the time of a break.
    Pause,
    Except,
    Appointment,
    /// Before a time that is not the closing time.
    LastEntry,
    /// The hours are those of something else, or of a part of the year.
    OtherHours,
    Ignored,
}
