//! `wayleave conduct` over logs of every format, judged by the lists of the lab.

use super::*;

/// An address of GPTBot's list in the lab.
const ADDRESS: &str = "44.1.0.7";

/// A lab, and a configuration by which the lists of agents' addresses are the lab's.
fn start_lab() -> LabRun {
    let lab = LabRun::start();
    let known = agents::KnownAgents::built_in().unwrap();
    let feeds = known.feeds().iter().filter(|feed| lab::feeds().iter().any(|f| f.id == feed.id));
    let feeds = feeds.map(|feed| format!("{}={}", feed.id, lab::feed_url(&feed.id)));
    let agents = format!("\n[agents]\nfeeds = {:?}\n", feeds.collect::<Vec<_>>());
    let config = std::fs::read_to_string(&lab.config).unwrap() + &agents;
    std::fs::write(&lab.config, config).unwrap();
    lab
}

fn combined(address: &str, minute: u32, path: &str, status: u16, agent: &str) -> String {
    format!(
        "{address} - - [16/Nov/2026:12:{minute:02}:00 +0000] \"GET {path} HTTP/1.1\" {status} 12 \"-\" \"{agent}\"\n"
    )
}

const GPTBOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)";

fn log_of(address: &str) -> String {
    let mut log = String::new();
    for at in 0..60 {
        log += &combined(address, at % 2, "/a", if at < 6 { 304 } else { 200 }, GPTBOT);
    }
    log += &combined(address, 3, "/robots.txt", 200, GPTBOT);
    log += &combined("8.8.4.4", 3, "/private/x", 200, GPTBOT);
    log += &combined("8.8.4.4", 3, "/", 200, "Mozilla/5.0 (X11) Firefox/140.0");
    log += "noise\n";
    log
}

#[test]
fn a_log_becomes_a_record_and_a_table() {
    let lab = start_lab();
    let log = lab.folder.write("access.log", log_of(ADDRESS));
    let robots = lab.folder.write("robots.txt", "User-agent: *\nDisallow: /private/\n");
    let arguments = ["conduct", &log, "--robots", &robots, "--config", &lab.config];
    let record = run(&[&arguments[..], &["--json"]].concat()).expect(PASSED).json();
    assert_eq!(record["kind"], "svc-conduct");
    let agent = &record["agents"][0];
    assert_eq!(agent["agent"], "GPTBot");
    assert_eq!(agent["identity"]["verified_requests"], 61);
    assert_eq!(agent["identity"]["forged_claims"], 1);
    assert_eq!(agent["robots_txt"]["verdict"], "respected");
    assert_eq!(agent["robots_txt"]["robots_txt_fetches"], 1);
    assert_eq!(agent["rate"]["peak_requests_per_minute"], 30);
    assert_eq!(agent["rate"]["peak_at"], "2026-11-16T12:00Z");
    assert_eq!(agent["revalidation"]["conditional_requests"], 6);
    assert_eq!(record["thresholds"]["disallowed_rules"], json!(["/private/"]));
    let text = run(&arguments).expect(PASSED).out;
    for part in
        ["GPTBot", "keeps to robots.txt", "63 requests, 1 of them by no known agent; 1 line could"]
    {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let csv = run(&[&arguments[..], &["--csv"]].concat()).expect(PASSED).out;
    assert!(csv.lines().nth(1).unwrap().starts_with("GPTBot,OpenAI,training,false,"), "{csv}");

    // The same requests, also on a disallowed path: a violation, and another exit code.
    let broken = log_of(ADDRESS) + &combined(ADDRESS, 5, "/private/y", 200, GPTBOT);
    let broken = lab.folder.write("broken.log", broken);
    let arguments = ["conduct", &broken, "--robots", &robots, "--config", &lab.config, "--json"];
    let record = run(&arguments).expect(CHECK_FAILED).json();
    assert_eq!(record["agents"][0]["conduct"], "violations_observed");
    assert_eq!(record["agents"][0]["robots_txt"]["disallowed_fetches"], 1);
    assert_eq!(record["agents"][0]["robots_txt"]["disallowed_rules"], json!(["/private/"]));
}

#[test]
fn compressed_logs_and_other_formats_give_the_same_counts() {
    let lab = start_lab();
    let plain = log_of(ADDRESS);
    let gzip = lab.folder.path("access.log.1.gz");
    let zstd = lab.folder.path("access.log.2");
    let mut packer = flate2::write::GzEncoder::new(
        std::fs::File::create(&gzip).unwrap(),
        flate2::Compression::fast(),
    );
    packer.write_all(plain.as_bytes()).unwrap();
    packer.finish().unwrap();
    std::fs::write(&zstd, zstd::encode_all(plain.as_bytes(), 1).unwrap()).unwrap();
    let mut w3c = String::from(
        "#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)\n",
    );
    let mut caddy = String::new();
    for at in 0..60 {
        let minute = at % 2;
        w3c += &format!("2026-11-16\t12:0{minute}:00\t{ADDRESS}\tGET\t/a\t200\tGPTBot/1.3%20x\n");
        let line = json!({
            "ts": 1_794_830_400 + minute * 60, "status": 200,
            "request": {
                "client_ip": ADDRESS, "method": "GET", "uri": "/a",
                "headers": { "User-Agent": [GPTBOT] },
            },
        });
        caddy += &format!("{line}\n");
    }
    let w3c = lab.folder.write("w3c.log", w3c);
    let caddy = lab.folder.write("caddy.log", caddy);
    for (file, verified) in [(&gzip, 61), (&zstd, 61), (&w3c, 60), (&caddy, 60)] {
        let record =
            run(&["conduct", file, "--config", &lab.config, "--json"]).expect(PASSED).json();
        assert_eq!(record["agents"][0]["identity"]["verified_requests"], verified, "{file}");
        assert_eq!(record["agents"][0]["rate"]["peak_requests_per_minute"], 30, "{file}");
        // Without robots.txt nothing is said about it.
        assert_eq!(record["agents"][0]["robots_txt"]["verdict"], "not_measured", "{file}");
    }
    let all = ["conduct", &gzip, &zstd, &w3c, &caddy, "--config", &lab.config, "--json"];
    let record = run(&all).expect(PASSED).json();
    assert_eq!(record["agents"][0]["identity"]["verified_requests"], 242);
    let noise = lab.folder.write("noise.log", "noise\n\u{0}\u{1}\n");
    run(&["conduct", &noise, "--config", &lab.config]).expect_error("none of the 2 lines");
    run(&["conduct", "/nowhere", "--config", &lab.config]).expect_error("cannot be opened");
    let cut = lab.folder.write("cut.gz", &std::fs::read(&gzip).unwrap()[..40]);
    run(&["conduct", &cut, "--config", &lab.config]).expect_error("cannot be read");
}
