//! Opening hours in the notation of schema.org: `Mo-Fr 09:00-17:00`.

const DAYS: [(&str, &str); 7] = [
    ("Mo", "monday"),
    ("Tu", "tuesday"),
    ("We", "wednesday"),
    ("Th", "thursday"),
    ("Fr", "friday"),
    ("Sa", "saturday"),
    ("Su", "sunday"),
];
const MINUTES_OF_DAY: u32 = 24 * 60;
/// The most parts of a week, and of the times of one part.
const MAX_PARTS: usize = 50;

/// An interval of one weekday, in minutes.
type Interval = (usize, u32, u32);

/// The parts of a stated week (`Mo-Fr 09:00-17:00; Sa 10:00-14:00`), each in the notation of schema.org.
/// `None` if a part is not understood, or if two intervals of a day overlap: then one of them may be an
/// exception for some dates.
pub(super) fn opening_hours(stated: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut intervals: Vec<Interval> = Vec::new();
    for part in stated.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (days, times) = part.split_once(' ')?;
        let (day_text, weekdays) = parse_days(days)?;
        let (time_text, spans) = parse_times(times.trim())?;
        for day in &weekdays {
            for (opens, closes) in &spans {
                let overlaps =
                    |(other, start, end): &Interval| other == day && opens < end && start < closes;
                if intervals.iter().any(overlaps) {
                    return None;
                }
                intervals.push((*day, *opens, *closes));
            }
        }
        parts.push(format!("{day_text} {time_text}"));
        if parts.len() > MAX_PARTS {
            return None;
        }
    }
    (!parts.is_empty()).then_some(parts)
}

fn parse_days(text: &str) -> Option<(String, Vec<usize>)> {
    let (mut written, mut days) = (Vec::new(), Vec::new());
    for item in text.split(',').take(MAX_PARTS) {
        match item.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (parse_day(first)?, parse_day(last)?);
                let length = (last + DAYS.len() - first) % DAYS.len();
                days.extend((0..=length).map(|step| (first + step) % DAYS.len()));
                written.push(format!("{}-{}", day_name(first), day_name(last)));
            }
            None => {
                let day = parse_day(item)?;
                days.push(day);
                written.push(day_name(day).to_owned());
            }
        }
    }
    days.sort_unstable();
    days.dedup();
    Some((written.join(","), days))
}

/// `Mo`, `Mon` or `Monday`.
fn parse_day(text: &str) -> Option<usize> {
    let day = text.trim().to_ascii_lowercase();
    DAYS.iter().position(|(_, name)| day.len() >= 2 && name.starts_with(&day))
}

fn day_name(day: usize) -> &'static str {
    DAYS.get(day).map_or("", |(short, _)| short)
}

fn parse_times(text: &str) -> Option<(String, Vec<(u32, u32)>)> {
    let (mut written, mut spans) = (Vec::new(), Vec::new());
    for item in text.split(',').take(MAX_PARTS) {
        let (opens, closes) = item.trim().split_once('-')?;
        let (opens, closes) = (parse_time(opens)?, parse_time(closes)?);
        // The same time twice may mean "closed" or "the whole day".
        if opens == closes {
            return None;
        }
        let end = if closes < opens { closes + MINUTES_OF_DAY } else { closes };
        spans.push((opens, end));
        written.push(format!("{}-{}", clock_time(opens), clock_time(closes)));
    }
    Some((written.join(","), spans))
}

/// `09:00` or `09:00:00`, in minutes.
fn parse_time(text: &str) -> Option<u32> {
    let mut fields = text.trim().split(':');
    let (hours, minutes) = (fields.next()?, fields.next()?);
    let seconds = fields.next().unwrap_or("00");
    let is_field = |field: &str| field.len() == 2 && field.bytes().all(|b| b.is_ascii_digit());
    let short_hour = hours.len() == 1 && hours.bytes().all(|b| b.is_ascii_digit());
    let well_formed = fields.next().is_none()
        && (is_field(hours) || short_hour)
        && is_field(minutes)
        && matches!(seconds, "00" | "59");
    let minutes: u32 = minutes.parse().ok().filter(|minutes| *minutes < 60)?;
    let time = hours.parse::<u32>().ok()? * 60 + minutes;
    (well_formed && time <= MINUTES_OF_DAY).then_some(time)
}

fn clock_time(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_weeks_are_written_as_schema_org_defines() {
        for (stated, expected) in [
            ("Mo-Fr 09:00-17:00; Sa 10:00-14:00", vec!["Mo-Fr 09:00-17:00", "Sa 10:00-14:00"]),
            ("Monday,Tuesday 9:00:00-17:30:00", vec!["Mo,Tu 09:00-17:30"]),
            ("Mo 09:00-12:00,14:00-18:00", vec!["Mo 09:00-12:00,14:00-18:00"]),
            ("Fr 18:00-02:00", vec!["Fr 18:00-02:00"]),
            ("Sa-Mo 08:00-09:00", vec!["Sa-Mo 08:00-09:00"]),
        ] {
            assert_eq!(opening_hours(stated).unwrap(), expected, "{stated}");
        }
        for bad in [
            "",
            "always",
            "09:00-17:00",
            "Mo 09:00",
            "Mo 25:00-26:00",
            "Mo 00:00-00:00",
            "Someday 09:00-10:00",
            // One of the two is an exception for some dates.
            "Monday 09:00-17:00; Monday 10:00-12:00",
            "Mo-Fr 09:00-17:00; We 09:00-12:00",
        ] {
            assert_eq!(opening_hours(bad), None, "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_can_be_read(stated in "[A-Za-z,; :0-9-]{0,60}") {
            if let Some(parts) = opening_hours(&stated) {
                proptest::prop_assert_eq!(opening_hours(&parts.join("; ")), Some(parts));
            }
        }
    }
}
