//! Checks README and docs: runs each command on them against a demo and compares the output with the
//! page. `UPDATE_DOCS=1 cargo test -p wayleave --test it docs` updates the pages.
//!
//! A sample is a `console` fence: a command after `$ `, which continues while a quote is open or a line
//! ends in `\` or `|`, and below it its output. A fence under `<!-- FILE -->` must be equal to that file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::server::Server;
use crate::tools;

mod snippets;

/// The address of the demo on the pages.
const DEMO_ADDRESS: &str = "127.0.0.1:8080";
/// Stands on the pages for the folder that the demo prints at its start.
const DEMO_DATA_DIR: &str = "--store-data-dir DIR";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn readme_samples_match() {
    check_samples("README.md");
    // Digests are masked in the comparison: that of the record and that which was verified are one.
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let digest = text.split("  \"sha256\": \"").nth(1).unwrap().split('"').next().unwrap();
    assert!(text.contains(&format!("digest: sha256 {digest}\n")), "{digest} was not verified");
}

#[test]
fn resolve_page_samples_match() {
    check_samples("docs/resolve.md");
    check_every_fence_is_run("docs/resolve.md");
}

#[test]
fn preflight_page_samples_match() {
    check_samples("docs/preflight.md");
    check_every_fence_is_run("docs/preflight.md");
}

/// A page is a sequence of text and of commands with their output.
enum PageBlock {
    Text(String),
    Command { typed: String, printed: String },
}

#[track_caller]
fn check_samples(page: &str) {
    let path = root().join(page);
    let text = with_current_snippets(&std::fs::read_to_string(&path).unwrap(), page);
    let mut parts = split_page(&text);
    let typed: Vec<String> = parts
        .iter()
        .filter_map(|part| match part {
            PageBlock::Command { typed, .. } => Some(typed.clone()),
            PageBlock::Text(_) => None,
        })
        .collect();
    assert!(!typed.is_empty(), "{page} has no sample");
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    // A live reading has one second, and a loaded machine may not finish it in time, so try again. A
    // sample that is wrong fails every time.
    let tries = if update { 1 } else { 3 };
    let mut wrong = String::new();
    for _ in 0..tries {
        wrong.clear();
        let Some(mut came_out) = run_commands(&typed).map(Vec::into_iter) else { return };
        for part in &mut parts {
            let PageBlock::Command { typed, printed } = part else { continue };
            let now = came_out.next().unwrap();
            // Output that differs only in times and digests is not updated.
            if mask_varying_parts(&now) == mask_varying_parts(printed) {
                continue;
            }
            let _ = write!(wrong, "$ {typed}\n--- on the page\n{printed}--- printed now\n{now}\n");
            if update {
                *printed = now;
            }
        }
        if wrong.is_empty() {
            break;
        }
    }
    if update {
        std::fs::write(path, join_page(&parts)).unwrap();
    } else {
        assert!(wrong.is_empty(), "{page} is out of date; UPDATE_DOCS=1 updates it\n{wrong}");
    }
}

fn split_page(page: &str) -> Vec<PageBlock> {
    let (mut parts, mut text) = (Vec::new(), String::new());
    let mut lines = page.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        text.push_str(line);
        if line.trim_end() != "```console" {
            continue;
        }
        while let Some(first) = lines.next_if(|line| line.starts_with("$ ")) {
            let mut typed = first[2..].to_owned();
            while ["\\\n", "|\n"].iter().any(|end| typed.ends_with(end))
                || typed.matches('\'').count() % 2 == 1
            {
                typed.push_str(lines.next().expect("the command has an end"));
            }
            let mut printed = String::new();
            while let Some(line) =
                lines.next_if(|line| !line.starts_with("$ ") && line.trim_end() != "```")
            {
                printed.push_str(line);
            }
            parts.push(PageBlock::Text(std::mem::take(&mut text)));
            parts.push(PageBlock::Command { typed, printed });
        }
        let end = lines.next().map(str::trim_end);
        assert_eq!(end, Some("```"), "a sample begins with a command: {text}");
        text.push_str("```\n");
    }
    parts.push(PageBlock::Text(text));
    parts
}

fn join_page(parts: &[PageBlock]) -> String {
    let mut page = String::new();
    for part in parts {
        match part {
            PageBlock::Text(text) => page.push_str(text),
            PageBlock::Command { typed, printed } => {
                let _ = write!(page, "$ {typed}{printed}");
            }
        }
    }
    page
}

/// Runs all commands of a page in one shell and returns the output of each.
fn run_commands(commands: &[String]) -> Option<Vec<String>> {
    let mut shell = tools::shell()?;
    let (python, _) = (tools::python()?, tools::node()?);
    let folder = snippets::folder()?;
    // With the default limits and times of queued scans, as for readers of the page.
    let server = Server::start_demo_with_limits(&["--resolve-upgrade-minutes", "2,17,32,47"]);
    let data_dir = DEMO_DATA_DIR.replace("DIR", &server.stated_data_dir());
    let mut script = String::from("python() { \"$PYTHON\" \"$@\"; }\n");
    for (n, command) in commands.iter().enumerate() {
        let command = command.replace(DEMO_ADDRESS, &server.address.to_string());
        let command = command.replace(DEMO_DATA_DIR, &data_dir);
        let _ = writeln!(script, "{{ {command}}} > printed-{n} 2>&1");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_wayleave")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    shell.arg("-c").arg(script).current_dir(folder.path());
    remove_wayleave_variables(&mut shell);
    shell.env("PATH", format!("{}:{path}", program.display())).env("PYTHON", python.get_program());
    let output = shell.output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = (0..commands.len()).map(|n| {
        let printed = std::fs::read_to_string(folder.path().join(format!("printed-{n}"))).unwrap();
        let printed = printed.replace(&server.address.to_string(), DEMO_ADDRESS);
        // Pages must not show a licence key, not even one of a demo.
        let lines = printed.lines().map(|line| if line.starts_with("wl_") { "wl_…" } else { line });
        lines.map(|line| format!("{line}\n")).collect()
    });
    Some(printed.collect())
}

/// Removes WAYLEAVE_* variables, which a developer may have set.
fn remove_wayleave_variables(command: &mut Command) {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WAYLEAVE_")) {
        command.env_remove(name);
    }
}

/// Replaces what differs in every run (times, days, digests, keys, signatures, ids) by placeholders.
fn mask_varying_parts(text: &str) -> String {
    let in_word = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
    let mut lasting = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| in_word(c) != in_word(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        lasting.push_str(kind_of(word.trim_end_matches(['.', ':'])).unwrap_or(word));
        rest = after;
    }
    lasting
}

fn kind_of(word: &str) -> Option<&'static str> {
    let all = |part: &str, good: fn(u8) -> bool| part.bytes().all(good);
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let in_id = |b: u8| b.is_ascii_lowercase() || (b'2'..=b'7').contains(&b);
    let in_base64 = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    match word.len() {
        10 if is_day(word) => Some("<day>"),
        20 | 24 if word.as_bytes()[10] == b'T' && word.ends_with('Z') => Some("<time>"),
        64 if all(word, hex) => Some("<digest>"),
        26 if all(word, in_id) => Some("<id>"),
        43 if all(word, in_base64) => Some("<key>"),
        86 if all(word, in_base64) => Some("<signature>"),
        _ => None,
    }
}

/// `2026-11-15`.
fn is_day(word: &str) -> bool {
    word.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}

/// The page with the current content of every included file.
fn with_current_snippets(page: &str, name: &str) -> String {
    let mut now = String::new();
    let mut lines = page.split_inclusive('\n');
    let mut wrong = Vec::new();
    while let Some(line) = lines.next() {
        now.push_str(line);
        let file = line.trim().strip_prefix("<!-- docs/snippets/");
        let Some(file) = file.and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        now.push_str(lines.next().filter(|line| line.starts_with("```")).expect("a fence"));
        let shown: String = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        let snippet = std::fs::read_to_string(root().join("docs/snippets").join(file)).unwrap();
        if shown != snippet {
            wrong.push(file);
        }
        let _ = writeln!(now, "{snippet}```");
    }
    assert!(
        wrong.is_empty() || std::env::var_os("UPDATE_DOCS").is_some(),
        "{name} has outdated copies of {wrong:?}; UPDATE_DOCS=1 updates them"
    );
    now
}

/// Checks that every fence of the page is a sample or an included file, so that a test runs it.
#[track_caller]
fn check_every_fence_is_run(page: &str) {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let mut before = "";
    let mut open = false;
    for line in text.lines() {
        if line.starts_with("```") {
            open = !open;
            let known = line == "```console" || before.starts_with("<!-- docs/snippets/");
            assert!(!open || known, "{page}: no test runs the fence after {before:?}");
        }
        before = line;
    }
}

#[test]
fn the_readme_names_every_address() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let listed: Vec<&str> = readme
        .split('`')
        .map(|word| word.trim_start_matches("GET ").trim_start_matches("POST "))
        .filter(|word| word.starts_with('/'))
        .collect();
    let described = Server::shared().get("/openapi.json").json();
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.len() > 40, "{}", paths.len());
    let is_listed = |path: &str| {
        listed.iter().any(|word| match word.strip_suffix('…') {
            Some(begin) => path.starts_with(begin),
            None => *word == path,
        })
    };
    let missing: Vec<&String> = paths.keys().filter(|path| !is_listed(path)).collect();
    assert!(missing.is_empty(), "the README does not name {missing:?}");
}

#[test]
fn only_varying_parts_are_masked() {
    let a = "{\"id\": \"7bsnwjooc4tfdccocf7zrxqway\", \"at\": \"2026-11-15T08:01:42Z\"}";
    let b = "{\"id\": \"aaaaaaaaaaaaaaaaaaaaaaaaaa\", \"at\": \"2027-01-01T00:00:00.123Z\"}";
    assert_eq!(mask_varying_parts(a), mask_varying_parts(b));
    assert_eq!(mask_varying_parts("on 2026-11-15."), mask_varying_parts("on 2026-11-16."));
    for (a, b) in [
        ("decision: allow", "decision: warn"),
        ("open.lab", "minimal.lab"),
        ("2 of 3", "3 of 3"),
        ("at 2026-11-15T08:01:42Z", "at never"),
        ("on 2026-11-15", "on never"),
        ("on 2026-11-15", "on 2026-11"),
    ] {
        assert_ne!(mask_varying_parts(a), mask_varying_parts(b));
    }
    let parted = split_page("a\n```console\n$ x 'a\nb' \\\n  c\nout\n$ y\n```\nz\n");
    assert_eq!(join_page(&parted), "a\n```console\n$ x 'a\nb' \\\n  c\nout\n$ y\n```\nz\n");
    let typed: Vec<_> = parted
        .iter()
        .filter_map(|part| match part {
            PageBlock::Command { typed, printed } => Some((typed.as_str(), printed.as_str())),
            PageBlock::Text(_) => None,
        })
        .collect();
    assert_eq!(typed, [("x 'a\nb' \\\n  c\n", "out\n"), ("y\n", "")]);
}
