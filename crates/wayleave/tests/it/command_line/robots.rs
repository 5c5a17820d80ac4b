//! `wayleave robots`.

use super::*;

const FILE: &str = "\
# shop
User-agent: GPTBot
Disallow: /

User-agent: *
Disallow: /basket # nothing to read there
Allow: /basket/help
Sitemap: https://shop.example/sitemap.xml
";

#[test]
fn the_deciding_line_is_reported() {
    let folder = Folder::new();
    let file = folder.write("robots.txt", FILE);
    let output =
        run(&["robots", &file, "--agent", "GPTBot/1.3 (+https://a.example)"]).expect(CHECK_FAILED);
    assert_eq!(output.out, "disallowed GPTBot / (group for this agent; line 3: Disallow: /)\n");

    let output = run(&[
        "robots",
        &file,
        "--json",
        "--agent",
        "gptbot",
        "--agent",
        "ClaudeBot",
        "--url",
        "https://shop.example/basket?x=1#y",
        "--url",
        "/basket/help",
        "--url",
        "/",
    ])
    .expect(CHECK_FAILED)
    .json();
    let decisions: Vec<_> = output["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            let text = |name: &str| d[name].as_str().unwrap_or("-").to_owned();
            (
                text("agent"),
                text("path"),
                d["allowed"] == true,
                text("scope"),
                d["line"].as_u64(),
                text("rule"),
            )
        })
        .collect();
    let row = |agent: &str, path: &str, allowed, scope: &str, line, rule: &str| {
        (agent.to_owned(), path.to_owned(), allowed, scope.to_owned(), line, rule.to_owned())
    };
    assert_eq!(
        decisions,
        [
            row("gptbot", "/basket?x=1", false, "named", Some(3), "Disallow: /"),
            row("gptbot", "/basket/help", false, "named", Some(3), "Disallow: /"),
            row("gptbot", "/", false, "named", Some(3), "Disallow: /"),
            row("ClaudeBot", "/basket?x=1", false, "everyone", Some(6), "Disallow: /basket"),
            row("ClaudeBot", "/basket/help", true, "everyone", Some(7), "Allow: /basket/help"),
            row("ClaudeBot", "/", true, "everyone", None, "-"),
        ]
    );
    run(&["robots", &file, "--agent", "ClaudeBot"]).expect(PASSED);
    // The default agent is *, the default URL is the home page.
    let output = run_with_input(&["robots", "-"], FILE.as_bytes()).expect(PASSED);
    assert_eq!(output.out, "allowed    * / (group for *; no rule matches)\n");
    let output = run_with_input(&["robots", "-", "--agent", "x"], b"").expect(PASSED);
    assert!(output.out.contains("no group applies"), "{}", output.out);
}

#[test]
fn faults_in_the_file_are_reported_with_the_answer() {
    let file = b"Disallow: /early\nUser-agent: *\nDisallow: secret\n";
    let output = run_with_input(&["robots", "-"], file).expect(PASSED);
    assert!(output.out.contains("line 1") && output.out.contains("fix: "), "{}", output.out);
    let faults = run_with_input(&["robots", "-", "--json"], file).expect(PASSED).json();
    let faults = faults["faults"].as_array().unwrap().clone();
    assert!(faults.iter().any(|fault| fault["at"] == "line 1"), "{faults:?}");
    // Control characters in the file do not reach the terminal.
    let hostile = b"User-agent: *\nDisallow: /\x1b[2J\xe2\x80\xae\n";
    let output = run_with_input(&["robots", "-", "--url", "/x"], hostile).expect(PASSED);
    assert!(!output.out.contains(['\u{1b}', '\u{202e}']), "{:?}", output.out);
}

#[test]
fn an_unreadable_file_is_reported() {
    let folder = Folder::new();
    run(&["robots", &folder.path("none")]).expect_error("cannot be read");
    let file = folder.write("robots.txt", FILE);
    run(&["robots", &file, "--url", "ftp://a.example/"])
        .expect_error("expected an http or https URL");
    run(&["robots", &file, "--url", "shop"]).expect_error("expected an http or https URL");
    run(&["robots", &file, "--agent", ""]).expect_error("no product token");
}
