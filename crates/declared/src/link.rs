//! The `Link` header field (RFC 8288), parsed by the algorithm of its appendix B.
//!
//! Targets stay as written; the caller, who knows the URL of the response, resolves them.

/// How many links of one response are read.
const MAX_LINKS: usize = 1_000;

/// One link.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// A URI reference. Not checked.
    pub target: String,
    /// Relation types in lower case, in the order given.
    pub rels: Vec<String>,
    /// The `type` parameter.
    pub media_type: Option<String>,
    /// What the link is about, if not the response itself.
    pub anchor: Option<String>,
    pub profile: Option<String>,
    pub title: Option<String>,
    pub hreflang: Vec<String>,
}

impl Link {
    /// Whether the link has this relation, given in lower case.
    #[must_use]
    pub fn has_rel(&self, rel: &str) -> bool {
        self.rels.iter().any(|found| found == rel)
    }
}

/// Parses every line of the field. An unreadable part ends the parsing of its own line only.
#[must_use]
pub fn parse<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Link> {
    let mut links = Vec::new();
    for line in lines {
        let mut rest = line;
        while links.len() < MAX_LINKS {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            let Some(after) = rest.strip_prefix('<') else { break };
            let Some((target, after)) = after.split_once('>') else { break };
            let (link, after) = parse_parameters(target, after);
            links.push(link);
            rest = after;
        }
    }
    links
}

fn parse_parameters<'a>(target: &str, mut rest: &'a str) -> (Link, &'a str) {
    let mut link = Link { target: target.to_owned(), ..Link::default() };
    let mut related = false;
    loop {
        rest = rest.trim_start_matches(SPACE);
        let Some(after) = rest.strip_prefix(';') else { break };
        rest = after.trim_start_matches(SPACE);
        let (name, after) =
            split_before(rest, |c| SPACE.contains(&c) || matches!(c, '=' | ';' | ','));
        rest = after.trim_start_matches(SPACE);
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            rest = after.trim_start_matches(SPACE);
            if let Some(after) = rest.strip_prefix('"') {
                (value, rest) = parse_quoted(after);
            } else {
                let (token, after) = split_before(rest, |c| matches!(c, ';' | ','));
                value = token.trim_end_matches(SPACE).to_owned();
                rest = after;
            }
        }
        let first = |slot: &mut Option<String>, value: String| {
            slot.get_or_insert(value);
        };
        match name.to_ascii_lowercase().as_str() {
            // Only the first `rel` counts, even if it is empty.
            "rel" if !related => {
                related = true;
                link.rels = value.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
            }
            "type" => first(&mut link.media_type, value),
            "anchor" => first(&mut link.anchor, value),
            "profile" => first(&mut link.profile, value),
            "title" => first(&mut link.title, value),
            "hreflang" => link.hreflang.push(value),
            _ => {}
        }
    }
    (link, rest)
}

const SPACE: [char; 2] = [' ', '\t'];

/// Splits before the first character for which `ends` is true.
fn split_before(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.find(ends).and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""))
}

/// The content of a quoted string after its opening quote; an unclosed one runs to the end.
fn parse_quoted(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    (out, chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(line: &str) -> Vec<(String, String)> {
        parse([line]).into_iter().map(|link| (link.target, link.rels.join(" "))).collect()
    }

    #[test]
    fn commas_and_semicolons_inside_do_not_split() {
        for (line, expected) in [
            ("</a,b;c>; rel=next", vec![("/a,b;c", "next")]),
            ("<a>; title=\"x, <y>; rel=no\"; rel=\"up next\"", vec![("a", "up next")]),
            ("<a>;rel=A , <b> ; rel = \"B\"", vec![("a", "a"), ("b", "b")]),
            (",, <a>;rel=x,,", vec![("a", "x")]),
            ("<a>; rel=one; rel=two", vec![("a", "one")]),
            ("<a>; rel=; rel=two", vec![("a", "")]),
            ("<a>", vec![("a", "")]),
            ("<>; rel=self", vec![("", "self")]),
            ("<a>; REL=\"Service-Desc\"", vec![("a", "service-desc")]),
            ("<a>; title=\"never closed, <b>; rel=x", vec![("a", "")]),
            ("<a>; rel=\"q\\\"uote\"", vec![("a", "q\"uote")]),
            ("<a>; rel=x junk, <b>; rel=y", vec![("a", "x junk"), ("b", "y")]),
            ("a; rel=x", vec![]),
            ("<a; rel=x", vec![]),
            ("<a>; rel=x, b; rel=y, <c>; rel=z", vec![("a", "x")]),
            ("", vec![]),
        ] {
            let expected: Vec<(String, String)> =
                expected.into_iter().map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
            assert_eq!(brief(line), expected, "{line}");
        }
    }

    #[test]
    fn parameters_are_kept_by_name() {
        let links = parse([
            "</.well-known/api-catalog>; rel=api-catalog; type=\"application/linkset+json\"; profile=\"https://p.example/\"",
            "<x>; rel=item; anchor=\"https://other.example/\"; hreflang=en; hreflang=de; title=T; type=a/b; type=c/d",
        ]);
        assert_eq!(links.len(), 2, "several lines are several lists");
        assert!(links[0].has_rel("api-catalog") && !links[0].has_rel("item"));
        assert_eq!(links[0].media_type.as_deref(), Some("application/linkset+json"));
        assert_eq!(links[0].profile.as_deref(), Some("https://p.example/"));
        assert_eq!(links[0].anchor, None);
        assert_eq!(links[1].anchor.as_deref(), Some("https://other.example/"));
        assert_eq!(links[1].hreflang, ["en", "de"]);
        assert_eq!(links[1].media_type.as_deref(), Some("a/b"));
        assert_eq!(links[1].title.as_deref(), Some("T"));
    }

    #[test]
    fn links_are_bounded() {
        assert_eq!(parse(["<a>,".repeat(5_000).as_str()]).len(), MAX_LINKS);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_panic(lines in proptest::collection::vec("\\PC*", 0..4)) {
            let _ = parse(lines.iter().map(String::as_str));
        }

        #[test]
        fn hostile_pieces_are_read_without_panic(line in "[<>;,=\" \\\\a-cé\t]{0,60}") {
            let _ = parse([line.as_str()]);
        }

        #[test]
        fn what_was_written_is_read_back(
            written in proptest::collection::vec(
                ("[a-z/:.,;?=&]{0,20}", proptest::collection::vec("[a-z-]{1,8}", 1..3), "[ -~]{0,20}"),
                0..6,
            ),
        ) {
            let line: Vec<String> = written
                .iter()
                .map(|(target, rels, title)| {
                    let title = title.replace('\\', "\\\\").replace('"', "\\\"");
                    format!("<{target}>; rel=\"{}\"; title=\"{title}\"", rels.join(" "))
                })
                .collect();
            let read: Vec<_> = parse([line.join(", ").as_str()])
                .into_iter()
                .map(|link| (link.target, link.rels, link.title.unwrap()))
                .collect();
            proptest::prop_assert_eq!(read, written);
        }
    }
}
