//! Renders the subset of Markdown that our own texts use: headings, paragraphs, lists, tables, bold,
//! emphasis and code. Everything else is shown as text.

use super::html::Html;

/// The block that the current line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    None,
    Paragraph,
    Bullets,
    Steps,
    Table,
}

pub(super) fn render(html: &mut Html, markdown: &str) {
    let mut block = Block::None;
    for line in markdown.lines() {
        let (kind, rest) = classify_line(line);
        let inside = match kind {
            MarkdownLine::Empty => Block::None,
            MarkdownLine::Heading(_) => Block::None,
            MarkdownLine::Bullet => Block::Bullets,
            MarkdownLine::Step => Block::Steps,
            MarkdownLine::Row | MarkdownLine::HeadSeparator => Block::Table,
            MarkdownLine::Text => Block::Paragraph,
        };
        if inside != block {
            html.raw(closing_tag(block)).raw(opening_tag(inside));
        } else if inside == Block::Paragraph {
            html.raw("\n");
        }
        let first_row = block != Block::Table;
        block = inside;
        match kind {
            MarkdownLine::Empty | MarkdownLine::HeadSeparator => {}
            MarkdownLine::Heading(1) => render_element(html, "<h1>", rest, "</h1>\n"),
            MarkdownLine::Heading(2) => render_element(html, "<h2>", rest, "</h2>\n"),
            MarkdownLine::Heading(_) => render_element(html, "<h3>", rest, "</h3>\n"),
            MarkdownLine::Bullet | MarkdownLine::Step => {
                render_element(html, "<li>", rest, "</li>\n")
            }
            MarkdownLine::Row => render_table_row(html, rest, first_row),
            MarkdownLine::Text => {
                render_inline(html, rest.trim_end());
                if rest.ends_with("  ") {
                    html.raw("<br>");
                }
            }
        }
    }
    html.raw(closing_tag(block));
}

enum MarkdownLine {
    Empty,
    Heading(usize),
    Bullet,
    Step,
    Row,
    /// The separator line under a table's head.
    HeadSeparator,
    Text,
}

fn classify_line(line: &str) -> (MarkdownLine, &str) {
    let text = line.trim_start();
    if text.is_empty() {
        return (MarkdownLine::Empty, "");
    }
    let marks = text.bytes().take_while(|byte| *byte == b'#').count();
    if let Some(rest) = text.trim_start_matches('#').strip_prefix(' ').filter(|_| marks > 0) {
        return (MarkdownLine::Heading(marks), rest);
    }
    if let Some(rest) = text.strip_prefix("- ") {
        return (MarkdownLine::Bullet, rest);
    }
    if let Some((number, rest)) = text.split_once(". ")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return (MarkdownLine::Step, rest);
    }
    if text.starts_with('|') {
        let rule = text.bytes().all(|byte| b"|-: ".contains(&byte));
        return (if rule { MarkdownLine::HeadSeparator } else { MarkdownLine::Row }, text);
    }
    (MarkdownLine::Text, text)
}

fn opening_tag(block: Block) -> &'static str {
    match block {
        Block::None => "",
        Block::Paragraph => "<p>",
        Block::Bullets => "<ul>\n",
        Block::Steps => "<ol>\n",
        Block::Table => "<div class=\"wide\"><table>\n",
    }
}

fn closing_tag(block: Block) -> &'static str {
    match block {
        Block::None => "",
        Block::Paragraph => "</p>\n",
        Block::Bullets => "</ul>\n",
        Block::Steps => "</ol>\n",
        Block::Table => "</table></div>\n",
    }
}

fn render_element(html: &mut Html, open: &'static str, text: &str, close: &'static str) {
    html.raw(open);
    render_inline(html, text);
    html.raw(close);
}

fn render_table_row(html: &mut Html, text: &str, head: bool) {
    html.raw("<tr>");
    for cell in text.trim().trim_matches('|').split('|') {
        // A corner cell is no header of anything.
        let is_header = head && !cell.trim().is_empty();
        html.raw(if is_header { "<th>" } else { "<td>" });
        render_inline(html, cell.trim());
        html.raw(if is_header { "</th>" } else { "</td>" });
    }
    html.raw("</tr>\n");
}

/// Code between backticks, bold between double stars, emphasis between single ones.
fn render_inline(html: &mut Html, text: &str) {
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            html.raw("<code>").text(part).raw("</code>");
            continue;
        }
        let mut bold = false;
        for (at, part) in part.split("**").enumerate() {
            if at > 0 {
                bold = !bold;
                html.raw(if bold { "<strong>" } else { "</strong>" });
            }
            let mut emphasis = false;
            for (at, part) in part.split('*').enumerate() {
                if at > 0 {
                    emphasis = !emphasis;
                    html.raw(if emphasis { "<em>" } else { "</em>" });
                }
                html.text(part);
            }
            if emphasis {
                html.raw("</em>");
            }
        }
        if bold {
            html.raw("</strong>");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(markdown: &str) -> String {
        let mut html = Html::new();
        render(&mut html, markdown);
        html.into_string()
    }

    #[test]
    fn blocks_and_inline_marks() {
        assert_eq!(
            shown(
                "# A *b*\n\none `x<y`\ntwo **bold**  \n\n- p\n- q\n1. r\n\n| a | b |\n|---|---|\n| c | d |"
            ),
            "<h1>A <em>b</em></h1>\n<p>one <code>x&lt;y</code>\ntwo <strong>bold</strong><br></p>\n\
             <ul>\n<li>p</li>\n<li>q</li>\n</ul>\n<ol>\n<li>r</li>\n</ol>\n\
             <div class=\"wide\"><table>\n<tr><th>a</th><th>b</th></tr>\n\
             <tr><td>c</td><td>d</td></tr>\n</table></div>\n"
        );
    }

    #[test]
    fn markup_in_text_is_escaped_and_tags_are_balanced() {
        for odd in ["<script>", "**", "*`", "#", "|", "1.", "- <b>", "`<i>", "** *a"] {
            let page = shown(odd);
            assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains("<i>"));
            for tag in ["p", "strong", "em", "code", "ul", "table"] {
                let opened = page.matches(&format!("<{tag}>")).count();
                assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{odd}: {page}");
            }
        }
    }
}
