//! Reads a whole case file.

use super::{
    expectation::{self, Expectation},
    section::{self, Section},
    template::Template,
};

/// A case file as written.
#[derive(Debug)]
pub(super) struct ParsedCase {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) why: String,
    pub(super) expectations: Vec<Expectation>,
    pub(super) sections: Vec<Section>,
}

/// A mistake and its line, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) line: usize,
    pub(super) problem: String,
}

const SECTION: &str = "--- ";

/// `seed` is what the filler words belong to.
pub(super) fn parse(text: &str, seed: &str) -> Result<ParsedCase, Mistake> {
    let mut case = ParsedCase {
        kind: String::new(),
        name: String::new(),
        why: String::new(),
        expectations: Vec::new(),
        sections: Vec::new(),
    };
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line)).peekable();
    while let Some((number, line)) = lines.next_if(|(_, line)| !line.starts_with(SECTION)) {
        let mistake = |problem| Mistake { line: number, problem };
        add_line(&mut case, number, line.trim()).map_err(mistake)?;
    }
    while let Some((number, head)) = lines.next() {
        let head = head.strip_prefix(SECTION).unwrap_or_default();
        let mut section = section::parse_head(number, head, seed)
            .map_err(|problem| Mistake { line: number, problem })?;
        let mut body = String::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with(SECTION)) {
            body.push_str(line);
            body.push('\n');
        }
        // Blank lines alone are layout of the file and not a body.
        let body = if body.trim().is_empty() { "" } else { &body };
        section.body = Template::parse(body, seed)
            .map_err(|(at, problem)| Mistake { line: number + 1 + at, problem })?;
        if section.repeat.is_some() && body.is_empty() {
            return Err(Mistake { line: number, problem: "nothing to repeat".to_owned() });
        }
        case.sections.push(section);
    }
    check_whole(&case)?;
    Ok(case)
}

fn add_line(case: &mut ParsedCase, number: usize, line: &str) -> Result<(), String> {
    if line.is_empty() {
        return Ok(());
    }
    let (key, value) =
        line.split_once(':').ok_or_else(|| format!("{line:?} is no `key: value` line"))?;
    let value = value.trim();
    let field = match key {
        "kind" => &mut case.kind,
        "name" => &mut case.name,
        "why" => &mut case.why,
        "expect" => {
            case.expectations.push(expectation::parse(number, value)?);
            return Ok(());
        }
        _ => return Err(format!("{key:?} is no key")),
    };
    if !field.is_empty() || value.is_empty() {
        return Err(format!("`{key}` is empty or given twice"));
    }
    value.clone_into(field);
    Ok(())
}

/// What can be checked only when everything was read.
fn check_whole(case: &ParsedCase) -> Result<(), Mistake> {
    let mistake = |line, problem: &str| Err(Mistake { line, problem: problem.to_owned() });
    for (key, value) in [("kind", &case.kind), ("name", &case.name), ("why", &case.why)] {
        if value.is_empty() {
            return mistake(1, &format!("`{key}` is missing"));
        }
    }
    if case.expectations.is_empty() {
        return mistake(1, "nothing is expected");
    }
    for (index, expectation) in case.expectations.iter().enumerate() {
        let same = |other: &Expectation| other.to_string() == expectation.to_string();
        if case.expectations.iter().skip(index + 1).any(same) {
            return mistake(expectation.line, "expected twice");
        }
    }
    if !case.sections.iter().any(|section| section.path == "/" || section.path == "*") {
        return mistake(1, "there is no home page");
    }
    for section in &case.sections {
        let of_group = |other: &&Section| other.who == section.who && other.path == section.path;
        let group: Vec<&Section> = case.sections.iter().filter(of_group).collect();
        let draws: Vec<_> = group.iter().filter_map(|section| section.draw).collect();
        if group.len() > 1 && draws.is_empty() {
            let problem = "several sections for the same identities and path need weight, turn or \
                           by-agent";
            return mistake(section.line, problem);
        }
        if group.len() == 1 && !draws.is_empty() {
            return mistake(section.line, "there is only one section to choose from");
        }
        if draws.windows(2).any(|pair| pair.first() != pair.last()) {
            return mistake(section.line, "sections of one group are chosen in different ways");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "kind: gate.login\nname: A portal\nwhy: A form and no content.\n\
                        expect: gate=login\nexpect: grade<=C\n";

    #[test]
    fn reads_head_sections_and_bodies() {
        let text = format!("{HEAD}\n--- all | 200 | text/html\n<p>one</p>\n---\n--- not\n");
        assert_eq!(parse(&text, "s").unwrap_err().line, 10, "`--- not` is a section");
        let text =
            format!("{HEAD}\n--- all | 200 | text/html\n<p>one</p>\n---\n--- ai * | 204 | -\n\n");
        let case = parse(&text, "s").unwrap();
        assert_eq!((&*case.kind, &*case.name), ("gate.login", "A portal"));
        assert_eq!(case.why, "A form and no content.");
        assert_eq!(case.expectations.len(), 2);
        let bodies: Vec<Vec<u8>> = case
            .sections
            .iter()
            .map(|section| section.body.render("h", &mut crate::chance::Chance::new()))
            .collect();
        assert_eq!(bodies, [b"<p>one</p>\n---\n".to_vec(), Vec::new()]);
    }

    #[test]
    fn mistakes_are_found_with_their_line() {
        let home = "--- all | 200 | text/html\nx\n";
        for (text, line) in [
            (String::new(), 1),
            (HEAD.to_owned(), 1),
            (format!("kind: a\nname: b\nwhy: c\n{home}"), 1),
            (format!("{HEAD}colour: red\n{home}"), 6),
            (format!("{HEAD}kind: again\n{home}"), 6),
            (format!("{HEAD}expect: gate=door\n{home}"), 6),
            (format!("{HEAD}expect: gate=login\n{home}"), 4),
            (format!("{HEAD}some text\n{home}"), 6),
            (format!("{HEAD}{home}--- all | 200 | text/html\ny\n"), 6),
            (format!("{HEAD}--- all | 200 | text/html | weight=2\nx\n"), 6),
            (format!("{HEAD}{home}--- all /x | 200 | text/html | colour\n"), 8),
            (format!("{HEAD}{home}y\n{{{{filler:x}}}}\n"), 9),
            (format!("{HEAD}--- all /x | 200 | text/html\ny\n"), 1),
            (format!("{HEAD}--- all | 200 | text/html | repeat=9\n\n"), 6),
            (
                format!(
                    "{HEAD}--- all | 200 | text/html | turn\na\n\
                     --- all | 200 | text/html | weight=2\nb\n"
                ),
                6,
            ),
        ] {
            assert_eq!(parse(&text, "s").unwrap_err().line, line, "{text}");
        }
    }
}
