//! llms.txt: the site's own, or one made from the pages and files that were read.

use contract::evidence::ReadTarget;
use contract::records::{CheckVerdict, FaultWeight, ValueNotTaken};
use declared::fault::Weight;
use declared::files::{FILE_LOCATIONS, FileKind};

use super::facts::PublishedFacts;
use super::file_draft::{FileDraft, LineWriter};
use super::safe_text::{link_target, markdown_block, markdown_text, one_line};
use super::site::{SiteReading, fact_source, line_at, source};

const PATH: &str = "/llms.txt";
const MAX_TITLE_CHARS: usize = 200;
const MAX_SUMMARY_CHARS: usize = 300;
/// The most lines of a file that the site publishes itself.
const MAX_LINES: usize = 5_000;

/// The facts that are listed as contacts, with their labels.
const CONTACTS: [(&str, &str); 4] = [
    ("telephone", "Telephone"),
    ("email", "Email"),
    ("address", "Address"),
    ("openingHours", "Opening hours"),
];
/// Files that agents may want to read, besides feeds.
const LISTED_FILES: [FileKind; 14] = [
    FileKind::OpenApi,
    FileKind::ApiCatalog,
    FileKind::AgentCard,
    FileKind::McpServerCard,
    FileKind::AgentSkills,
    FileKind::AiCatalog,
    FileKind::Ard,
    FileKind::AgentsMd,
    FileKind::LlmsFullTxt,
    FileKind::Ucp,
    FileKind::Acp,
    FileKind::X402,
    FileKind::SecurityTxt,
    FileKind::Sitemap,
];

pub(super) fn build(site: &SiteReading<'_>, facts: &PublishedFacts) -> Result<FileDraft, String> {
    if let Some(draft) = published(site)? {
        return Ok(draft);
    }
    if site.record.content.reading.is_none() {
        return Err("We could not read the home page, so there is nothing to list.".to_owned());
    }
    let mut file = LinkWriter::default();
    add_head(site, facts, &mut file.lines);
    add_contacts(facts, &mut file.lines);
    add_pages(site, &mut file);
    add_files(site, &mut file);
    let mut draft = file.lines.draft;
    draft.reading = reading(site);
    let inspection = site.inspect(FileKind::LlmsTxt, PATH, &draft.text);
    if !inspection.usable {
        return Err("What the site publishes is not enough for a valid llms.txt.".to_owned());
    }
    Ok(draft)
}

fn reading(site: &SiteReading<'_>) -> String {
    let made =
        "Made from the home page, the further pages and the files for machines that we read.";
    let check = site.check(PATH);
    match check.map(|check| &check.verdict) {
        Some(CheckVerdict::Ok | CheckVerdict::Invalid) => {
            let faults = check.map_or(&[][..], |check| &check.faults);
            let fault = faults.iter().find(|fault| fault.weight != FaultWeight::Note);
            let why = fault.map_or("", |fault| fault.problem.as_str());
            format!(
                "The site publishes an llms.txt with faults. {why} This one replaces it. {made}"
            )
        }
        Some(CheckVerdict::Absent | CheckVerdict::Soft404) => {
            format!("The site publishes no llms.txt. {made}")
        }
        _ => format!("We could not read the site's llms.txt, and it may have one. {made}"),
    }
}

/// The file that the site publishes, if it is valid.
fn published(site: &SiteReading<'_>) -> Result<Option<FileDraft>, String> {
    let Some(file) = site.published(PATH) else { return Ok(None) };
    if file.check.faults.iter().any(|fault| fault.weight != FaultWeight::Note) {
        return Ok(None);
    }
    let kept = "The site publishes a valid llms.txt already. Keep it.";
    let Some(body) = file.body else {
        return Err(format!("{kept} Its text is no longer stored here."));
    };
    if body.len() > contract::records::MachineRecord::MAX_FILE_BYTES {
        return Err(format!("{kept} It is too long to be repeated here."));
    }
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let mut lines = LineWriter::default();
    for (index, line) in String::from_utf8_lossy(body).lines().enumerate() {
        if index == MAX_LINES {
            return Err(format!("{kept} It is too long to be repeated here."));
        }
        let line: String = line.chars().map(contract::text::visible_in_line).collect();
        let pointer = Some(line_at(index + 1));
        let sources = (!line.trim().is_empty())
            .then(|| source("", FileKind::LlmsTxt.as_str(), &file.url, pointer));
        lines.add(line.trim_end(), sources);
    }
    let mut draft = lines.draft;
    draft.reading =
        "This is the llms.txt that the site publishes. It is valid. Keep it.".to_owned();
    let inspection = site.inspect(FileKind::LlmsTxt, PATH, &draft.text);
    let is_valid =
        inspection.usable && inspection.faults.iter().all(|fault| fault.weight == Weight::Note);
    Ok(is_valid.then_some(draft))
}

/// The title and the summary.
fn add_head(site: &SiteReading<'_>, facts: &PublishedFacts, file: &mut LineWriter) {
    let content = &site.record.content;
    let home = site.home_url();
    let name = facts.first("name");
    let title = content.untrusted_title.as_deref().and_then(|text| one_line(text, MAX_TITLE_CHARS));
    match (name, title) {
        (Some(name), _) => {
            let sources = name.stated.iter().map(|stated| fact_source("", stated));
            file.add(&format!("# {}", markdown_text(&name.text)), sources);
        }
        (None, Some(title)) => {
            let source = source("", "title_element", &home, None);
            file.add(&format!("# {}", markdown_text(&title)), [source]);
        }
        (None, None) => {
            file.add(&format!("# {}", site.record.domain), [site.address_source("")]);
        }
    }
    file.add("", []);
    let description = content.untrusted_description.as_deref();
    match description.and_then(|text| one_line(text, MAX_SUMMARY_CHARS)) {
        Some(text) => {
            let source = source("", "meta", &home, Some("meta description".to_owned()));
            file.add(&format!("> {}", markdown_block(&text)), [source]);
            file.add("", []);
        }
        None => file.draft.not_taken.push(ValueNotTaken {
            what: "summary".to_owned(),
            why: "The home page has no description.".to_owned(),
            untrusted_values: Vec::new(),
        }),
    }
}

fn add_contacts(facts: &PublishedFacts, file: &mut LineWriter) {
    let mut any = false;
    for (property, label) in CONTACTS {
        for value in facts.values_of(property) {
            let sources = value.stated.iter().map(|stated| fact_source("", stated));
            file.add(&format!("- {label}: {}", markdown_text(&value.text)), sources);
            any = true;
        }
    }
    if any {
        file.add("", []);
    }
}

fn add_pages(site: &SiteReading<'_>, file: &mut LinkWriter) {
    file.lines.add("## Pages", []);
    file.lines.add("", []);
    let home = site.home_url();
    let title = site.record.content.untrusted_title.as_deref();
    file.add_link(title, "Home", &home, ": the home page", "title_element");
    for page in site.pages() {
        file.add_link(page.title.as_deref(), &page.path, &page.url, "", "title_element");
    }
}

fn add_files(site: &SiteReading<'_>, file: &mut LinkWriter) {
    let mut listed = false;
    let checks = site.record.checks.iter().filter(|check| check.verdict == CheckVerdict::Ok);
    for check in checks {
        let Some((target, url)) = site.checked_file(check) else { continue };
        let kind = FILE_LOCATIONS.iter().find(|place| place.kind.as_str() == check.file);
        let name = match (kind, target) {
            (_, ReadTarget::Feed) => "Feed",
            (Some(place), _) if LISTED_FILES.contains(&place.kind) => place.kind.title(),
            _ => continue,
        };
        if !listed {
            file.lines.add("", []);
            file.lines.add("## Files for machines", []);
            file.lines.add("", []);
            listed = true;
        }
        file.add_link(None, name, url, "", &check.file);
    }
}

/// Lines with links, each target once.
#[derive(Default)]
struct LinkWriter {
    lines: LineWriter,
    targets: Vec<String>,
}

impl LinkWriter {
    /// Adds a link, if the address is usable and not listed yet.
    fn add_link(&mut self, title: Option<&str>, name: &str, url: &str, note: &str, carrier: &str) {
        let Some(target) = link_target(url) else { return };
        if self.targets.contains(&target) {
            return;
        }
        let title = title.and_then(|title| one_line(title, MAX_TITLE_CHARS));
        let name = title.or_else(|| one_line(name, MAX_TITLE_CHARS)).unwrap_or_default();
        let line = format!("- [{}]({target}){note}", markdown_text(&name));
        self.lines.add(&line, [source("", carrier, url, None)]);
        self.targets.push(target);
    }
}
