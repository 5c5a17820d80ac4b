//! Times of day as written: `9`, `9:30`, `9h30`, `0930`, `9 am`, `9 Uhr`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayHalf {
    Morning,
    Afternoon,
}

/// A time with what its writing tells about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WrittenTime {
    /// Minutes since midnight.
    pub(super) minutes: u16,
    pub(super) half: Option<DayHalf>,
    /// Whether it is a time of a 24-hour clock.
    pub(super) is_full_clock: bool,
}

impl WrittenTime {
    pub(super) fn is_certain(self) -> bool {
        self.half.is_some() || self.is_full_clock || self.hour() == 0 || self.hour() > 12
    }

    pub(super) fn hour(self) -> u16 {
        self.minutes / 60
    }
}

/// Reads a time at the beginning of a text in lower case. Returns it with its length; none if the number
/// is no time.
pub(super) fn read_time(text: &str) -> Option<(WrittenTime, usize)> {
    let count = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u16>().ok());
    let digits = count(text);
    let (hour, mut minute, mut length) = match digits {
        1 | 2 => (number(text.get(..digits))?, 0, digits),
        3 | 4 => {
            let (hour, minute) = text.get(..digits)?.split_at_checked(digits - 2)?;
            (number(Some(hour))?, number(Some(minute))?, digits)
        }
        _ => return None,
    };
    let mut is_full_clock = digits == 4 || digits == 2 && text.starts_with('0');
    let mut has_hour_mark = false;
    if digits <= 2 {
        let rest = text.get(length..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix([':', '.'])
            && count(after) == 2
        {
            minute = number(after.get(..2))?;
            length += 3;
            // Seconds.
            if let Some(seconds) = text.get(length..).and_then(|rest| rest.strip_prefix(':'))
                && count(seconds) == 2
            {
                length += 3;
            }
        } else if let Some((minutes, mark)) = read_hour_mark(rest) {
            minute = minutes;
            length += mark;
            is_full_clock = true;
            has_hour_mark = true;
        }
    }
    let rest = text.get(length..).unwrap_or_default();
    if rest.bytes().next().is_some_and(|next| next.is_ascii_digit()) {
        return None;
    }
    let (half, unit) = read_half(rest);
    length += unit;
    if half.is_none() && !has_hour_mark {
        let unit = read_unit(rest);
        length += unit;
        is_full_clock |= unit > 0;
        has_hour_mark |= unit > 0;
    }
    if has_hour_mark {
        length += abbreviation_stop(text.get(length..).unwrap_or_default());
    }
    let minutes = hour.checked_mul(60)?.checked_add(minute)?;
    // `12:00 m.` in Latin America, `12nn` in the Philippines.
    if half.is_none()
        && hour == 12
        && let Some(noon) = read_noon_mark(rest)
    {
        return (minute < 60)
            .then_some((WrittenTime { minutes, half, is_full_clock: true }, length + noon));
    }
    // The evening counts on after midnight: `18時〜25時`, `20:00-26:00`.
    let latest = if length > digits { 30 * 60 - 1 } else { 24 * 60 };
    let fits_half =
        half.is_none() || (1..=12).contains(&hour) || hour > 12 && half == Some(DayHalf::Afternoon);
    let half = if hour > 12 { None } else { half };
    let fits = minute < 60 && minutes <= latest && fits_half;
    fits.then_some((WrittenTime { minutes, half, is_full_clock }, length))
}

/// `h30`, `h`, ` h 30`, `u30`: the minutes and the length.
fn read_hour_mark(rest: &str) -> Option<(u16, usize)> {
    let marked = rest.trim_start_matches(' ');
    let spaces = rest.len() - marked.len();
    let mark = ["hs", "hrs", "h", "u"].into_iter().find(|mark| {
        marked.strip_prefix(mark).is_some_and(|after| !after.starts_with(char::is_alphabetic))
    })?;
    let behind = marked.get(mark.len()..)?;
    let digits = behind.trim_start_matches(' ');
    let gap = behind.len() - digits.len();
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    // `9h30`, `9 h 30`; in `9h 12` the second number is another time.
    let is_attached = gap == 0 || gap == 1 && spaces > 0;
    let minutes = digits.get(..2).and_then(|minutes| minutes.parse::<u16>().ok());
    let minutes = minutes
        .filter(|minutes| count == 2 && *minutes < 60 && is_attached && matches!(mark, "h" | "u"));
    match minutes {
        Some(minutes) => Some((minutes, spaces + mark.len() + gap + 2)),
        None => Some((0, spaces + mark.len())),
    }
}

/// The length of a full stop that ends an abbreviation and no sentence: `9.30 u. tot 18.30 u.`
fn abbreviation_stop(rest: &str) -> usize {
    let next = rest.strip_prefix('.').and_then(|behind| behind.trim_start().chars().next());
    usize::from(next.is_some_and(|c| c.is_lowercase() || matches!(c, '-' | ';' | ',' | ')')))
}

/// ` am`, `p.m.`, `a`: the half of the day and the length of the word.
fn read_half(rest: &str) -> (Option<DayHalf>, usize) {
    let spaces = rest.len() - rest.trim_start_matches([' ', '-']).len();
    let word = rest.trim_start_matches([' ', '-']);
    let begins = |form: &&str| {
        word.strip_prefix(*form)
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '/'))
    };
    let morning = ["a.m.", "a.m", "am", "a. m."];
    let afternoon = ["p.m.", "p.m", "pm", "p. m."];
    if let Some(form) = morning.iter().find(|form| begins(form)) {
        return (Some(DayHalf::Morning), spaces + form.len());
    }
    if let Some(form) = afternoon.iter().find(|form| begins(form)) {
        return (Some(DayHalf::Afternoon), spaces + form.len());
    }
    // `9a-5p`
    if spaces == 0 && begins(&"a") {
        return (Some(DayHalf::Morning), 1);
    }
    if spaces == 0 && begins(&"p") {
        return (Some(DayHalf::Afternoon), 1);
    }
    (None, 0)
}

/// The length of a mark that says that twelve is noon.
fn read_noon_mark(rest: &str) -> Option<usize> {
    let word = rest.trim_start_matches(' ');
    let spaces = rest.len() - word.len();
    ["m.d.", "m.", "m", "nn", "n"]
        .into_iter()
        .find(|form| {
            word.strip_prefix(form).is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        })
        .map(|form| spaces + form.len())
}

/// The length of a word that says that a number is an hour of a 24-hour clock.
fn read_unit(rest: &str) -> usize {
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    let word = rest.trim_start_matches(' ');
    ["uhr", "uur", "hod", "ч", "godz", "hrs", "hs", "h", "u"]
        .into_iter()
        .find(|form| {
            word.strip_prefix(form).is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        })
        .map_or(0, |form| spaces + form.len())
}
