//! Files of prose for language models: llms.txt, llms-full.txt, agents.md.

use std::collections::BTreeSet;

use super::report::{Report, counted, quoted};
use super::text;

/// Shorter files say nothing that an agent could use.
const SHORT_CHARS: usize = 50;

/// A list this long without a word of explanation is a sitemap, not a guide.
const DUMP_LINKS: usize = 200;

/// llms.txt by llmstxt.org: a title, a summary, sections that are lists of links.
pub(super) fn llms(report: &mut Report<'_>) -> Option<String> {
    let text = text::open(report, &text::MARKDOWN)?;
    report.note_other_host();
    if report.served.cut {
        report.not_read_whole();
        return None;
    }
    if text.trim().chars().take(SHORT_CHARS).count() < SHORT_CHARS {
        too_short(report);
    }
    let outline = Outline::read(&text);
    outline.titles(report);
    let mut seen = BTreeSet::new();
    let mut noted = 0_usize;
    for link in &outline.links {
        let at = format!("line {}", link.line);
        if link.noted {
            noted += 1;
        }
        if !seen.insert(link.target) {
            report.note(
                "doubled_link",
                at.clone(),
                format!("{} is listed more than once.", quoted(link.target)),
                "List every page once, in the section where a reader would look for it.",
            );
            continue;
        }
        if link.target.starts_with("mailto:") || link.target.starts_with('#') {
            report.note(
                "link_to_no_page",
                at,
                format!("{} leads to no page that an agent could read.", quoted(link.target)),
                "Link to pages or files, by their full address.",
            );
            continue;
        }
        if !link.target.contains("://") {
            report.note(
                "relative_link",
                at.clone(),
                format!(
                    "{} is relative; a reader who was handed the text alone cannot follow it.",
                    quoted(link.target)
                ),
                "Write the full address, beginning with https://.",
            );
        }
        report.reference(&at, link.target);
    }
    let sections = outline.sections.len();
    let optional = outline.links.iter().filter(|link| link.optional).count();
    report.count("sections", sections);
    report.count("links", outline.links.len());
    report.count("optional_links", optional);
    if outline.links.is_empty() {
        report.warn(
            "no_links",
            "",
            "The file holds no list of links, which is what agents come for.",
            "Add sections like: ## Docs, and under it lines like: - [Getting started](https://your.site/start.md): what it is about",
        );
    } else if outline.links.len() > DUMP_LINKS && noted == 0 {
        report.note(
            "sitemap_dump",
            "",
            format!(
                "{} links and not one with a word about it: this is a sitemap, not a guide.",
                outline.links.len()
            ),
            "Keep the pages that matter and say after each link, behind a colon, what it is about.",
        );
    }
    for section in outline.sections.iter().filter(|section| section.links == 0) {
        report.warn(
            "section_without_links",
            format!("line {}", section.line),
            format!("The section {} holds no links; readers that follow the format find nothing in it.", quoted(section.name)),
            "Make it a list of lines like: - [name](https://…): notes. Prose belongs above the first section.",
        );
    }
    Some(format!(
        "{} in {}{}.",
        counted(outline.links.len(), "link", "links"),
        counted(sections, "section", "sections"),
        if optional > 0 { format!(", {optional} of them optional") } else { String::new() }
    ))
}

/// llms-full.txt: no grammar to hold it against, so only whether it can be read at all.
pub(super) fn llms_full(report: &mut Report<'_>) -> Option<String> {
    let text = text::open(report, &text::MARKDOWN)?;
    report.note_other_host();
    let bytes = report.served.body.len();
    report.count("bytes", bytes);
    let outline = Outline::read(&text);
    report.count("headings", outline.headings);
    if outline.first_title.is_none() {
        report.note(
            "no_title",
            "line 1",
            "The text has no heading of the first level, so a reader does not know what it is of.",
            "Begin it with a line like: # Name of the site",
        );
    }
    // Where the end is not here, the beginning still says what it is.
    if !report.served.cut && text.trim().chars().take(SHORT_CHARS).count() < SHORT_CHARS {
        too_short(report);
    }
    if bytes > 10 * text::MAX_BYTES {
        report.warn(
            "large",
            "",
            "The text is larger than 10 MiB; no model takes that in at once.",
            "Split it by topic and link the parts from llms.txt.",
        );
    }
    Some(format!(
        "{} KiB of text under {}.",
        bytes.div_ceil(1024),
        counted(outline.headings, "heading", "headings")
    ))
}

/// agents.md on a website: no required parts.
pub(super) fn agents_md(report: &mut Report<'_>) -> Option<String> {
    let text = text::open(report, &text::MARKDOWN)?;
    report.note_other_host();
    if report.served.cut {
        report.not_read_whole();
        return None;
    }
    if text.trim().chars().take(SHORT_CHARS).count() < SHORT_CHARS {
        too_short(report);
    }
    let outline = Outline::read(&text);
    report.count("headings", outline.headings);
    report.count("links", outline.links.len());
    for link in &outline.links {
        if link.target.contains("://") {
            report.reference(&format!("line {}", link.line), link.target);
        }
    }
    if outline.headings == 0 {
        report.note(
            "no_headings",
            "",
            "The text has no headings, so an agent cannot find the part it needs.",
            "Give it a title (# …) and a heading for each matter (## …).",
        );
    }
    Some(format!(
        "Instructions for agents: {} and {}.",
        counted(outline.headings, "heading", "headings"),
        counted(outline.links.len(), "listed link", "listed links")
    ))
}

fn too_short(report: &mut Report<'_>) {
    report.warn(
        "very_short",
        "",
        "The file holds fewer than 50 characters.",
        "Say in it what the site is and where the important pages are.",
    );
}

struct Section<'t> {
    name: &'t str,
    line: usize,
    links: usize,
}

struct Linked<'t> {
    target: &'t str,
    line: usize,
    noted: bool,
    optional: bool,
}

/// What the lines of a Markdown text are, as far as llms.txt goes.
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
    links: Vec<Linked<'t>>,
}

impl<'t> Outline<'t> {
    fn read(text: &'t str) -> Self {
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
            outline.take(number, bare);
        }
        outline
    }

    fn take(&mut self, number: usize, line: &'t str) {
        if line.is_empty() {
            return;
        }
        if let Some((level, name)) = heading(line) {
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
        let Some((target, noted)) = linked(item.trim_start()) else {
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
        self.links.push(Linked { target, line: number, noted, optional });
    }

    fn titles(&self, report: &mut Report<'_>) {
        match self.first_title {
            None => report.spoil(
                "no_title",
                "line 1",
                "The file has no title; it is the one part the format requires.",
                "Begin the file with a line like: # Name of the site",
            ),
            Some(line) if self.empty_title => report.spoil(
                "no_title",
                format!("line {line}"),
                "The title is empty; it is the one part the format requires.",
                "Write the name of the site after the #: # Name of the site",
            ),
            Some(_) => {
                if let Some(line) = self.text_before_title {
                    report.warn(
                        "text_before_title",
                        format!("line {line}"),
                        "Text stands before the title; strict readers look for the title first and give up.",
                        "Move the line with # to the top and what was above it below the title.",
                    );
                }
            }
        }
        for line in &self.more_titles {
            report.warn(
                "several_titles",
                format!("line {line}"),
                "Another heading of the first level; the format has one title only.",
                "Make it a section with ##.",
            );
        }
        if self.first_title.is_some() && !self.summary {
            report.note(
                "no_summary",
                "",
                "There is no summary, which lets an agent tell at once whether it is in the right place.",
                "Add below the title a line like: > What this site offers, in one sentence.",
            );
        }
        for line in &self.deeper {
            report.note(
                "deeper_heading",
                format!("line {line}"),
                "A heading below the second level; the format knows only # and ##.",
                "Make it a section with ##, or plain text.",
            );
        }
        for line in &self.loose_links {
            report.warn(
                "links_outside_section",
                format!("line {line}"),
                "A list of links stands above the first section, where readers expect prose.",
                "Put a heading like ## Docs above the list.",
            );
        }
        for line in &self.bare_items {
            report.note(
                "item_without_link",
                format!("line {line}"),
                "A list item in a section does not begin with a link.",
                "Write it as: - [name](https://…): notes",
            );
        }
    }
}

/// `## Docs` as level and name.
fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
    ((1..=6).contains(&level) && spaced)
        .then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// The target of `[name](target)` at the start of a list item, and whether notes follow.
fn linked(item: &str) -> Option<(&str, bool)> {
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
    // A title may stand after the target, and the target in angle brackets.
    let target = inside.trim();
    let target = match target.strip_prefix('<') {
        Some(bracketed) => bracketed.split('>').next().unwrap_or_default(),
        None => target.split_ascii_whitespace().next().unwrap_or_default(),
    };
    (!target.is_empty()).then_some((target, after.len() > 2))
}
