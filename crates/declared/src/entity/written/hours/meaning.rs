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
    /// A holiday, or closed on the day before it: `Sunday holiday`.
    RestDay,
    Month,
    /// A number that can only be the day of a month.
    DayOfMonth,
    /// A day of the year, which is a holiday if the text says that it is closed then.
    Feast,
    /// Before the date at which somebody looked.
    AsOf,
    To,
    And,
    /// Between two of which only one is meant.
    Or,
    /// After it, “and” stands between opening and closing time.
    Between,
    From,
    Closed,
    /// Closed on the days beside it, or closing at the time behind it: `cierra los lunes`, `cierra a las 20`.
    Closes,
    /// Closed, directly behind days or holidays only: `Su off`, but not `drop things off`.
    Off,
    /// Closed for good.
    NeverOpen,
    AllDay,
    /// All day, or without a break within the hours beside it.
    NonStop,
    /// All day, every day.
    Always,
    Noon,
    Midnight,
    Morning,
    Afternoon,
    /// An hour in letters.
    Hour(u8),
    /// Minutes to add to the hour that follows: `halb neun`, `quarter past nine`.
    BeforeHour(i16),
    /// Minutes to add to the hour before it: `las ocho y media`.
    BehindHour(i16),
    /// The hours around midnight: `11 at night`, `2 w nocy`.
    Night,
    /// All days that nothing else is said about: `otherwise`, `the other days`.
    OtherDays,
    /// Days that have the hours already stated: `also on Sundays`, `lunedì compreso`.
    Including,
    /// A part of the day, which alone may be closed.
    MorningPart,
    AfternoonPart,
    /// Before the time of a break.
    Pause,
    /// Before or behind days that are all: `only on Saturdays`.
    Only,
    Except,
    /// The same behind its days, or before them: `Pazar hariç`, `domenica esclusa`.
    ExceptBefore,
    Appointment,
    /// Before a time that is not the closing time.
    LastEntry,
    /// The hours are those of something else, or of a part of the year.
    OtherHours,
    Ignored,
}
