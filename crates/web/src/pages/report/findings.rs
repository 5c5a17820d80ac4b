//! The findings of a report page, with texts that differ next to each other.

use contract::records::{Finding, Severity, SideBySide};
use contract::text::{TextPiece, display_safe, mark_differences};

use crate::pages::html::Html;

/// The most characters shown of each of two texts.
const MAX_TEXT_CHARS: usize = 1_000;

pub(super) fn render_findings(main: &mut Html, findings: &[Finding]) {
    if findings.is_empty() {
        return;
    }
    main.raw("<h2>Findings</h2>\n");
    for finding in findings {
        main.raw("<h3>").text(&finding.title).raw(" <span class=\"");
        main.raw(severity_class(&finding.severity)).raw("\">").text(&finding.severity);
        main.raw("</span></h3>\n<p>").text(&finding.seen).raw("</p>\n");
        if let Some(texts) = &finding.side_by_side {
            render_side_by_side(main, texts);
        }
        main.raw("<p>").text(&finding.why).raw("</p>\n");
        if let Some(fix) = &finding.fix {
            main.raw("<p><b>What to do:</b> ").text(fix).raw("</p>\n");
        }
        if let Some(paste) = &finding.paste {
            main.raw("<pre>").text(paste).raw("</pre>\n");
        }
        if let Some(standard) = &finding.standard {
            main.raw("<p class=\"soft\">Standard: ").text(standard).raw("</p>\n");
        }
    }
}

/// Both texts in two columns, with the words that differ marked. The site wrote them, so each is
/// isolated: its own direction does not change the page around it.
fn render_side_by_side(main: &mut Html, texts: &SideBySide) {
    let left = display_safe(&texts.untrusted_left, MAX_TEXT_CHARS);
    let right = display_safe(&texts.untrusted_right, MAX_TEXT_CHARS);
    let (left, right) = mark_differences(&left, &right);
    main.raw("<div class=\"diff\">\n<div><h4>").text(&texts.left).raw(" got</h4>\n");
    render_quotation(main, &left, ("<del>", "</del>"));
    main.raw("</div>\n<div><h4>").text(&texts.right).raw(" got</h4>\n");
    render_quotation(main, &right, ("<ins>", "</ins>"));
    main.raw(
        "</div>\n</div>\n<p class=\"soft\">Excerpts as the site sent them, from where they \
              begin to differ. Underlined: only one of the two texts has these words here.</p>\n",
    );
}

fn render_quotation(
    main: &mut Html,
    pieces: &[TextPiece],
    (open, close): (&'static str, &'static str),
) {
    if pieces.is_empty() {
        main.raw("<p class=\"soft\">Nothing that the other text does not have.</p>\n");
        return;
    }
    main.raw("<blockquote dir=\"auto\">");
    for piece in pieces {
        match piece.differs {
            true => main.raw(open).text(&piece.text).raw(close),
            false => main.text(&piece.text),
        };
    }
    main.raw("</blockquote>\n");
}

fn severity_class(severity: &Severity) -> &'static str {
    match severity {
        Severity::High => "severity no",
        Severity::Medium => "severity maybe",
        _ => "severity soft",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(left: &str, right: &str) -> String {
        let mut main = Html::new();
        render_side_by_side(
            &mut main,
            &SideBySide {
                left: "Browser <b>".to_owned(),
                untrusted_left: left.to_owned(),
                right: "GPTBot".to_owned(),
                untrusted_right: right.to_owned(),
            },
        );
        main.into_string()
    }

    #[test]
    fn both_texts_are_shown_and_their_difference_is_marked() {
        let html = rendered("Call 555 0100 today", "Call 555 0199 today");
        assert!(html.contains("<h4>Browser &lt;b&gt; got</h4>"), "{html}");
        assert!(html.contains("Call 555 <del>0100</del> today</blockquote>"), "{html}");
        assert!(html.contains("Call 555 <ins>0199</ins> today</blockquote>"), "{html}");
        let html = rendered("", "extra@shop.example");
        assert!(html.contains("Nothing that the other text does not have."), "{html}");
        assert!(html.contains("<ins>extra@shop.example</ins>"), "{html}");
    }

    #[test]
    fn hostile_texts_are_escaped_isolated_and_bounded() {
        let html = rendered("<script>x</script></blockquote>\u{202e}", &"شلام ".repeat(9_000));
        assert!(!html.contains("<script") && !html.contains('\u{202e}'), "{html}");
        assert_eq!(html.matches("<blockquote dir=\"auto\">").count(), 2);
        assert_eq!(html.matches("</blockquote>").count(), 2);
        assert!(html.len() < 8_000, "{}", html.len());
        // Joiners are part of the word and stay.
        assert!(rendered("می\u{200c}خواهم", "x").contains("می\u{200c}خواهم"));
    }
}
