//! Reading a page, with and without shingles, compared with `lol_html` alone.
//!
//! `lol_html` alone is a pass with empty handlers for all text, comments and elements. The contenders
//! take turns in short rounds, so that other load on the machine affects all of them; the median of
//! the rounds counts. Only ratios are meaningful.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a program for the terminal"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_ratio};
use declared::page::{Page, shingles};
use lol_html::{HtmlRewriter, Settings, doc_comments, doc_text, element};

/// The same as in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NAMES: [&str; 5] = [
    "lol_html alone",
    "Page::read",
    "Page::read + shingles",
    "shingles of the main text alone",
    "lol_html alone, elements only",
];
const GOAL: f64 = 0.80;

fn main() {
    // `cargo test --all-targets` also runs this; then one short round is enough.
    let measured = std::env::args().any(|arg| arg == "--bench");
    let (rounds, round) =
        if measured { (15, Duration::from_millis(30)) } else { (1, Duration::from_micros(1)) };
    let corpus: Vec<(&str, String)> = [1 << 10, 10 << 10, 100 << 10, 1 << 20]
        .into_iter()
        .flat_map(|bytes| {
            [
                ("shop", shop(bytes)),
                ("article", article(bytes)),
                ("table", table(bytes)),
                ("landing", landing(bytes)),
                ("shell", shell(bytes)),
                ("Cyrillic", cyrillic(bytes)),
            ]
        })
        .collect();
    // Seconds for one pass over the corpus, by contender.
    let mut whole = [0.0; NAMES.len()];
    println!(
        "{:>9} {:<9} {:>9}  {:>7} {:>7} {:>7}",
        "bytes", "kind", "floor", "read", "both", "shing."
    );
    for (kind, html) in &corpus {
        let main = Page::read(html.as_bytes(), None).main;
        let contenders: [Box<dyn Fn() -> usize + '_>; NAMES.len()] = [
            Box::new(|| floor(html)),
            Box::new(|| Page::read(html.as_bytes(), None).text.len()),
            Box::new(|| {
                let page = Page::read(html.as_bytes(), None);
                shingles(&page.main).hashes().len()
            }),
            Box::new(|| shingles(&main).hashes().len()),
            Box::new(|| elements_only(html)),
        ];
        let seconds = medians(&contenders, rounds, round);
        for (sum, seconds) in whole.iter_mut().zip(&seconds) {
            *sum += seconds;
        }
        let rate = html.len() as f64 / seconds[0] / 1e6;
        let ratio = |of: usize| seconds[0] / seconds[of];
        println!(
            "{:>9} {kind:<9} {rate:>5.0} MB/s  {:>7.2} {:>7.2} {:>7.2}",
            html.len(),
            ratio(1),
            ratio(2),
            ratio(3)
        );
    }
    println!("the whole corpus");
    let bytes: usize = corpus.iter().map(|(_, html)| html.len()).sum();
    for (name, seconds) in NAMES.iter().zip(whole) {
        println!(
            "  {name:<34} {:>6.0} MB/s  {:>5.2} of lol_html",
            bytes as f64 / seconds / 1e6,
            whole[0] / seconds
        );
    }
    let ratio = whole[0] / whole[2];
    report_ratio("text with shingles", "lol_html alone", ratio, Goal::AtLeast(GOAL));
}

/// A pass with empty handlers.
fn floor(html: &str) -> usize {
    let settings = Settings::new()
        .with_strict(false)
        .append_document_content_handler(doc_text!(|chunk| {
            black_box(chunk.as_str());
            Ok(())
        }))
        .append_document_content_handler(doc_comments!(|comment| {
            black_box(comment);
            Ok(())
        }))
        .append_element_content_handler(element!("*", |el| {
            black_box(el);
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes()).unwrap();
    rewriter.end().unwrap();
    html.len()
}

/// A pass with a handler for start tags only.
fn elements_only(html: &str) -> usize {
    let settings =
        Settings::new().with_strict(false).append_element_content_handler(element!("*", |el| {
            black_box(el);
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes()).unwrap();
    rewriter.end().unwrap();
    html.len()
}

fn medians(contenders: &[Box<dyn Fn() -> usize + '_>], rounds: usize, round: Duration) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for (run, times) in contenders.iter().zip(&mut times) {
            let start = Instant::now();
            let mut runs = 0_u32;
            while start.elapsed() < round || runs == 0 {
                black_box(run());
                runs += 1;
            }
            times.push(start.elapsed().as_secs_f64() / f64::from(runs));
        }
    }
    times
        .into_iter()
        .map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect()
}

/// An endless, repeatable sequence of words.
struct Prose(u64);

impl Prose {
    const SYLLABLES: [&'static str; 16] = [
        "ta", "ri", "mon", "el", "sha", "ko", "ven", "du", "li", "par", "the", "and", "of", "in",
        "ex", "er",
    ];

    fn number(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn words(&mut self, count: usize) -> String {
        let mut out = String::new();
        for n in 0..count {
            if n > 0 {
                out.push(' ');
            }
            for _ in 0..=self.number() % 3 {
                out.push_str(Self::SYLLABLES[(self.number() % 16) as usize]);
            }
        }
        out.push_str(". ");
        out
    }
}

fn head(prose: &mut Prose) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"description\" content=\"{}\">\n<link rel=\"stylesheet\" href=\"/a.css\">\n\
         <link rel=\"canonical\" href=\"https://shop.example/\">\n</head>\n<body class=\"home page\">\n\
         <nav class=\"navbar\"><ul><li><a href=\"/\">Home</a></li><li><a href=\"/shop\">Shop</a></li></ul></nav>\n<main>\n",
        prose.words(5),
        prose.words(12)
    )
}

fn shop(bytes: usize) -> String {
    let mut prose = Prose(1);
    let mut html = head(&mut prose);
    while html.len() < bytes {
        let n = prose.number() % 10_000;
        let _ = writeln!(
            html,
            "<div class=\"product-card col-6\" data-id=\"{n}\" data-track='{{\"list\":\"home\"}}'>\n\
             <a class=\"product-card__link\" href=\"/p/{n}?ref=home\"><img class=\"img-fluid lazy\" src=\"/i/{n}.webp\" \
             srcset=\"/i/{n}.webp 1x, /i/{n}@2x.webp 2x\" alt=\"{}\" width=\"320\" height=\"320\">\n\
             <h3 class=\"product-card__title\">{}</h3></a>\n<p class=\"teaser\">{}</p>\n\
             <span class=\"price\">€{}.99</span> <button type=\"button\" class=\"btn btn-primary\">Add</button>\n</div>",
            prose.words(4),
            prose.words(4),
            prose.words(12),
            n % 100
        );
    }
    html.push_str("</main><footer>Imprint</footer></body></html>");
    html
}

fn article(bytes: usize) -> String {
    let mut prose = Prose(2);
    let mut html = head(&mut prose);
    while html.len() < bytes {
        let _ = writeln!(
            html,
            "<h2 id=\"s{}\">{}</h2>\n<p>{}<a href=\"/more\">{}</a> {}<em>{}</em>&nbsp;&mdash; {}</p>\n<!-- {} -->",
            html.len(),
            prose.words(4),
            prose.words(40),
            prose.words(2),
            prose.words(30),
            prose.words(2),
            prose.words(20),
            prose.words(4)
        );
    }
    html
}

fn table(bytes: usize) -> String {
    let mut prose = Prose(3);
    let mut html = head(&mut prose);
    html.push_str("<table class=\"data\">\n");
    while html.len() < bytes {
        let (a, b) = (prose.number() % 1_000, prose.number() % 100_000);
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"num\">{a}</td><td>{b}</td><td>{}</td></tr>",
            prose.words(1),
            prose.words(2)
        );
    }
    html.push_str("</table>");
    html
}

/// A page like those of site builders: nested divs, long class lists, inline styles, SVG.
fn landing(bytes: usize) -> String {
    let mut prose = Prose(4);
    let mut html = head(&mut prose);
    while html.len() < bytes {
        let _ = writeln!(
            html,
            "<section class=\"elementor-section elementor-top-section elementor-element\" data-id=\"x\" data-element_type=\"section\">\
             <div class=\"flex flex-col items-center justify-between px-4 md:px-8\" style=\"margin:0 auto;max-width:1200px\">\
             <svg class=\"icon\" viewBox=\"0 0 24 24\" fill=\"none\"><path d=\"M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z\"/></svg>\
             <div><div><h2 class=\"text-2xl font-bold\">{}</h2><p>{}</p></div></div></div></section>",
            prose.words(5),
            prose.words(25)
        );
    }
    html
}

/// A page that is nearly all script and style.
fn shell(bytes: usize) -> String {
    let mut prose = Prose(5);
    let mut html = head(&mut prose);
    html.push_str("<div id=\"root\"></div>");
    while html.len() < bytes {
        let _ = writeln!(
            html,
            "<style>.a{{color:red}}.b>.c{{margin:{}px}}</style><script>window.x={{a:{},b:\"{}\",c:1<2}};</script>",
            prose.number() % 10,
            prose.number(),
            prose.words(60)
        );
    }
    html
}

fn cyrillic(bytes: usize) -> String {
    let mut prose = Prose(6);
    let mut html = head(&mut prose);
    let syllables = ["та", "ри", "мон", "ел", "ша", "ко", "вен", "ду", "Ли", "пар"];
    while html.len() < bytes {
        html.push_str("<p class=\"text\">");
        for _ in 0..60 {
            for _ in 0..=prose.number() % 3 {
                html.push_str(syllables[(prose.number() % 10) as usize]);
            }
            html.push(' ');
        }
        html.push_str("</p>\n");
    }
    html
}
