//! The little Markdown our own texts are written in, as HTML: headings, paragraphs, lists, tables,
//! bold and code. Whatever else stands there is text.

use super::html::Html;

/// What block the lines so far belong to.
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
        let (kind, rest) = sort(line);
        let inside = match kind {
            Line::Empty => Block::None,
            Line::Heading(_) => Block::None,
            Line::Bullet => Block::Bullets,
            Line::Step => Block::Steps,
            Line::Row | Line::Rule => Block::Table,
            Line::Text => Block::Paragraph,
        };
        if inside != block {
            html.raw(end(block)).raw(begin(inside));
        } else if inside == Block::Paragraph {
            html.raw("\n");
        }
        let first_row = block != Block::Table;
        block = inside;
        match kind {
            Line::Empty | Line::Rule => {}
            Line::Heading(1) => wrap(html, "<h1>", rest, "</h1>\n"),
            Line::Heading(2) => wrap(html, "<h2>", rest, "</h2>\n"),
            Line::Heading(_) => wrap(html, "<h3>", rest, "</h3>\n"),
            Line::Bullet | Line::Step => wrap(html, "<li>", rest, "</li>\n"),
            Line::Row => row(html, rest, first_row),
            Line::Text => {
                inline(html, rest.trim_end());
                if rest.ends_with("  ") {
                    html.raw("<br>");
                }
            }
        }
    }
    html.raw(end(block));
}

enum Line {
    Empty,
    Heading(usize),
    Bullet,
    Step,
    Row,
    /// The line under a table's head.
    Rule,
    Text,
}

fn sort(line: &str) -> (Line, &str) {
    let text = line.trim_start();
    if text.is_empty() {
        return (Line::Empty, "");
    }
    let marks = text.bytes().take_while(|byte| *byte == b'#').count();
    if let Some(rest) = text.trim_start_matches('#').strip_prefix(' ').filter(|_| marks > 0) {
        return (Line::Heading(marks), rest);
    }
    if let Some(rest) = text.strip_prefix("- ") {
        return (Line::Bullet, rest);
    }
    if let Some((number, rest)) = text.split_once(". ")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return (Line::Step, rest);
    }
    if text.starts_with('|') {
        let rule = text.bytes().all(|byte| b"|-: ".contains(&byte));
        return (if rule { Line::Rule } else { Line::Row }, text);
    }
    (Line::Text, text)
}

fn begin(block: Block) -> &'static str {
    match block {
        Block::None => "",
        Block::Paragraph => "<p>",
        Block::Bullets => "<ul>\n",
        Block::Steps => "<ol>\n",
        Block::Table => "<div class=\"wide\"><table>\n",
    }
}

fn end(block: Block) -> &'static str {
    match block {
        Block::None => "",
        Block::Paragraph => "</p>\n",
        Block::Bullets => "</ul>\n",
        Block::Steps => "</ol>\n",
        Block::Table => "</table></div>\n",
    }
}

fn wrap(html: &mut Html, open: &'static str, text: &str, close: &'static str) {
    html.raw(open);
    inline(html, text);
    html.raw(close);
}

fn row(html: &mut Html, text: &str, head: bool) {
    html.raw("<tr>");
    for cell in text.trim().trim_matches('|').split('|') {
        html.raw(if head { "<th>" } else { "<td>" });
        inline(html, cell.trim());
        html.raw(if head { "</th>" } else { "</td>" });
    }
    html.raw("</tr>\n");
}

/// Code between backticks, bold between double stars, emphasis between single ones.
fn inline(html: &mut Html, text: &str) {
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
            let mut leaning = false;
            for (at, part) in part.split('*').enumerate() {
                if at > 0 {
                    leaning = !leaning;
                    html.raw(if leaning { "<em>" } else { "</em>" });
                }
                html.text(part);
            }
            if leaning {
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
    fn blocks_and_marks() {
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
    fn nothing_gets_out_of_text() {
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
