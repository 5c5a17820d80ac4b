//! A log as a site of middling size writes it: mostly browsers, some agents, a few of them forged.

use std::io::{BufWriter, Write};
use std::path::Path;

const BROWSERS: [&str; 4] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/157.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1",
];
const AGENTS: [&str; 4] = [
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
];

/// Writes at least this many bytes and returns how many.
pub(crate) fn write(path: &Path, bytes: usize) -> usize {
    let mut file = BufWriter::new(std::fs::File::create(path).unwrap());
    let (mut written, mut n, mut random) = (0, 0_u64, 1_u64);
    while written < bytes {
        // A plain generator is enough: the log must only not repeat itself.
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let draw = (random >> 33) as usize;
        let seconds = n / 40;
        let (day, hour, minute, second) =
            (1 + seconds / 86_400 % 28, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        // One request of eight names an agent.
        let (agent, address) = if draw.is_multiple_of(8) {
            (AGENTS[draw / 8 % 4], format!("44.1.0.{}", draw / 32 % 64))
        } else {
            let of = |shift: usize| draw >> shift & 127;
            (BROWSERS[draw / 8 % 4], format!("81.{}.{}.{}", of(3), of(9), of(15)))
        };
        let (status, size) = ([200, 200, 200, 304, 404][draw / 64 % 5], draw % 90_000);
        let line = format!(
            "{address} - - [{day:02}/Nov/2026:{hour:02}:{minute:02}:{second:02} +0000] \"GET /products/{}/item-{draw}.html?page={} HTTP/1.1\" {status} {size} \"https://shop.example/products/\" \"{agent}\"\n",
            draw % 300,
            draw % 9
        );
        file.write_all(line.as_bytes()).unwrap();
        written += line.len();
        n += 1;
    }
    file.flush().unwrap();
    written
}
