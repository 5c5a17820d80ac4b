//! Pictures of a report: the badge, and the picture that other sites show for a link. Both are SVG of ours.

use std::sync::{Arc, LazyLock};

use askama::Template;
use contract::records::{RowCause, ScanRecord};
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb},
};

use super::{
    board::{COLUMNS, summarise_served},
    status::score_tone,
};

#[derive(Template)]
#[template(path = "badge.svg")]
struct Badge {
    words: String,
    grade: String,
    colour: &'static str,
}

/// The badge of a domain: letter and number, or that there is no scan.
pub(crate) fn badge(grade: Option<&str>, overall: Option<u32>) -> String {
    let (grade, words) = match (grade, overall) {
        (Some(grade), Some(overall)) => {
            (format!("{grade} {overall}"), format!("AI agent access: {grade}, {overall} of 100"))
        }
        _ => ("no scan".to_owned(), "AI agent access: not scanned yet".to_owned()),
    };
    super::render(&Badge { words, grade, colour: colour(score_tone(overall)) })
}

fn colour(tone: &str) -> &'static str {
    match tone {
        "ok" => "#0a6639",
        "warn" => "#774a00",
        "bad" => "#a51d17",
        _ => "#4d5461",
    }
}

#[derive(Template)]
#[template(path = "link_picture.svg")]
struct LinkPicture {
    domain: String,
    /// Smaller for long names, so that they fit.
    domain_size: usize,
    sentence: String,
    sentence_size: usize,
    points: String,
    letter: String,
    score: String,
    colour: &'static str,
    wash: &'static str,
    columns: Vec<PictureColumn>,
}

struct PictureColumn {
    x: usize,
    title: &'static str,
    words: String,
    colour: &'static str,
}

/// The picture of a report as SVG.
pub(crate) fn link_picture(record: &ScanRecord, sentence: &str, points: &str) -> String {
    let domain = keep_end(record.domain.as_str(), MAX_DOMAIN_CHARS);
    super::render(&LinkPicture {
        domain_size: text_size(&domain).clamp(20, 72),
        domain,
        sentence_size: text_size(sentence).clamp(18, 40),
        sentence: sentence.to_owned(),
        points: points.to_owned(),
        letter: record.grade.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string),
        score: record
            .overall
            .map_or_else(|| "no grade".to_owned(), |score| format!("{score} of 100")),
        colour: colour(score_tone(record.overall)),
        wash: match score_tone(record.overall) {
            "ok" => "#e6f4eb",
            "warn" => "#fcf2da",
            "bad" => "#fdecea",
            _ => "#eef0f1",
        },
        columns: columns(record),
    })
}

/// Longer names are cut.
const MAX_DOMAIN_CHARS: usize = 60;

/// The size at which a line of bold text fits left of the grade: 780 units; a letter is about 0.6 of its size.
fn text_size(text: &str) -> usize {
    780 * 10 / (text.chars().count().max(1) * 6)
}

/// The end of a long name, because the end says whose it is: `…shop.evil.org`.
fn keep_end(name: &str, max_chars: usize) -> String {
    let excess = name.chars().count().saturating_sub(max_chars);
    match excess {
        0 => name.to_owned(),
        // One more, for the mark.
        _ => std::iter::once('…').chain(name.chars().skip(excess + 1)).collect(),
    }
}

fn columns(record: &ScanRecord) -> Vec<PictureColumn> {
    COLUMNS
        .into_iter()
        .enumerate()
        .map(|(index, (title, roles))| {
            let rows = record.agentview.rows.iter().filter(|row| roles.contains(&row.role));
            let causes: Vec<&RowCause> = rows.map(|row| &row.cause).collect();
            let summary = summarise_served(&causes);
            PictureColumn {
                x: 72 + index * 268,
                title,
                colour: colour(summary.tone),
                words: summary.words,
            }
        })
        .collect()
}

/// The fonts of pictures, parsed once.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.load_font_data(notosans::BOLD_TTF.to_vec());
    Arc::new(fonts)
});

/// An SVG of ours as PNG. Takes tens of milliseconds: run it off the workers.
pub(crate) fn to_png(svg: &str) -> Option<Vec<u8>> {
    let options = Options {
        font_family: "Noto Sans".to_owned(),
        fontdb: Arc::clone(&FONTS),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).ok()?;
    let mut pixels = Pixmap::new(1_200, 630)?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_has_its_letter_number_and_colour() {
        let good = badge(Some("A"), Some(97));
        assert!(good.contains("A 97") && good.contains("#0a6639") && good.contains("97 of 100"));
        assert!(badge(Some("F"), Some(30)).contains("#a51d17"));
        assert!(badge(None, None).contains("no scan"));
        assert!(!badge(Some("<script>"), Some(1)).contains("<script>"));
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        assert_eq!(keep_end("shop.example", 12), "shop.example");
        assert_eq!(keep_end("bank.example.login.evil.org", 9), "…evil.org");
        let long = keep_end(&format!("{}.evil.org", "bank.example.".repeat(15)), MAX_DOMAIN_CHARS);
        assert!(long.starts_with('…') && long.ends_with(".evil.org"), "{long}");
        assert_eq!(long.chars().count(), MAX_DOMAIN_CHARS);
    }

    #[test]
    fn a_picture_is_rendered_with_text() {
        let svg = |text: &str| {
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"630\">\
                 <text x=\"9\" y=\"99\" font-size=\"72\" font-family=\"Noto Sans\">{text}</text></svg>"
            )
        };
        let (word, blank) = (to_png(&svg("Grade")).unwrap(), to_png(&svg("")).unwrap());
        assert!(word.starts_with(b"\x89PNG") && word.len() > blank.len() + 500, "{}", word.len());
    }
}
