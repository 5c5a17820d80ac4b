//! Reports what is wrong with a robots.txt file, by the letter of RFC 9309 and of the conventions for
//! rights signals.
//!
//! Stricter than [`robots`](crate::robots), which decides as leniently as Google: what one crawler
//! accepts, another misreads. Uses the line parser of `robots` and the value checks of `rights`;
//! neither of them uses this module.

use crate::evidence_excerpt::{evidence_excerpt, marked_excerpt};
use crate::fault::{Fault, Weight};
use crate::rights::{aipref, content_signal};
use crate::robots::line::{self, Field, FieldName, LineContent};
use crate::robots::{MAX_BYTES, Robots, record};

/// How many faults of one file are listed; one more says how many were left out.
const MAX_FAULTS: usize = 100;

/// What the file gets wrong, in the order of its lines; faults of the whole file come first.
#[must_use]
pub fn find_faults(robots: &Robots) -> Vec<Fault> {
    let mut lint = Lint { faults: Vec::new(), dropped: 0 };
    if lint.check_file(robots) {
        lint.check_lines(robots);
    }
    if lint.dropped > 0 {
        lint.faults.push(Fault {
            code: "more_faults",
            weight: Weight::Note,
            at: String::new(),
            problem: format!("{} more faults are not listed.", lint.dropped),
            fix: "Fix the listed faults first, then check again.".into(),
        });
    }
    lint.faults
}

struct Lint {
    faults: Vec<Fault>,
    dropped: usize,
}

/// State carried from line to line.
#[derive(Default)]
struct LineState {
    in_group: bool,
    in_agent_list: bool,
    after_blank_line: bool,
    /// A `Content-Usage` line between the user-agent lines of one group.
    usage_line: Option<u32>,
    /// The first `User-agent: *` line of each group for everyone.
    everyone_lines: Vec<u32>,
    group_is_for_everyone: bool,
    /// The line that opened the current group, as long as the group is empty.
    empty_group_line: Option<u32>,
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

    /// Checks the file as a whole. Returns false if checking its lines makes no sense.
    fn check_file(&mut self, robots: &Robots) -> bool {
        let file = robots.file_bytes();
        if line::is_utf16(file) {
            let empty = file.iter().skip(2).all(|byte| *byte == 0 || byte.is_ascii_whitespace());
            let problem = if empty {
                "The file contains only a UTF-16 byte order mark. It is empty and not UTF-8."
            } else {
                "The file is UTF-16. Crawlers expect UTF-8 and find no rules in it, so they may fetch everything."
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
                "The file is an HTML page. Crawlers find no rules in it, so they may fetch everything.".into(),
                "Serve /robots.txt as plain text (Content-Type: text/plain), or answer 404 if you have no policy.",
            );
            return false;
        }
        if robots.truncated {
            self.add(
                "truncated",
                Weight::Warning,
                0,
                format!("The file is longer than {} KiB, or was not received completely. The rest was not read, and crawlers may ignore it too.", MAX_BYTES / 1024),
                "Shorten the file: combine rules with `*`, and put agents with the same rules in one group (RFC 9309, 2.5).",
            );
        }
        if file.first() == Some(&0xef) && !file.starts_with(b"\xef\xbb\xbf") {
            self.add(
                "broken_byte_order_mark",
                Weight::Warning,
                1,
                "The file begins with a broken byte order mark. Many crawlers ignore the first line because of it.".into(),
                "Save the file as UTF-8 without a byte order mark.",
            );
        }
        // If our limit of 500 KiB split a character, that is not a fault of the file.
        if let Err(error) = std::str::from_utf8(file)
            && (error.error_len().is_some() || !robots.truncated)
        {
            self.add(
                "not_utf8",
                Weight::Warning,
                line_number_at(file, error.valid_up_to()),
                "The file contains bytes that are not valid UTF-8. A path with such bytes may match nothing.".into(),
                "Save the file as UTF-8, or percent-encode non-ASCII characters in paths (RFC 9309, 2.2.2).",
            );
        }
        if let Some(at) = memchr::memchr(0, file) {
            self.add(
                "nul_byte",
                Weight::Warning,
                line_number_at(file, at),
                "The file contains a zero byte. Crawlers end the line there or drop it.".into(),
                "Remove the zero byte: save the file again as plain UTF-8 text.",
            );
        }
        true
    }

    fn check_lines(&mut self, robots: &Robots) {
        let mut state = LineState::default();
        for raw_line in line::raw_lines(robots.file_bytes()) {
            if raw_line.truncated {
                self.add(
                    "long_line",
                    Weight::Warning,
                    raw_line.number,
                    format!(
                        "The line is longer than {} bytes. Crawlers ignore the rest of it.",
                        line::MAX_LINE_BYTES
                    ),
                    "Write one path per line.",
                );
            }
            match line::parse_line(raw_line.bytes) {
                LineContent::Blank => state.after_blank_line |= !state.in_agent_list,
                LineContent::Comment(_) => {}
                LineContent::Unreadable(text) => self.add(
                    "unreadable_line",
                    Weight::Warning,
                    raw_line.number,
                    format!(
                        "`{}` is not of the form `name: value`. Crawlers ignore it.",
                        quote(text)
                    ),
                    "If it is a comment, put `#` before it. Otherwise write it as `name: value`.",
                ),
                LineContent::Field(field) => self.check_field(&field, raw_line.number, &mut state),
            }
        }
        self.check_empty_group(&mut state);
        if let [first, second, ..] = state.everyone_lines.as_slice() {
            let managed = robots.managed_blocks();
            let layer = managed
                .iter()
                .find(|block| block.contains_line(*first) != block.contains_line(*second));
            let whose = layer.map_or(String::new(), |block| {
                format!(
                    " One of them was added by {}, not by the site's own file.",
                    block.managed_by
                )
            });
            self.add(
                "merged_groups",
                Weight::Warning,
                *second,
                format!(
                    "There are {} groups for `*` (the first two start at lines {first} and {second}). Crawlers merge them into one group, so all their rules apply together.{whose}",
                    state.everyone_lines.len()
                ),
                "Put all rules for `*` into one `User-agent: *` group (RFC 9309, 2.2.1).",
            );
        }
    }

    fn check_field(&mut self, field: &Field<'_>, line: u32, state: &mut LineState) {
        if !field.colon && field.name == FieldName::Other {
            self.add(
                "unreadable_line",
                Weight::Warning,
                line,
                format!(
                    "`{} {}` is not of the form `name: value`. Crawlers ignore it.",
                    quote(field.key),
                    quote(field.value)
                ),
                "If it is a comment, put `#` before it. Otherwise write it as `name: value`.",
            );
            return;
        }
        if !field.colon {
            self.add(
                "missing_colon",
                Weight::Warning,
                line,
                format!(
                    "The colon after `{}` is missing. Only some crawlers accept that.",
                    quote(field.key)
                ),
                &format!("{}: {}", standard_name(field.name), quote(field.value)),
            );
        } else if !standard_name(field.name).is_empty()
            && !field.key.eq_ignore_ascii_case(standard_name(field.name).as_bytes())
        {
            self.add(
                "misspelt_name",
                Weight::Warning,
                line,
                format!(
                    "Some crawlers read `{}` as `{}`; others ignore the line.",
                    quote(field.key),
                    standard_name(field.name)
                ),
                &format!("{}: {}", standard_name(field.name), quote(field.value)),
            );
        }
        match field.name {
            FieldName::UserAgent => self.check_user_agent(field.value, line, state),
            FieldName::Allow | FieldName::Disallow => self.check_rule(field, line, state),
            FieldName::Sitemap => {
                self.check_absolute_url("relative_sitemap", "sitemap", field, line)
            }
            FieldName::License => {
                self.check_absolute_url("relative_license", "licence", field, line);
                state.empty_group_line = None;
            }
            FieldName::CrawlDelay => self.check_crawl_delay(field.value, line, state),
            FieldName::ContentSignal => self.check_content_signal(field.value, line, state),
            FieldName::ContentUsage => self.check_content_usage(field.value, line, state),
            FieldName::Other => self.check_unknown_field(field, line, state),
        }
    }

    fn check_user_agent(&mut self, value: &[u8], line: u32, state: &mut LineState) {
        if let Some(usage) = state.usage_line.take().filter(|_| state.in_agent_list) {
            self.add(
                "content_usage_in_agent_list",
                Weight::Warning,
                usage,
                "A Content-Usage line is placed between User-agent lines. Crawlers that support it start a new group after it; others treat all the User-agent lines as one group.".into(),
                "Move Content-Usage below the last User-agent line of its group, or end the group with a rule first.",
            );
        }
        if !state.in_agent_list {
            self.check_empty_group(state);
            (state.empty_group_line, state.group_is_for_everyone) = (Some(line), false);
        }
        (state.in_group, state.in_agent_list, state.after_blank_line) = (true, true, false);
        if line::is_everyone(value) {
            if !std::mem::replace(&mut state.group_is_for_everyone, true) {
                state.everyone_lines.push(line);
            }
            return;
        }
        let (word, token) = line::product_token(value);
        let tail = value.get(word.len()..).unwrap_or_default();
        let suggestion = likely_agent_token(value);
        let advice = format!("User-agent: {suggestion}");
        if value.is_empty() {
            self.add(
                "empty_user_agent",
                Weight::Error,
                line,
                "The line names no agent, so the group applies to nobody.".into(),
                "User-agent: *",
            );
        } else if token == b"Mozilla" || memchr::memchr(b'(', value).is_some() {
            self.add(
                "full_user_agent_string",
                Weight::Error,
                line,
                format!("`{}` is a complete User-Agent header. Crawlers look only for their product token, so the group does not apply to them.", quote(value)),
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
                format!("`{}` contains {what}, which a product token cannot have. By the standard it matches no crawler; lenient crawlers read only `{}`.", quote(value), quote(word)),
                &format!("Use the token that the crawler's operator documents, one per line: `User-agent: {}`.", quote(word)),
            );
        } else if word.len() != token.len() {
            self.add(
                "token_beyond_letters",
                Weight::Note,
                line,
                format!(
                    "`{}` contains characters other than letters, `-` and `_`. Strict crawlers read only `{}`.",
                    quote(word),
                    quote(token)
                ),
                "Keep it if the operator documents that name; that crawler looks for it.",
            );
        }
    }

    fn check_rule(&mut self, field: &Field<'_>, line: u32, state: &mut LineState) {
        if !state.in_group {
            self.add_rule_before_group(standard_name(field.name), line);
        }
        (state.in_agent_list, state.after_blank_line, state.usage_line, state.empty_group_line) =
            (false, false, None, None);
        let pattern = field.value;
        if !matches!(pattern.first(), None | Some(b'/' | b'*')) {
            self.add(
                "pattern_without_slash",
                Weight::Error,
                line,
                format!(
                    "The path `{}` starts with neither `/` nor `*`, so it matches no URL.",
                    quote(pattern)
                ),
                &format!("{}: /{}", standard_name(field.name), quote(pattern)),
            );
        }
        let inner = pattern.split_last().map_or(pattern, |(_, rest)| rest);
        if memchr::memchr(b'$', inner).is_some() {
            self.add(
                "dollar_inside",
                Weight::Warning,
                line,
                format!("`{}` contains a `$` before its end. Only a `$` at the end means “end of the URL”; this one is an ordinary character.", quote(pattern)),
                "Move `$` to the end, or write %24 if you mean the character itself (RFC 9309, 2.2.3).",
            );
        }
    }

    fn add_rule_before_group(&mut self, what: &str, line: u32) {
        self.add(
            "rule_before_group",
            Weight::Error,
            line,
            format!("The {what} line comes before any User-agent line, so it applies to nobody."),
            "Add the line `User-agent: *` before it.",
        );
    }

    fn check_empty_group(&mut self, state: &mut LineState) {
        if let Some(line) = state.empty_group_line.take() {
            self.add(
                "group_without_rules",
                Weight::Note,
                line,
                "The group has no rules. Its agents may fetch everything, whatever the group for `*` says.".into(),
                "Add the rules you mean to it, or `Allow: /` if this is intended.",
            );
        }
    }

    fn check_absolute_url(&mut self, code: &'static str, what: &str, field: &Field<'_>, line: u32) {
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
                    "The {what} URL `{}` is not absolute. Crawlers ignore it.",
                    quote(field.value)
                ),
                &format!(
                    "Write the full URL: `{}: https://…{}`.",
                    standard_name(field.name),
                    quote(field.value)
                ),
            );
        }
    }

    fn check_crawl_delay(&mut self, value: &[u8], line: u32, state: &mut LineState) {
        state.empty_group_line = None;
        if !state.in_group {
            self.add_rule_before_group("Crawl-delay", line);
        }
        if record::parse_delay_seconds(value).is_none() {
            self.add(
                "bad_crawl_delay",
                Weight::Warning,
                line,
                format!(
                    "`{}` is not a number of seconds between 0 and 604,800 (one week).",
                    quote(value)
                ),
                "Crawl-delay: 10",
            );
        }
    }

    fn check_content_signal(&mut self, value: &[u8], line: u32, state: &mut LineState) {
        state.empty_group_line = None;
        if !state.in_group || state.after_blank_line {
            self.add(
                "signal_outside_group",
                Weight::Warning,
                line,
                "The Content-Signal line is outside any group. We apply it to the whole site; other readers may not.".into(),
                "Move it directly below the User-agent lines it is for (`User-agent: *` for everyone).",
            );
        }
        for fault in
            content_signal::check_value(&String::from_utf8_lossy(value), &format!("line {line}"))
        {
            self.push_fault(fault);
        }
    }

    fn check_content_usage(&mut self, value: &[u8], line: u32, state: &mut LineState) {
        (state.empty_group_line, state.after_blank_line) = (None, false);
        if !state.in_group {
            self.add_rule_before_group("Content-Usage", line);
        }
        if state.in_agent_list {
            state.usage_line.get_or_insert(line);
        }
        let value = String::from_utf8_lossy(value);
        let (_, preferences) = aipref::path_and_preferences(&value);
        for fault in aipref::check_value(preferences, &format!("line {line}")) {
            self.push_fault(fault);
        }
    }

    fn push_fault(&mut self, fault: Fault) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        } else {
            self.dropped += 1;
        }
    }

    fn check_unknown_field(&mut self, field: &Field<'_>, line: u32, state: &mut LineState) {
        state.empty_group_line = None;
        let key = String::from_utf8_lossy(field.key).to_ascii_lowercase();
        let value = quote(field.value);
        match key.as_str() {
            "noindex" => self.add(
                "noindex_line",
                Weight::Warning,
                line,
                "`Noindex` is not a robots.txt rule. Search engines ignore it.".into(),
                "Send the header `X-Robots-Tag: noindex` with those pages, or add `<meta name=\"robots\" content=\"noindex\">` to them.",
            ),
            "content-signals" | "contentsignal" | "contentsignals" | "content_signal" => self.add(
                "content_signal_misspelt",
                Weight::Error,
                line,
                format!("`{}` is misspelled: the record is called `Content-Signal`. No crawler reads this line.", quote(field.key)),
                &format!("Content-Signal: {value}"),
            ),
            "contentusage" | "content_usage" | "content-usages" => self.add(
                "content_usage_misspelt",
                Weight::Error,
                line,
                format!("`{}` is misspelled: the record is called `Content-Usage`. No crawler reads this line.", quote(field.key)),
                &format!("Content-Usage: {value}"),
            ),
            "licence" => self.add(
                "license_misspelt",
                Weight::Error,
                line,
                "RSL spells the record `License`. No crawler reads `Licence`.".into(),
                &format!("License: {value}"),
            ),
            "permits" | "prohibits" => self.add(
                "rsl_terms_in_robots",
                Weight::Error,
                line,
                format!("`{}` is an element of an RSL licence file, not a robots.txt record. No crawler reads it here.", quote(field.key)),
                "Publish the terms as an RSL file and link it: `License: https://…/license.xml`.",
            ),
            _ => {}
        }
    }
}

/// The name of a record as the standard spells it; empty for unknown records.
fn standard_name(name: FieldName) -> &'static str {
    match name {
        FieldName::UserAgent => "User-agent",
        FieldName::Allow => "Allow",
        FieldName::Disallow => "Disallow",
        FieldName::Sitemap => "Sitemap",
        FieldName::CrawlDelay => "Crawl-delay",
        FieldName::ContentSignal => "Content-Signal",
        FieldName::ContentUsage => "Content-Usage",
        FieldName::License => "License",
        FieldName::Other => "",
    }
}

/// The product token that a complete User-Agent header most likely contains: the first word that is
/// not `Mozilla`, `AppleWebKit` or similar.
fn likely_agent_token(value: &[u8]) -> String {
    const BROWSER: [&str; 7] =
        ["mozilla", "applewebkit", "khtml", "gecko", "chrome", "safari", "compatible"];
    let text = String::from_utf8_lossy(value);
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
        .find(|word| {
            let lower = word.to_ascii_lowercase();
            word.starts_with(|c: char| c.is_ascii_alphabetic())
                && !BROWSER.contains(&lower.as_str())
        })
        .map_or_else(|| "*".to_owned(), evidence_excerpt)
}

/// The number of the line that holds a byte.
fn line_number_at(file: &[u8], at: usize) -> u32 {
    let before = file.get(..at).unwrap_or(file);
    line::raw_lines(before).last().map_or(1, |raw_line| raw_line.number)
}

/// A quotation of at most 80 characters for a fault.
fn quote(text: &[u8]) -> String {
    marked_excerpt(&String::from_utf8_lossy(text.get(..400).unwrap_or(text)), 80)
}

#[cfg(test)]
mod tests;
