//! The specification of the visitor verdict, as Markdown and as the page made from it.

use std::fmt::Write;

use askama::Template;
use contract::records::VisitorSpec;

use super::{html::Html, markdown};

#[derive(Template)]
#[template(path = "visitor_spec.html")]
struct SpecPage {
    text_html: String,
}

pub(crate) fn render(spec: &VisitorSpec) -> String {
    let mut piece = Html::new();
    markdown::render(&mut piece, &markdown(spec));
    super::render(&SpecPage { text_html: piece.into_string() })
}

/// The document as Markdown.
pub(crate) fn markdown(spec: &VisitorSpec) -> String {
    let mut text = String::from(
        "# How visitors are checked\n\n\
         A visitor of a site claims by its user agent to be an agent such as GPTBot. The check compares the \
         claim with what the agent's operator publishes: addresses, DNS names, keys. It answers \
         `GET /api/v1/visitor?ip=…&ua=…` and `POST /api/v1/visitor` (1 to 100 visitors; with `headers` and \
         `authority` of a visitor's request, its signature is checked as well).\n\n\
         ## Verdicts\n\n\
         | Verdict | When | It means | It does not mean |\n|---|---|---|---|\n",
    );
    // Writing to a string cannot fail.
    for row in &spec.verdicts {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            row.verdict.as_str(),
            row.when,
            row.means,
            row.does_not_mean
        );
    }
    text.push_str("\n## Steps\n\nThe first step that decides ends the check.\n\n");
    for (number, step) in spec.steps.iter().enumerate() {
        let _ = writeln!(text, "{}. {step}", number + 1);
    }
    text.push_str(
        "\n## Case by case\n\n| Claimed agent | Evidence | Verdict | The reason says |\n|---|---|---|---|\n",
    );
    for case in &spec.cases {
        let _ = writeln!(
            text,
            "| {} | {} | `{}` | {} |",
            case.claimed_agent,
            case.evidence,
            case.verdict.as_str(),
            case.why
        );
    }
    text.push_str(
        "\n## Lists of addresses\n\nOur copies are fetched every six hours. A copy that is older than its maximum \
         age still confirms, and says so, but no longer denies anybody. A list that is empty, far smaller than \
         before, or has addresses that nobody can have does not replace a good copy.\n\n\
         | Operator | Address | Format | Maximum age |\n|---|---|---|---|\n",
    );
    for feed in &spec.feeds {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} hours |",
            feed.operator,
            feed.address,
            feed.format.replace('_', " "),
            feed.max_age_hours
        );
    }
    let _ = write!(
        text,
        "\n## Visitors to try\n\nThis document has {} visitors with the verdict that is expected in \
         `test_vectors` (`Accept: application/json`). Those with an address of a list hold as long as the list \
         does not change.\n\n## Privacy\n\n{}\n\n## Changes\n\n",
        spec.test_vectors.len(),
        spec.privacy
    );
    for change in &spec.changes {
        let _ = writeln!(text, "- {change}");
    }
    text
}
