//! Text files for language models: llms.txt, llms-full.txt and agents.md.

use std::collections::BTreeSet;

use super::report::{Report, count_with_noun, quoted};
use super::text;

/// Shorter files are reported as too short.
const SHORT_CHARS: usize = 50;

/// A list with more links and no descriptions is reported as a sitemap.
const DUMP_LINKS: usize = 200;

/// llms.txt by llmstxt.org: a title, a summary, sections that are lists of links.
pub(super) fn check_llms_txt(report: &mut Report<'_>) -> Option<String> {
    let text = text::read_text(report, &text::MARKDOWN)?;
    report.note_other_host();
    if report.served.truncated {
        report.add_not_read_whole();
        return None;
    }
    if text.trim().chars().take(SHORT_CHARS).count() < SHORT_CHARS {
        add_too_short(report);
    }
    let outline = Outline::parse(&text);
    outline.check_structure(report);
    let mut seen = BTreeSet::new();
    let mut noted = 0_usize;
    for link in &outline.links {
        let at = format!("line {}", link.line);
        if link.has_notes {
            noted += 1;
        }
        if !seen.insert(link.target) {
            report.note(
                "doubled_link",
                at.clone(),
                format!("{} is listed more than once.", quoted(link.target)),
                "List every page once, in the section where readers look for it.",
            );
            continue;
        }
        if link.target.starts_with("mailto:") || link.target.starts_with('#') {
            report.note(
                "link_to_no_page",
                at,
                format!("{} does not lead to a page that agents can read.", quoted(link.target)),
                "Link to pages or files by their full URL.",
            );
            continue;
        }
        if !link.target.contains("://") {
            report.note(
                "relative_link",
                at.clone(),
                format!(
                    "{} is relative. Agents that have only the text cannot follow it.",
                    quoted(link.target)
                ),
                "Write the full URL, starting with https://.",
            );
        }
        report.check_url_reference(&at, link.target);
    }
    let sections = outline.sections.len();
    let optional = outline.links.iter().filter(|link| link.optional).count();
    report.set_count("sections", sections);
    report.set_count("links", outline.links.len());
    report.set_count("optional_links", optional);
    if outline.links.is_empty() {
        report.warn(
            "no_links",
            "",
            "The file contains no list of links, which is its main purpose.",
            "Add a section such as ## Docs, and below it lines such as: - [Getting started](https://your.site/start.md): what it is about",
        );
    } else if outline.links.len() > DUMP_LINKS && noted == 0 {
        report.note(
            "sitemap_dump",
            "",
            format!(
                "None of the {} links has a description. The file works as a sitemap, not as a guide.",
                outline.links.len()
            ),
            "Keep the important pages, and after each link add a colon and a short description.",
        );
    }
    for section in outline.sections.iter().filter(|section| section.links == 0) {
        report.warn(
            "section_without_links",
            format!("line {}", section.line),
            format!("The section {} contains no links. Readers that follow the format find nothing in it.", quoted(section.name)),
            "Make it a list of lines such as: - [name](https://…): notes. Put prose above the first section.",
        );
    }
    Some(format!(
        "{} in {}{}.",
        count_with_noun(outline.links.len(), "link", "links"),
        count_with_noun(sections, "section", "sections"),
        if optional > 0 { format!(", {optional} of them optional") } else { String::new() }
    ))
}

/// llms-full.txt has no grammar, so this checks only whether it can be read.
pub(super) fn check_llms_full_txt(report: &mut Report<'_>) -> Option<String> {
    let text = text::read_text(report, &text::MARKDOWN)?;
    report.note_other_host();
    let bytes = report.served.body.len();
    report.set_count("bytes", bytes);
    let outline = Outline::parse(&text);
    report.set_count("headings", outline.headings);
    if outline.first_title.is_none() {
        report.note(
            "no_title",
            "line 1",
            "The text has no first-level heading, so readers do not know which site it describes.",
            "Start it with a line such as: # Name of the site",
        );
    }
    // The start of a truncated file is enough for these checks, but not for its length.
    if !report.served.truncated && text.trim().chars().take(SHORT_CHARS).count() < SHORT_CHARS {
        add_too_short(report);
    }
    if bytes > 10 * text::MAX_BYTES {
        report.warn(
            "large",
            "",
            "The text is larger than 10 MiB. No model can read that much at once.",
            "Split it by topic and link the parts from llms.txt.",
        );
    }
    Some(format!(
        "{} KiB of text under {}.",
        bytes.div_ceil(1024),
        count_with_noun(outline.headings, "heading", "headings")
    ))
}

/// agents.md on a website has no required parts.
pub(super) fn check_agents_md(report: &mut Report<'_>) -> Option<String> {
    let text = text::read_text(report, &text::MARKDOWN)?;
    report.note_other_host();
    if report.served.truncated {
        report.add_not_read_whole();
        return None;
    }
    if text.trim().chars().take(SHORT_CHARS).count() < SHORT_CHARS {
        add_too_short(report);
    }
    let outline = Outline::parse(&text);
    report.set_count("headings", outline.headings);
    report.set_count("links", outline.links.len());
    for link in &outline.links {
        if link.target.contains("://") {
            report.check_url_reference(&format!("line {}", link.line), link.target);
        }
    }
    if outline.headings == 0 {
        report.note(
            "no_headings",
            "",
            "The text has no headings, so agents cannot find the part they need.",
            "Add a title (# …) and a heading for each topic (## …).",
        );
    }
    Some(format!(
        "Instructions for agents: {} and {}.",
        count_with_noun(outline.headings, "heading", "headings"),
        count_with_noun(outline.links.len(), "listed link", "listed links")
    ))
}

fn add_too_short(report: &mut Report<'_>) {
    report.warn(
        "very_short",
        "",
        "The file contains fewer than 50 characters.",
        "Describe the site and link its important pages.",
    );
}

struct Section<'t> {
    name: &'t str,
    line: usize,
    links: usize,
}

struct ListedLink<'t> {
    target: &'t str,
    line: usize,
    has_notes: bool,
    optional: bool,
}

/// Headings and links of a Markdown text, as far as llms.txt defines them. Numbers are line numbers.
#[derive(Default)]
struct Outline<'t> {
    first_title: Option<usize>,
    empty_title: bool,
    more_titles: Vec<usize>,
    text_before_title: Option<usize>,
    summary: bool,
    deeper: Vec<usize>,
    loose_links: Vec<usize>,
    bare_items: Vec<usize>,
    headings: usize,
    sections: Vec<Section<'t>>,
    links: Vec<ListedLink<'t>>,
}

impl<'t> Outline<'t> {
    fn parse(text: &'t str) -> Self {
        let mut outline = Self::default();
        let mut fence: Option<&str> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let bare = line.trim();
            if let Some(mark) = fence {
                if bare.starts_with(mark) {
                    fence = None;
                }
                continue;
            }
            if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark)) {
                fence = Some(mark);
            }
            outline.add_line(number, bare);
        }
        outline
    }

    fn add_line(&mut self, number: usize, line: &'t str) {
        if line.is_empty() {
            return;
        }
        if let Some((level, name)) = parse_heading(line) {
            self.headings += 1;
            match level {
                1 if self.first_title.is_none() => {
                    self.first_title = Some(number);
                    self.empty_title = name.is_empty();
                }
                1 => self.more_titles.push(number),
                2 => self.sections.push(Section { name, line: number, links: 0 }),
                _ => self.deeper.push(number),
            }
            return;
        }
        if self.first_title.is_none() {
            self.text_before_title.get_or_insert(number);
        }
        if line.starts_with('>') && self.sections.is_empty() {
            self.summary = true;
        }
        let Some(item) = ["- ", "* ", "+ "].into_iter().find_map(|mark| line.strip_prefix(mark))
        else {
            return;
        };
        let Some((target, noted)) = parse_link(item.trim_start()) else {
            if !self.sections.is_empty() {
                self.bare_items.push(number);
            }
            return;
        };
        match self.sections.last_mut() {
            Some(section) => section.links += 1,
            None => self.loose_links.push(number),
        }
        let optional = self
            .sections
            .last()
            .is_some_and(|section| section.name.eq_ignore_ascii_case("optional"));
        self.links.push(ListedLink { target, line: number, has_notes: noted, optional });
    }

    fn check_structure(&self, report: &mut Report<'_>) {
        match self.first_title {
            None => report.fatal(
                "no_title",
                "line 1",
                "The file has no title. The format requires one.",
                "Start the file with a line such as: # Name of the site",
            ),
            Some(line) if self.empty_title => report.fatal(
                "no_title",
                format!("line {line}"),
                "The title is empty. The format requires one.",
                "Write the name of the site after the #: # Name of the site",
            ),
            Some(_) => {
                if let Some(line) = self.text_before_title {
                    report.warn(
                        "text_before_title",
                        format!("line {line}"),
                        "There is text before the title. Strict readers expect the title first and reject the file.",
                        "Move the title line (#) to the top and the text above it below the title.",
                    );
                }
            }
        }
        for line in &self.more_titles {
            report.warn(
                "several_titles",
                format!("line {line}"),
                "This is a second first-level heading. The format allows only one title.",
                "Make it a section with ##.",
            );
        }
        if self.first_title.is_some() && !self.summary {
            report.note(
                "no_summary",
                "",
                "There is no summary. Agents use it to decide whether the site is relevant.",
                "Below the title, add a line such as: > What this site offers, in one sentence.",
            );
        }
        for line in &self.deeper {
            report.note(
                "deeper_heading",
                format!("line {line}"),
                "The heading is below the second level. The format allows only # and ##.",
                "Make it a section with ##, or plain text.",
            );
        }
        for line in &self.loose_links {
            report.warn(
                "links_outside_section",
                format!("line {line}"),
                "There is a list of links above the first section, where readers expect prose.",
                "Add a heading such as ## Docs above the list.",
            );
        }
        for line in &self.bare_items {
            report.note(
                "item_without_link",
                format!("line {line}"),
                "A list item in this section does not start with a link.",
                "Write it as: - [name](https://…): notes",
            );
        }
    }
}

/// `## Docs` as level and name.
fn parse_heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
    ((1..=6).contains(&level) && spaced)
        .then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// The target of `[name](target)` at the start of a list item, and whether notes follow.
fn parse_link(item: &str) -> Option<(&str, bool)> {
    let (_, rest) = item.strip_prefix('[')?.split_once("](")?;
    let mut open = 0_usize;
    let end = rest.find(|c| match c {
        '(' => {
            open += 1;
            false
        }
        ')' if open > 0 => {
            open -= 1;
            false
        }
        c => c == ')',
    })?;
    let (inside, after) = rest.split_at_checked(end)?;
    // The target may be in angle brackets, and a title may follow it.
    let target = inside.trim();
    let target = match target.strip_prefix('<') {
        Some(bracketed) => bracketed.split('>').next().unwrap_or_default(),
        None => target.split_ascii_whitespace().next().unwrap_or_default(),
    };
    (!target.is_empty()).then_some((target, after.len() > 2))
}
