//! Opening hours: both schema.org notations, converted to minutes of each day.

use std::collections::BTreeMap;

pub(in super::super) const DAYS: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
const MINUTES: u16 = 24 * 60;
/// How many statements of one text are read.
const MAX_STATEMENTS: usize = 100;
const MAX_EXCEPTIONS: usize = 50;

/// A week of opening hours, and dated exceptions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct OpeningHours {
    /// The open intervals of each day, in minutes since midnight.
    days: [Vec<(u16, u16)>; 7],
    /// Date ranges, as written, with their open intervals.
    exceptions: BTreeMap<String, Vec<(u16, u16)>>,
    /// Whether any hours were stated: an always closed week differs from missing hours.
    is_stated: bool,
}

impl OpeningHours {
    /// Adds a text such as `Mo-Fr 09:00-17:00`, `Sa,Su 10:00-12:00,13:00-15:00` or `Mo-Su`, or
    /// several of them separated by semicolons. Returns false if a part could not be parsed.
    pub(in super::super) fn add_text(&mut self, text: &str) -> bool {
        let mut understood = true;
        for statement in
            text.split(';').map(str::trim).filter(|s| !s.is_empty()).take(MAX_STATEMENTS)
        {
            understood &= self.add_statement(statement).is_some();
        }
        understood
    }

    fn add_statement(&mut self, statement: &str) -> Option<()> {
        let statement = statement.replace(['–', '—', '−'], "-");
        let first_digit = statement.find(|c: char| c.is_ascii_digit());
        if first_digit == Some(0) && statement.contains('/') {
            return self.add_exception_text(&statement);
        }
        let (days, times) = match first_digit {
            Some(at) => statement.split_at_checked(at)?,
            None => (statement.as_str(), ""),
        };
        let days = days.trim();
        let (days, closed) = match days.to_ascii_lowercase() {
            d if d.ends_with("closed") => (days.get(..days.len() - 6)?.trim(), true),
            d if d.ends_with("off") => (days.get(..days.len() - 3)?.trim(), true),
            _ => (days, false),
        };
        let days = if days.is_empty() { (0..7).collect() } else { parse_days(days)? };
        let hours = if closed {
            Vec::new()
        } else if times.trim().is_empty() {
            vec![(0, MINUTES)]
        } else {
            parse_intervals(times)?
        };
        self.is_stated = true;
        for day in days {
            for (opens, closes) in &hours {
                self.add_interval(day, *opens, *closes);
            }
        }
        Some(())
    }

    /// Parses an exception of the normalized form: `2026-12-24/2026-12-26 10:00-12:00`.
    fn add_exception_text(&mut self, statement: &str) -> Option<()> {
        let (dates, times) = statement.split_once(' ')?;
        let (from, to) = dates.split_once('/')?;
        let hours = if times.trim() == "closed" { Vec::new() } else { parse_intervals(times)? };
        self.add_exception(from, to, hours);
        Some(())
    }

    /// Adds an OpeningHoursSpecification. Days are names (`Monday`) or URLs that end in one; without
    /// opens and closes the days are closed. Returns false if a part could not be parsed.
    pub(in super::super) fn add_specification(
        &mut self,
        days: &[String],
        opens: Option<&str>,
        closes: Option<&str>,
        valid: (Option<&str>, Option<&str>),
    ) -> bool {
        let hours = match (opens, closes) {
            (None, None) => Vec::new(),
            (Some(opens), Some(closes)) => match (parse_minute(opens), parse_minute(closes)) {
                // 00:00 to 00:00 means closed; 00:00 to 23:59 means open all day.
                (Some(0), Some(0)) => Vec::new(),
                (Some(opens), Some(closes)) => vec![(opens, closes)],
                _ => return false,
            },
            _ => return false,
        };
        // Hours with a first or a last day hold for a time only, so they are no part of the week.
        if let (from, to) = valid
            && (from.is_some() || to.is_some())
        {
            self.add_exception(from.unwrap_or_default(), to.unwrap_or_default(), hours);
            return true;
        }
        let mut understood = true;
        self.is_stated = true;
        let all = if days.is_empty() { DAYS.map(str::to_owned).to_vec() } else { days.to_vec() };
        for name in &all {
            let Some(day) = parse_day(name) else {
                // Public holidays are not days of the week.
                understood &= name.contains("Holiday");
                continue;
            };
            for (opens, closes) in &hours {
                self.add_interval(day, *opens, *closes);
            }
        }
        understood
    }

    fn add_exception(&mut self, from: &str, to: &str, hours: Vec<(u16, u16)>) {
        let date = |text: &str| {
            text.chars().filter(|c| c.is_ascii_digit() || *c == '-').take(10).collect::<String>()
        };
        if self.exceptions.len() < MAX_EXCEPTIONS {
            self.is_stated = true;
            let list = self.exceptions.entry(format!("{}/{}", date(from), date(to))).or_default();
            list.extend(hours.into_iter().map(|(opens, closes)| {
                (opens, if closes == MINUTES - 1 { MINUTES } else { closes })
            }));
            list.sort_unstable();
            list.dedup();
        }
    }

    fn add_interval(&mut self, day: usize, opens: u16, closes: u16) {
        let closes = if closes == MINUTES - 1 { MINUTES } else { closes };
        if closes > opens {
            self.merge_interval(day, opens, closes);
        } else {
            // Past midnight the rest belongs to the next day.
            self.merge_interval(day, opens, MINUTES);
            self.merge_interval((day + 1) % 7, 0, closes);
        }
    }

    fn merge_interval(&mut self, day: usize, opens: u16, closes: u16) {
        let Some(list) = self.days.get_mut(day).filter(|_| closes > opens) else { return };
        list.push((opens, closes));
        list.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(list.len());
        for (opens, closes) in list.drain(..) {
            match merged.last_mut() {
                Some(last) if last.1 >= opens => last.1 = last.1.max(closes),
                _ => merged.push((opens, closes)),
            }
        }
        *list = merged;
    }

    /// `Mo 09:00-12:00,13:00-17:00; Tu 09:00-17:00; 2026-12-24/2026-12-26 closed`; `closed` for a
    /// week that is always closed; empty if no hours were stated.
    pub(in super::super) fn to_normalized(&self) -> String {
        let times = |list: &[(u16, u16)]| {
            list.iter()
                .map(|(opens, closes)| {
                    format!("{}-{}", format_minute(*opens), format_minute(*closes))
                })
                .collect::<Vec<_>>()
                .join(",")
        };
        let days = DAYS.iter().zip(&self.days).filter(|(_, list)| !list.is_empty());
        let mut parts: Vec<String> =
            days.map(|(day, list)| format!("{day} {}", times(list))).collect();
        if parts.is_empty() && self.is_stated && self.exceptions.is_empty() {
            parts.push("closed".to_owned());
        }
        parts.extend(self.exceptions.iter().map(|(dates, list)| {
            let hours = if list.is_empty() { "closed".to_owned() } else { times(list) };
            format!("{dates} {hours}")
        }));
        parts.join("; ")
    }
}

/// The days of two normalized weeks that both state, and whether any of them has different hours. None if
/// they have no day in common: hours for certain dates are another matter than the usual week.
pub(in super::super) fn compare_weeks(one: &str, other: &str) -> Option<bool> {
    let week = |normal: &str| -> BTreeMap<String, String> {
        normal
            .split("; ")
            .filter_map(|part| part.split_once(' '))
            .filter(|(day, _)| DAYS.contains(day))
            .map(|(day, times)| (day.to_owned(), times.to_owned()))
            .collect()
    };
    let other = week(other);
    let one = week(one);
    let mut shared =
        one.iter().filter_map(|(day, times)| Some((times, other.get(day)?))).peekable();
    shared.peek()?;
    Some(shared.any(|(one, other)| one != other))
}

fn format_minute(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

fn parse_days(text: &str) -> Option<Vec<usize>> {
    let mut days = Vec::new();
    for part in
        text.split([',', ' ']).map(|p| p.trim_matches(':')).filter(|p| !p.is_empty()).take(20)
    {
        match part.split_once('-') {
            Some((from, to)) => {
                let (from, to) = (parse_day(from)?, parse_day(to)?);
                // `Fr-Mo` wraps around the end of the week.
                let length = (to + 7 - from) % 7;
                days.extend((0..=length).map(|n| (from + n) % 7));
            }
            None => days.push(parse_day(part)?),
        }
    }
    Some(days)
}

fn parse_intervals(text: &str) -> Option<Vec<(u16, u16)>> {
    let text = text.replace(" - ", "-");
    text.split([',', ' '])
        .filter(|part| !part.is_empty())
        .take(20)
        .map(|part| {
            let (opens, closes) = part.split_once('-')?;
            Some((parse_minute(opens)?, parse_minute(closes)?))
        })
        .collect()
}

fn parse_day(name: &str) -> Option<usize> {
    let name = name.trim().rsplit(['/', '#', ':']).next()?;
    let head: String = name.chars().take(2).collect();
    let full = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let whole = name.to_ascii_lowercase();
    DAYS.iter().position(|day| day.eq_ignore_ascii_case(&head)).filter(|at| {
        full.get(*at).is_some_and(|full| {
            whole.len() >= 2
                && (whole.len() <= 4 || whole == *full)
                && (full.starts_with(&whole) || whole == "thur" || whole == "tues")
        })
    })
}

/// `9:00`, `09:00:00`, `09:00+01:00`, `24:00`, `9am`, `5:30 pm`: minutes since midnight.
fn parse_minute(text: &str) -> Option<u16> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.split_once('t').map_or(text.as_str(), |(_, time)| time);
    let (time, half) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(time), _) => (time.trim(), Some(0)),
        (_, Some(time)) => (time.trim(), Some(12)),
        _ => (text, None),
    };
    let time = time.split(['+', 'z']).next()?;
    let mut parts = time.split(':');
    let number = |part: &str| -> Option<u16> {
        (part.len() <= 2 && !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
            .then(|| part.parse().ok())
            .flatten()
    };
    let hours = number(parts.next()?)?;
    let minutes = match parts.next() {
        Some(minutes) => number(minutes.split('-').next()?)?,
        None if half.is_some() => 0,
        None => return None,
    };
    let hours = match half {
        Some(half) if (1..=12).contains(&hours) => hours % 12 + half,
        Some(_) => return None,
        None => hours,
    };
    (minutes < 60 && hours * 60 + minutes <= MINUTES).then_some(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn week(text: &str) -> String {
        let mut week = OpeningHours::default();
        assert!(week.add_text(text), "{text}");
        week.to_normalized()
    }

    #[test]
    fn texts_have_one_form() {
        for (text, form) in [
            ("Mo 09:00-17:00", "Mo 09:00-17:00"),
            ("Mo,We 9:00-17:00", "Mo 09:00-17:00; We 09:00-17:00"),
            (
                "Mo-We 09:00–12:00,13:00-17:00",
                "Mo 09:00-12:00,13:00-17:00; Tu 09:00-12:00,13:00-17:00; We 09:00-12:00,13:00-17:00",
            ),
            ("Sa-Mo 10:00-11:00", "Mo 10:00-11:00; Sa 10:00-11:00; Su 10:00-11:00"),
            ("Sa,Su", "Sa 00:00-24:00; Su 00:00-24:00"),
            ("Fr 22:00-02:00", "Fr 22:00-24:00; Sa 00:00-02:00"),
            ("Mo 09:00-12:00; Mo 12:00-15:00", "Mo 09:00-15:00"),
            ("Monday 9am-5:30pm", "Mo 09:00-17:30"),
            ("Mo 00:00-23:59", "Mo 00:00-24:00"),
            ("Su closed", "closed"),
            ("", ""),
        ] {
            assert_eq!(week(text), form, "{text}");
        }
        for nonsense in ["whenever", "Mo 9-17", "Mo 25:00-26:00", "Xx 09:00-10:00"] {
            assert!(!OpeningHours::default().add_text(nonsense), "{nonsense}");
        }
    }

    #[test]
    fn both_notations_meet() {
        let mut specified = OpeningHours::default();
        let days = ["Monday", "https://schema.org/Tuesday", "schema:Wednesday"].map(str::to_owned);
        assert!(specified.add_specification(
            &days,
            Some("09:00:00"),
            Some("17:00+01:00"),
            (None, None)
        ));
        assert!(specified.add_specification(
            &["Sunday".into()],
            Some("00:00"),
            Some("00:00"),
            (None, None)
        ));
        assert!(specified.add_specification(&["PublicHolidays".into()], None, None, (None, None)));
        assert_eq!(specified.to_normalized(), week("Mo-We 09:00-17:00"));
        let dates = (Some("2026-12-24"), Some("2026-12-26"));
        assert!(specified.add_specification(&[], None, None, dates));
        assert!(specified.to_normalized().ends_with("; 2026-12-24/2026-12-26 closed"));
        assert_eq!(week(&specified.to_normalized()), specified.to_normalized());
        assert!(!specified.add_specification(&[], Some("nine"), Some("17:00"), (None, None)));
    }

    proptest::proptest! {
        #[test]
        fn stable(text in "((Mo|Tu|Fr-Mo|Sa,Su|Su) ?([0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9],?){0,3};? ?){0,4}", soup in "\\PC{0,40}") {
            for text in [text, soup] {
                let mut first = OpeningHours::default();
                first.add_text(&text);
                let mut second = OpeningHours::default();
                let understood = second.add_text(&first.to_normalized());
                proptest::prop_assert!(understood);
                proptest::prop_assert_eq!(second.to_normalized(), first.to_normalized());
            }
        }
    }
}
