//! What is wrong with a robots.txt file: by the letter of RFC 9309 and the conventions beside it.
//!
//! A walk of its own, more strict than the one that decides: what one reader forgives, another
//! stumbles over.

use super::line::{self, Field, Name, Said};
use super::{MAX_BYTES, Robots, record};
use crate::fault::{Fault, Weight};
use crate::rights::{content_signal, quoted};

/// Faults told of one file; the last one says that there are more.
const MAX_FAULTS: usize = 100;

pub(super) fn faults(robots: &Robots) -> Vec<Fault> {
    let mut lint = Lint { faults: Vec::new(), dropped: 0 };
    if lint.whole(robots) {
        lint.lines(robots);
    }
    if lint.dropped > 0 {
        lint.faults.push(Fault {
            code: "more_faults",
            weight: Weight::Note,
            at: String::new(),
            problem: format!("The file has {} more faults that are not listed.", lint.dropped),
            fix: "Mend the listed ones first and look again.".into(),
        });
    }
    lint.faults
}

struct Lint {
    faults: Vec<Fault>,
    dropped: usize,
}

/// What the walk remembers between lines.
#[derive(Default)]
struct Walk {
    in_group: bool,
    naming: bool,
    loose: bool,
    /// A `Content-Usage` line between user-agent lines of one list.
    usage_at: Option<u32>,
    /// Where the groups for everyone say so, one line each.
    everyone_at: Vec<u32>,
    everyone_here: bool,
    /// The line that opened the current group, while nothing stands in it.
    empty_since: Option<u32>,
}

impl Lint {
    fn add(&mut self, code: &'static str, weight: Weight, line: u32, problem: String, fix: &str) {
        if self.faults.len() >= MAX_FAULTS {
            self.dropped += 1;
            return;
        }
        let at = if line == 0 { String::new() } else { format!("line {line}") };
        self.faults.push(Fault { code, weight, at, problem, fix: fix.to_owned() });
    }

    /// Faults of the file as a whole. False when its lines are not worth a look.
    fn whole(&mut self, robots: &Robots) -> bool {
        let file = robots.file();
        if line::utf16(file) {
            let empty = file.iter().skip(2).all(|byte| *byte == 0 || byte.is_ascii_whitespace());
            let problem = if empty {
                "The file is only a UTF-16 byte order mark: it is empty, and not UTF-8."
            } else {
                "The file is UTF-16: crawlers read UTF-8 and find no rule in it, so everything is open to them."
            };
            let code = if empty { "utf16_empty" } else { "utf16" };
            let fix = "Save the file as UTF-8 without a byte order mark (RFC 9309, 2.3).";
            self.add(code, Weight::Error, 0, problem.into(), fix);
            return false;
        }
        let start = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file).trim_ascii_start();
        let start = start.get(..9).unwrap_or(start).to_ascii_lowercase();
        if start == b"<!doctype" || start.starts_with(b"<html") {
            self.add(
                "html_body",
                Weight::Error,
                0,
                "The file is a web page: crawlers find no rule in it, so everything is open to them.".into(),
                "Answer /robots.txt with plain text (Content-Type: text/plain), or with 404 when there is no policy.",
            );
            return false;
        }
        if robots.truncated {
            self.add(
                "truncated",
                Weight::Warning,
                0,
                format!("The file is longer than {} KiB; what comes later is not read.", MAX_BYTES / 1024),
                "Shorten the file: join rules with `*`, and name agents with the same rules in one group (RFC 9309, 2.5).",
            );
        }
        if file.first() == Some(&0xef) && !file.starts_with(b"\xef\xbb\xbf") {
            self.add(
                "broken_byte_order_mark",
                Weight::Warning,
                1,
                "The file begins with a broken byte order mark; many readers lose the first line by it.".into(),
                "Save the file as UTF-8 without a byte order mark.",
            );
        }
        // A character that the cut at 500 KiB went through is not the owner's fault.
        if let Err(error) = std::str::from_utf8(file)
            && (error.error_len().is_some() || !robots.truncated)
        {
            self.add(
                "not_utf8",
                Weight::Warning,
                line_at(file, error.valid_up_to()),
                "The file holds bytes that are not UTF-8; a path written with them may match nothing.".into(),
                "Save the file as UTF-8, or percent-encode what is not ASCII in paths (RFC 9309, 2.2.2).",
            );
        }
        if let Some(at) = memchr::memchr(0, file) {
            self.add(
                "nul_byte",
                Weight::Warning,
                line_at(file, at),
                "The file holds a zero byte; readers end the line there, or drop it.".into(),
                "Remove the zero byte: save the file anew as plain UTF-8 text.",
            );
        }
        true
    }

    fn lines(&mut self, robots: &Robots) {
        let mut walk = Walk::default();
        for row in line::rows(robots.file()) {
            if row.cut {
                self.add(
                    "long_line",
                    Weight::Warning,
                    row.number,
                    format!(
                        "The line is longer than {} bytes and is cut there.",
                        line::MAX_LINE_BYTES
                    ),
                    "Write one path per line.",
                );
            }
            match line::said(row.bytes) {
                Said::Nothing => walk.loose |= !walk.naming,
                Said::Comment(_) => {}
                Said::Unreadable(text) => self.add(
                    "unreadable_line",
                    Weight::Warning,
                    row.number,
                    format!(
                        "`{}` is not of the form `name: value` and is passed over.",
                        show(text)
                    ),
                    "Put `#` before it when it is a comment, or write it as `name: value`.",
                ),
                Said::Field(field) => self.field(&field, row.number, &mut walk),
            }
        }
        self.empty_group(&mut walk);
        if let [first, second, ..] = walk.everyone_at.as_slice() {
            let managed = robots.managed_blocks();
            let layer = managed.iter().find(|block| block.holds(*first) != block.holds(*second));
            let whose = layer.map_or(String::new(), |block| {
                format!(" One of them was put there by {}, not by the site's own file.", block.by)
            });
            self.add(
                "merged_groups",
                Weight::Warning,
                *second,
                format!(
                    "There are {} groups for `*` (lines {first} and {second} first); crawlers read them as one, so each may open or close more than it says.{whose}",
                    walk.everyone_at.len()
                ),
                "Write one `User-agent: *` group with all its rules (RFC 9309, 2.2.1).",
            );
        }
    }

    fn field(&mut self, field: &Field<'_>, line: u32, walk: &mut Walk) {
        if !field.colon && field.name == Name::Other {
            self.add(
                "unreadable_line",
                Weight::Warning,
                line,
                format!(
                    "`{} {}` is not of the form `name: value`.",
                    show(field.key),
                    show(field.value)
                ),
                "Put `#` before it when it is a comment, or write it as `name: value`.",
            );
            return;
        }
        if !field.colon {
            self.add(
                "missing_colon",
                Weight::Warning,
                line,
                format!("No colon after `{}`; only some readers forgive that.", show(field.key)),
                &format!("{}: {}", proper(field.name), show(field.value)),
            );
        } else if !proper(field.name).is_empty()
            && !field.key.eq_ignore_ascii_case(proper(field.name).as_bytes())
        {
            self.add(
                "misspelt_name",
                Weight::Warning,
                line,
                format!(
                    "`{}` is read as `{}` by some crawlers and passed over by others.",
                    show(field.key),
                    proper(field.name)
                ),
                &format!("{}: {}", proper(field.name), show(field.value)),
            );
        }
        match field.name {
            Name::UserAgent => self.user_agent(field.value, line, walk),
            Name::Allow | Name::Disallow => self.rule(field, line, walk),
            Name::Sitemap => self.absolute("relative_sitemap", "sitemap", field, line),
            Name::License => {
                self.absolute("relative_license", "licence", field, line);
                walk.empty_since = None;
            }
            Name::CrawlDelay => self.crawl_delay(field.value, line, walk),
            Name::ContentSignal => self.content_signal(field.value, line, walk),
            Name::ContentUsage => self.content_usage(field.value, line, walk),
            Name::Other => self.other(field, line, walk),
        }
    }

    fn user_agent(&mut self, value: &[u8], line: u32, walk: &mut Walk) {
        if let Some(usage) = walk.usage_at.take().filter(|_| walk.naming) {
            self.add(
                "content_usage_in_agent_list",
                Weight::Warning,
                usage,
                "A Content-Usage line stands between User-agent lines: a reader that knows it begins a new group after it, one that does not joins both lists.".into(),
                "Put Content-Usage after the last User-agent line of its group, or end the group with a rule first.",
            );
        }
        if !walk.naming {
            self.empty_group(walk);
            (walk.empty_since, walk.everyone_here) = (Some(line), false);
        }
        (walk.in_group, walk.naming, walk.loose) = (true, true, false);
        if line::is_everyone(value) {
            if !std::mem::replace(&mut walk.everyone_here, true) {
                walk.everyone_at.push(line);
            }
            return;
        }
        let (word, token) = line::product(value);
        let tail = value.get(word.len()..).unwrap_or_default();
        let suggestion = agent_inside(value);
        let advice = format!("User-agent: {suggestion}");
        if value.is_empty() {
            self.add(
                "empty_user_agent",
                Weight::Error,
                line,
                "The line names no agent, so the group speaks to nobody.".into(),
                "User-agent: *",
            );
        } else if token == b"Mozilla" || memchr::memchr(b'(', value).is_some() {
            self.add(
                "full_user_agent_string",
                Weight::Error,
                line,
                format!("`{}` is a whole User-Agent header; agents look for their product token alone, so the group does not reach them.", show(value)),
                &advice,
            );
        } else if !tail.is_empty() {
            let (code, what) = if tail.first() == Some(&b'/') {
                ("token_with_slash", "a slash")
            } else {
                ("token_with_space", "a space")
            };
            self.add(
                code,
                Weight::Warning,
                line,
                format!("`{}` holds {what}, which no product token has: by the standard it matches nobody, and lenient readers see only `{}`.", show(value), show(word)),
                &format!("Name the token as its operator documents it, one per line: `User-agent: {}`.", show(word)),
            );
        } else if word.len() != token.len() {
            self.add(
                "token_beyond_letters",
                Weight::Note,
                line,
                format!(
                    "`{}` holds more than letters, `-` and `_`; strict readers see only `{}`.",
                    show(word),
                    show(token)
                ),
                "Keep it when the operator documents that name; the agent itself will look for it.",
            );
        }
    }

    fn rule(&mut self, field: &Field<'_>, line: u32, walk: &mut Walk) {
        if !walk.in_group {
            self.before_group(proper(field.name), line);
        }
        (walk.naming, walk.loose, walk.usage_at, walk.empty_since) = (false, false, None, None);
        let pattern = field.value;
        if !matches!(pattern.first(), None | Some(b'/' | b'*')) {
            self.add(
                "pattern_without_slash",
                Weight::Error,
                line,
                format!(
                    "The path `{}` begins with neither `/` nor `*`, so it matches no address.",
                    show(pattern)
                ),
                &format!("{}: /{}", proper(field.name), show(pattern)),
            );
        }
        let inner = pattern.split_last().map_or(pattern, |(_, rest)| rest);
        if memchr::memchr(b'$', inner).is_some() {
            self.add(
                "dollar_inside",
                Weight::Warning,
                line,
                format!("In `{}` a `$` stands before the end; there it is an ordinary character, not the end of the address.", show(pattern)),
                "Put `$` last, or write %24 when the character itself is meant (RFC 9309, 2.2.3).",
            );
        }
    }

    fn before_group(&mut self, what: &str, line: u32) {
        self.add(
            "rule_before_group",
            Weight::Error,
            line,
            format!("The {what} line stands before any User-agent line and speaks to nobody."),
            "Put `User-agent: *` on a line before it.",
        );
    }

    fn empty_group(&mut self, walk: &mut Walk) {
        if let Some(line) = walk.empty_since.take() {
            self.add(
                "group_without_rules",
                Weight::Note,
                line,
                "The group has no rules: its agents may fetch everything, whatever the group for `*` says.".into(),
                "Write the rules that are meant under it, or `Allow: /` to say that this is so.",
            );
        }
    }

    fn absolute(&mut self, code: &'static str, what: &str, field: &Field<'_>, line: u32) {
        let value = String::from_utf8_lossy(field.value).to_ascii_lowercase();
        let absolute = ["http://", "https://", "ftp://"]
            .iter()
            .any(|scheme| value.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()));
        if !absolute {
            self.add(
                code,
                Weight::Error,
                line,
                format!(
                    "The {what} address `{}` is not absolute; readers pass over it.",
                    show(field.value)
                ),
                &format!(
                    "Write the whole address: `{}: https://…{}`.",
                    proper(field.name),
                    show(field.value)
                ),
            );
        }
    }

    fn crawl_delay(&mut self, value: &[u8], line: u32, walk: &mut Walk) {
        walk.empty_since = None;
        if !walk.in_group {
            self.before_group("Crawl-delay", line);
        }
        if record::seconds(value).is_none() {
            self.add(
                "bad_crawl_delay",
                Weight::Warning,
                line,
                format!("`{}` is not a number of seconds between 0 and a week.", show(value)),
                "Crawl-delay: 10",
            );
        }
    }

    fn content_signal(&mut self, value: &[u8], line: u32, walk: &mut Walk) {
        walk.empty_since = None;
        if !walk.in_group || walk.loose {
            self.add(
                "signal_outside_group",
                Weight::Warning,
                line,
                "The Content-Signal line stands outside a group; it is taken for the whole site here, and readers differ.".into(),
                "Put it right under the User-agent lines it is for (`User-agent: *` for everyone).",
            );
        }
        for fault in content_signal::check(&String::from_utf8_lossy(value), &format!("line {line}"))
        {
            self.keep(fault);
        }
    }

    fn content_usage(&mut self, value: &[u8], line: u32, walk: &mut Walk) {
        (walk.empty_since, walk.loose) = (None, false);
        if !walk.in_group {
            self.before_group("Content-Usage", line);
        }
        if walk.naming {
            walk.usage_at.get_or_insert(line);
        }
        let value = String::from_utf8_lossy(value);
        let (_, preferences) = crate::rights::aipref::path_and_preferences(&value);
        for fault in crate::rights::aipref::check(preferences, &format!("line {line}")) {
            self.keep(fault);
        }
    }

    fn keep(&mut self, fault: Fault) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        } else {
            self.dropped += 1;
        }
    }

    fn other(&mut self, field: &Field<'_>, line: u32, walk: &mut Walk) {
        walk.empty_since = None;
        let key = String::from_utf8_lossy(field.key).to_ascii_lowercase();
        let value = show(field.value);
        match key.as_str() {
            "noindex" => self.add(
                "noindex_line",
                Weight::Warning,
                line,
                "`Noindex` is no robots.txt rule; search engines ignore it.".into(),
                "Send the header `X-Robots-Tag: noindex` with those pages, or put `<meta name=\"robots\" content=\"noindex\">` in them.",
            ),
            "content-signals" | "contentsignal" | "contentsignals" | "content_signal" => self.add(
                "content_signal_misspelt",
                Weight::Error,
                line,
                format!("`{}` is not `Content-Signal`; nobody reads it.", show(field.key)),
                &format!("Content-Signal: {value}"),
            ),
            "contentusage" | "content_usage" | "content-usages" => self.add(
                "content_usage_misspelt",
                Weight::Error,
                line,
                format!("`{}` is not `Content-Usage`; nobody reads it.", show(field.key)),
                &format!("Content-Usage: {value}"),
            ),
            "licence" => self.add(
                "license_misspelt",
                Weight::Error,
                line,
                "RSL spells the record `License`; nobody reads `Licence`.".into(),
                &format!("License: {value}"),
            ),
            "permits" | "prohibits" => self.add(
                "rsl_terms_in_robots",
                Weight::Error,
                line,
                format!("`{}` is an element of an RSL licence, not a robots.txt record; nobody reads it here.", show(field.key)),
                "Publish the terms as an RSL file and name it: `License: https://…/license.xml`.",
            ),
            _ => {}
        }
    }
}

/// The name of a record as the standard writes it; empty for unknown ones.
fn proper(name: Name) -> &'static str {
    match name {
        Name::UserAgent => "User-agent",
        Name::Allow => "Allow",
        Name::Disallow => "Disallow",
        Name::Sitemap => "Sitemap",
        Name::CrawlDelay => "Crawl-delay",
        Name::ContentSignal => "Content-Signal",
        Name::ContentUsage => "Content-Usage",
        Name::License => "License",
        Name::Other => "",
    }
}

/// The product token that a whole User-Agent header most likely means: the word before a version
/// that is not `Mozilla`, `AppleWebKit` and their like.
fn agent_inside(value: &[u8]) -> String {
    const BROWSER: [&str; 7] =
        ["mozilla", "applewebkit", "khtml", "gecko", "chrome", "safari", "compatible"];
    let text = String::from_utf8_lossy(value);
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
        .find(|word| {
            let lower = word.to_ascii_lowercase();
            word.starts_with(|c: char| c.is_ascii_alphabetic())
                && !BROWSER.contains(&lower.as_str())
        })
        .map_or_else(|| "*".to_owned(), quoted)
}

/// The number of the line that holds a byte.
fn line_at(file: &[u8], at: usize) -> u32 {
    let before = file.get(..at).unwrap_or(file);
    // One row more than line endings before it, which is what the count of rows gives.
    line::rows(before).last().map_or(1, |row| row.number)
}

fn show(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text.get(..400).unwrap_or(text)).into_owned();
    let short: String = text.chars().take(80).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", quoted(&short))
}
