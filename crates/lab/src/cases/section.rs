//! One section of a case file: to whom it is served, at which path, and the response.

use std::time::Duration;

use http::{HeaderName, HeaderValue};

use super::{template::Template, who::Who};

/// How one of several sections for the same identities and path is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Draw {
    /// At random, by weight.
    Random,
    /// One after the other.
    Turn,
    /// By a hash of the user agent, by weight: always the same for the same client.
    ByAgent,
}

#[derive(Debug, Clone)]
pub(super) struct Section {
    /// The line of its head, counted from 1.
    pub(super) line: usize,
    pub(super) who: Who,
    /// A path, or `*` for every path that has no section.
    pub(super) path: String,
    pub(super) status: u16,
    pub(super) content_type: String,
    pub(super) headers: Vec<(&'static str, Template)>,
    /// `None`: not said.
    pub(super) draw: Option<Draw>,
    pub(super) weight: u64,
    pub(super) delay: Duration,
    /// The body is repeated up to this size.
    pub(super) repeat: Option<u64>,
    pub(super) body: Template,
}

const MAX_DELAY: Duration = Duration::from_secs(600);
const MAX_REPEAT: u64 = 200 * 1024 * 1024;

/// Reads `WHO [PATH] | STATUS | CONTENT-TYPE [| option]…`. The body follows later.
pub(super) fn parse_head(line: usize, text: &str, seed: &str) -> Result<Section, String> {
    let mut fields = text.split('|').map(str::trim);
    let whom = fields.next().unwrap_or_default();
    let (who, path) = whom.split_once(' ').map_or((whom, "/"), |(who, path)| (who, path.trim()));
    if path != "*" && !path.starts_with('/') || path.contains(' ') {
        return Err(format!("{path:?} is no path"));
    }
    let status = fields.next().unwrap_or_default();
    let status = Some(status)
        .filter(|status| status.len() == 3)
        .and_then(|status| status.parse().ok())
        .filter(|status| (200..=599).contains(status))
        .ok_or_else(|| format!("{status:?} is no final status"))?;
    let content_type = fields.next().ok_or("the content type is missing")?;
    if HeaderValue::from_str(content_type).is_err() {
        return Err(format!("{content_type:?} is no content type"));
    }
    let mut section = Section {
        line,
        who: Who::parse(who)?,
        path: path.to_owned(),
        status,
        // A dash means: no such header.
        content_type: content_type.trim_start_matches('-').to_owned(),
        headers: Vec::new(),
        draw: None,
        weight: 1,
        delay: Duration::ZERO,
        repeat: None,
        body: Template::parse("", seed).map_err(|(_, problem)| problem)?,
    };
    for option in fields {
        parse_option(&mut section, option, seed)?;
    }
    Ok(section)
}

fn parse_option(section: &mut Section, option: &str, seed: &str) -> Result<(), String> {
    if let Some(number) = option.strip_prefix("weight=") {
        section.weight = number
            .parse()
            .ok()
            .filter(|weight| (1..=1000).contains(weight))
            .ok_or_else(|| format!("{number:?} is no weight"))?;
        section.draw = section.draw.or(Some(Draw::Random));
    } else if option == "turn" {
        section.draw = Some(Draw::Turn);
    } else if option == "by-agent" {
        section.draw = Some(Draw::ByAgent);
    } else if let Some(time) = option.strip_prefix("delay=") {
        section.delay = parse_delay(time)?;
    } else if let Some(size) = option.strip_prefix("repeat=") {
        section.repeat = Some(parse_size(size)?);
    } else if let Some((name, value)) = option.split_once(':') {
        let problem = || format!("{option:?} is no header");
        let known = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| problem())?;
        if HeaderValue::from_str(value.trim()).is_err() {
            return Err(problem());
        }
        let value = Template::parse(value.trim(), seed).map_err(|(_, problem)| problem)?;
        // Headers of sites are static. The few names of case files live as long as the process.
        section.headers.push((Box::leak(known.as_str().to_owned().into_boxed_str()), value));
    } else {
        return Err(format!("{option:?} is no option"));
    }
    Ok(())
}

fn parse_delay(time: &str) -> Result<Duration, String> {
    let problem = || format!("{time:?} is no time such as 20s or 500ms");
    let delay = if let Some(number) = time.strip_suffix("ms") {
        Duration::from_millis(number.parse().map_err(|_| problem())?)
    } else {
        let number = time.strip_suffix('s').ok_or_else(problem)?;
        Duration::from_secs(number.parse().map_err(|_| problem())?)
    };
    if delay > MAX_DELAY { Err(problem()) } else { Ok(delay) }
}

fn parse_size(size: &str) -> Result<u64, String> {
    let (number, unit) = match (size.strip_suffix("KiB"), size.strip_suffix("MiB")) {
        (Some(number), _) => (number, 1024),
        (_, Some(number)) => (number, 1024 * 1024),
        _ => (size, 1),
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .filter(|bytes| (1..=MAX_REPEAT).contains(bytes))
        .ok_or_else(|| format!("{size:?} is no size in bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_with_every_option() {
        let head = "people /shop | 302 | text/html; charset=utf-8 | Location: https://{{host}}/en/ \
                    | weight=9 | delay=20s | repeat=10MiB | X-Odd: a: b";
        let section = parse_head(7, head, "s").unwrap();
        assert_eq!((section.line, &*section.path, section.status), (7, "/shop", 302));
        assert_eq!(section.content_type, "text/html; charset=utf-8");
        let names: Vec<&str> = section.headers.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["location", "x-odd"]);
        assert_eq!((section.draw, section.weight), (Some(Draw::Random), 9));
        assert_eq!(section.delay, Duration::from_secs(20));
        assert_eq!(section.repeat, Some(10 * 1024 * 1024));
        assert_eq!(parse_head(1, "all | 200 | text/html", "s").unwrap().path, "/");
        assert_eq!(parse_head(1, "all | 204 | -", "s").unwrap().content_type, "");
        let turn = parse_head(1, "all | 200 | text/html | turn", "s").unwrap();
        assert_eq!(turn.draw, Some(Draw::Turn));
        let by_agent = parse_head(1, "all | 200 | text/html | weight=3 | by-agent", "s").unwrap();
        assert_eq!((by_agent.draw, by_agent.weight), (Some(Draw::ByAgent), 3));
    }

    #[test]
    fn unknown_words_are_refused() {
        for head in [
            "",
            "all",
            "all | 200",
            "all | ok | text/html",
            "all | 99 | text/html",
            "all shop | 200 | text/html",
            "all /a b | 200 | text/html",
            "everyone | 200 | text/html",
            "all | 200 | text/html | weight=0",
            "all | 200 | text/html | turns",
            "all | 200 | text/html | delay=20",
            "all | 200 | text/html | delay=2h",
            "all | 200 | text/html | repeat=0",
            "all | 200 | text/html | repeat=10GB",
            "all | 200 | text/html | Bad Name: x",
            "all | 200 | text/html |",
            "all | 200 | text/html | Location: {{hots:1}}",
        ] {
            assert!(parse_head(1, head, "s").is_err(), "{head}");
        }
    }
}
