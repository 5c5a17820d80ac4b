//! Parsing robots.txt and deciding for four agents, compared with the crate `texting_robots`.
//!
//! From bytes to decisions. `declared::robots` parses a file once for all agents; the interface of
//! `texting_robots` requires one parse per agent. The two take turns in short rounds, and the median
//! of the rounds counts. Only the ratio is meaningful.
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
use declared::robots::Robots;
use texting_robots::Robot;

const FILES: usize = 500;
const GOAL: f64 = 5.0;
const AGENTS: [&str; 4] = ["GPTBot", "ClaudeBot", "OAI-SearchBot", "Wayleave"];
const PATH: &str = "/shop/item-42/index.html?ref=mail";
const URL: &str = "https://site.example/shop/item-42/index.html?ref=mail";

fn main() {
    // `cargo test --all-targets` also runs this; then one short round is enough.
    let measured = std::env::args().any(|arg| arg == "--bench");
    let rounds = if measured { 21 } else { 1 };
    let round = Duration::from_millis(if measured { 100 } else { 1 });
    let files: Vec<Vec<u8>> = (0..FILES).map(file).collect();
    let bytes: usize = files.iter().map(Vec::len).sum();
    let (mut same, mut requests, mut refused) = (0, 0, 0);
    for file in &files {
        for (ours, theirs) in ours(file).into_iter().zip(theirs(file)) {
            requests += 1;
            refused += usize::from(!ours);
            same += usize::from(ours == theirs);
        }
    }
    println!(
        "{FILES} files, {} KiB, {} agents; {refused} of {requests} requests disallowed, both parsers agree on {same}",
        bytes / 1024,
        AGENTS.len()
    );

    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        rates[0].push(rate(round, &files, ours));
        rates[1].push(rate(round, &files, theirs));
    }
    let [ours, theirs] = rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    });
    println!("  declared::robots, one parse        {ours:>10.0} files/s");
    println!("  texting_robots, four parses        {theirs:>10.0} files/s");
    let path = "robots.txt, one parse for four agents";
    let is_met = report_ratio(path, "texting_robots", ours / theirs, Goal::AtLeast(GOAL));
    std::process::exit(i32::from(measured && !is_met));
}

fn ours(file: &[u8]) -> [bool; 4] {
    let robots = Robots::parse(file);
    AGENTS.map(|agent| robots.access(agent, PATH).allowed)
}

fn theirs(file: &[u8]) -> [bool; 4] {
    AGENTS.map(|agent| Robot::new(agent, file).is_ok_and(|robot| robot.allowed(URL)))
}

/// Files per second over at least one round, in complete passes over all files.
fn rate(round: Duration, files: &[Vec<u8>], run: impl Fn(&[u8]) -> [bool; 4]) -> f64 {
    let start = Instant::now();
    let mut done = 0_u32;
    while done == 0 || start.elapsed() < round {
        for file in files {
            black_box(run(black_box(file)));
            done += 1;
        }
    }
    f64::from(done) / start.elapsed().as_secs_f64()
}

/// One file of the corpus. Small and large ones, and in turn every construct the reader knows: byte
/// order marks, all line endings, named and joined groups, wildcards, anchors, escapes, bytes above
/// ASCII, signals, preferences, licences, delays, sitemaps, managed parts, and the common mistakes.
fn file(number: usize) -> Vec<u8> {
    let mut dice = Dice(number as u64 * 0x9e37_79b9_7f4a_7c15 + 1);
    let mut text = String::new();
    if number.is_multiple_of(11) {
        text.push('\u{feff}');
    }
    if number.is_multiple_of(3) {
        text.push_str("# BEGIN Lab Managed content\nUser-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n# END Lab Managed Content\n\n");
    }
    if number.is_multiple_of(17) {
        text.push_str("Disallow: /early\n");
    }
    let groups = 1 + dice.roll(match number % 10 {
        0 => 60,
        1..4 => 12,
        _ => 4,
    });
    for _ in 0..groups {
        group(&mut text, &mut dice);
    }
    for n in 0..dice.roll(4) {
        writeln!(text, "Sitemap: https://site.example/sitemap-{n}.xml").unwrap();
    }
    if number.is_multiple_of(5) {
        text.push_str("License: https://site.example/license.xml\nHost: site.example\nClean-param: ref /shop/\n");
    }
    let text = match number % 4 {
        0 => text.replace('\n', "\r\n"),
        1 if number % 8 == 1 => text.replace('\n', "\r"),
        _ => text,
    };
    text.into_bytes()
}

fn group(text: &mut String, dice: &mut Dice) {
    const NAMES: [&str; 14] = [
        "*",
        "GPTBot",
        "ClaudeBot",
        "OAI-SearchBot",
        "Googlebot",
        "Bingbot",
        "CCBot",
        "Bytespider",
        "Amazonbot",
        "PerplexityBot",
        "Applebot-Extended",
        "Ai2Bot",
        "Googlebot/2.1",
        "Mozilla/5.0 (compatible; Somebot/1.0)",
    ];
    for _ in 0..=dice.roll(3) {
        let key =
            dice.of(&["User-agent:", "User-agent:", "User-Agent: ", "useragent:", "user-agent"]);
        writeln!(text, "{key} {}", dice.of(&NAMES)).unwrap();
    }
    match dice.roll(8) {
        0 => text.push_str("Content-Signal: search=yes, ai-input=yes, ai-train=no\n"),
        1 => {
            text.push_str("Content-Usage: /shop/ train-ai=n, search=y\nContent-Usage: train-ai=y\n")
        }
        2 => text.push_str("Crawl-delay: 10\n"),
        3 => text.push_str("Noindex: /drafts/\nthis line is no field\n"),
        _ => {}
    }
    for _ in 0..=dice.roll(14) {
        let key =
            dice.of(&["Disallow:", "Disallow:", "Disallow:", "Allow:", "disalow:", "Disallow"]);
        let folder = dice.of(&[
            "/shop/",
            "/admin/",
            "/cgi-bin/",
            "/wp-admin/",
            "/søk/",
            "/b%c3%a5t/",
            "/account/orders/",
        ]);
        let tail = dice.of(&[
            "",
            "",
            "",
            "*.pdf$",
            "*?ref=",
            "index.html",
            "*/print/*/page",
            "$",
            "item-4",
            "a$b",
        ]);
        let comment = dice.of(&["", "", "", "  # not for robots"]);
        writeln!(text, "{key} {folder}{tail}{comment}").unwrap();
    }
    text.push_str(dice.of(&["\n", "\n", "\n\n# ----\n", ""]));
}

/// A small generator of repeatable numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.roll(list.len() as u64)).unwrap()]
    }
}
