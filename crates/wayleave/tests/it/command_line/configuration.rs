//! The configuration, from file, environment and flags.

use super::*;

/// A key for cosignatures and an address.
const WITNESS: &str =
    "w.example+3e6d1c1c+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs=https://w.example/one";

/// Every key, with a value for its environment variable and how the configuration shows it.
fn settings() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("server.listen", "127.0.0.1:4321", json!("127.0.0.1:4321")),
        ("server.base_url", "https://svc.somewhere.org/", json!("https://svc.somewhere.org")),
        ("server.brand", "abc", json!("abc")),
        ("server.trusted_proxies", "10.9.0.0/16, ::1/128", json!(["10.9.0.0/16", "::1/128"])),
        ("server.max_connections", "4321", json!(4321)),
        ("server.max_requests", "4322", json!(4322)),
        ("server.metrics_listen", "127.0.0.1:4354", json!("127.0.0.1:4354")),
        ("server.tls_cert", "/somewhere/cert.pem", json!("/somewhere/cert.pem")),
        ("server.tls_key", "/somewhere/key.pem", json!("/somewhere/key.pem")),
        ("store.data_dir", "/somewhere/else", json!("/somewhere/else")),
        ("store.keys_dir", "/somewhere/keys", json!("/somewhere/keys")),
        ("store.artifact_days", "0", json!(0)),
        ("store.artifact_gb", "4353", json!(4353)),
        ("store.unreached_days", "2", json!(2)),
        ("store.answer_days", "9", json!(9)),
        ("store.domain_days", "91", json!(91)),
        ("store.change_days", "401", json!(401)),
        ("store.revocation_days", "402", json!(402)),
        ("store.receipt_days", "31", json!(31)),
        ("store.scan_days", "0", json!(0)),
        ("store.mcp_days", "0", json!(0)),
        ("store.conduct_days", "0", json!(0)),
        ("store.accuracy_days", "0", json!(0)),
        ("network.resolver", "127.0.0.1:4323", json!("127.0.0.1:4323")),
        ("network.allow_networks", "127.77.0.0/16", json!(["127.77.0.0/16"])),
        ("network.refuse_networks", "192.0.2.0/24", json!(["192.0.2.0/24"])),
        ("network.allow_names", "lab,quoted-lab", json!(["lab", "quoted-lab"])),
        ("network.http_port", "4324", json!(4324)),
        ("network.https_port", "4325", json!(4325)),
        ("network.allow_ports", "8443, 8444", json!([8443, 8444])),
        ("network.mcp_ports", "3000, 8765", json!([3000, 8765])),
        ("network.extra_ca", "/somewhere/\"ca\".pem", json!("/somewhere/\"ca\".pem")),
        ("network.source_address", "127.0.0.1", json!("127.0.0.1")),
        ("network.vantage", "a b = \"c\"", json!("a b = \"c\"")),
        ("network.egress", "192.0.2.0/28, 2001:db8::/48", json!(["192.0.2.0/28", "2001:db8::/48"])),
        ("network.asn", "64500", json!(64500)),
        ("network.name", "ExampleNet", json!("ExampleNet")),
        ("network.rir", "RIPE", json!("RIPE")),
        ("network.country", "DE", json!("DE")),
        ("network.region", "EU", json!("EU")),
        ("operator.name", "Example & Co", json!("Example & Co")),
        ("operator.contact", "mailto:ops@svc.example", json!("mailto:ops@svc.example")),
        ("operator.abuse", "mailto:abuse@svc.example", json!("mailto:abuse@svc.example")),
        (
            "operator.security",
            "https://svc.example/security",
            json!("https://svc.example/security"),
        ),
        ("agents.catalogue", "/somewhere/agents.json", json!("/somewhere/agents.json")),
        ("agents.known", "/somewhere/known.json", json!("/somewhere/known.json")),
        ("agents.more_known", "/somewhere/more.json", json!("/somewhere/more.json")),
        (
            "agents.feeds",
            "bingbot=https://mirror.example/b",
            json!(["bingbot=https://mirror.example/b"]),
        ),
        ("agents.fetch_feeds", "false", json!(false)),
        ("agents.gate_fails", "closed", json!("closed")),
        ("scan.deadline_ms", "4326", json!(4326)),
        ("scan.at_once", "4327", json!(4327)),
        ("resolve.upgrade_minutes", "5, 35", json!([5, 35])),
        ("resolve.queue_max", "4352", json!(4352)),
        ("resolve.hot_mb", "4334", json!(4334)),
        ("resolve.robots_mb", "4335", json!(4335)),
        ("resolve.ranking", "/somewhere/names.csv", json!("/somewhere/names.csv")),
        ("limits.enabled", "false", json!(false)),
        ("limits.profile", "public", json!("public")),
        ("limits.scan_per_10s", "4328", json!(4328)),
        ("limits.scan_per_minute", "4329", json!(4329)),
        ("limits.scan_per_day", "0", json!(0)),
        ("limits.scans_daily_total", "4330", json!(4330)),
        ("limits.scans_paused", "true", json!(true)),
        ("limits.keyed_scan_per_minute", "4331", json!(4331)),
        ("limits.keyed_read_per_minute", "4355", json!(4355)),
        ("limits.keyed_decide_per_minute", "4356", json!(4356)),
        ("limits.keyed_live_per_minute", "4357", json!(4357)),
        ("limits.read_per_minute", "4340", json!(4340)),
        ("limits.decide_per_minute", "4341", json!(4341)),
        ("limits.live_per_minute", "4342", json!(4342)),
        ("limits.visitors_per_minute", "4377", json!(4377)),
        ("limits.feed_per_minute", "4343", json!(4343)),
        ("limits.metrics_per_minute", "4345", json!(4345)),
        ("limits.wrong_keys_per_minute", "4346", json!(4346)),
        ("limits.outcomes_per_day", "4344", json!(4344)),
        ("access.plans", "free quota=5, big rate=2", json!(["free quota=5", "big rate=2"])),
        ("access.free_scans_v1", "true", json!(true)),
        ("access.free_keys", "true", json!(true)),
        ("access.refused_mail_domains", "a.example, b.example", json!(["a.example", "b.example"])),
        ("access.refused_mail_domains_file", "/somewhere/names", json!("/somewhere/names")),
        ("mail.host", "mail.example", json!("mail.example")),
        ("mail.port", "4355", json!(4355)),
        ("mail.security", "tls", json!("tls")),
        ("mail.user", "ada", json!("ada")),
        ("mail.password_file", "/somewhere/password", json!("/somewhere/password")),
        ("mail.from", "keys@svc.example", json!("keys@svc.example")),
        ("targets.enabled", "false", json!(false)),
        ("targets.address_connections", "4345", json!(4345)),
        ("targets.network_connections", "4346", json!(4346)),
        ("targets.total_connections", "4347", json!(4347)),
        ("targets.address_reads_per_minute", "4348", json!(4348)),
        ("targets.network_reads_per_minute", "4349", json!(4349)),
        ("targets.total_reads_per_minute", "4350", json!(4350)),
        ("targets.domain_live_per_hour", "0", json!(0)),
        ("targets.domain_scans_per_hour", "4351", json!(4351)),
        ("targets.domain_mcp_walks_per_hour", "4351", json!(4351)),
        ("targets.total_live_per_minute", "4352", json!(4352)),
        (
            "registry.bootstrap",
            "https://list.example/dns.json",
            json!("https://list.example/dns.json"),
        ),
        ("registry.cache_hours", "48", json!(48)),
        ("registry.reads_per_minute", "4378", json!(4378)),
        (
            "accuracy.engines",
            "one=https://api.example/v1 model=m-1 key_env=ONE_KEY search, \
             two=http://127.0.0.1:4380/v1 model=m/2 key_file=/somewhere/key ca=/somewhere/ca.pem",
            json!([
                "one=https://api.example/v1 model=m-1 key_env=ONE_KEY search",
                "two=http://127.0.0.1:4380/v1 model=m/2 key_file=/somewhere/key ca=/somewhere/ca.pem",
            ]),
        ),
        ("accuracy.calls_per_day", "4379", json!(4379)),
        ("accuracy.tokens_per_day", "4380000000", json!(4_380_000_000_u64)),
        (
            "proof.calendars",
            "https://one.example, http://127.0.0.1:4332",
            json!(["https://one.example", "http://127.0.0.1:4332"]),
        ),
        ("proof.explorers", "https://blocks.example/api", json!(["https://blocks.example/api"])),
        ("proof.upgrade_seconds", "4333", json!(4333)),
        ("proof.origin", "log.example/one", json!("log.example/one")),
        ("proof.witnesses", WITNESS, json!([WITNESS])),
        ("log.filter", "debug,hyper=warn", json!("debug,hyper=warn")),
        ("log.format", "json", json!("json")),
    ]
}

fn shown<'a>(config: &'a Value, key: &str) -> &'a Value {
    let (section, name) = key.split_once('.').unwrap();
    &config[section][name]
}

#[test]
fn every_key_is_a_variable_and_a_flag_and_can_be_read_back() {
    let keys = run(&["config", "--keys", "--json"]).expect(PASSED).json();
    let keys = keys.as_array().unwrap();
    let settings = settings();
    let listed: Vec<&str> = keys.iter().map(|key| key["key"].as_str().unwrap()).collect();
    assert_eq!(listed, settings.iter().map(|(key, _, _)| *key).collect::<Vec<_>>());
    let table = run(&["config", "--keys"]).expect(PASSED).out;
    let word = |key: &Value, name: &str| key[name].as_str().unwrap().to_owned();
    for key in keys {
        let row = table.lines().find(|row| row.starts_with(&format!("{} ", word(key, "key"))));
        let row = row.unwrap_or_else(|| panic!("{key}"));
        assert!(row.contains(&word(key, "variable")) && row.contains(&word(key, "help")), "{row}");
    }

    let folder = Folder::new();
    let in_force =
        |command: &mut Command| CommandOutput::of(command.output().unwrap()).expect(PASSED);
    let mut by_variable = wayleave();
    let mut by_flag = wayleave();
    by_variable.arg("config");
    by_flag.arg("config");
    for (key, (_, value, _)) in keys.iter().zip(&settings) {
        by_variable.env(word(key, "variable"), value);
        by_flag.args([word(key, "flag"), (*value).to_owned()]);
    }
    let toml = in_force(&mut by_variable).out;
    assert_eq!(in_force(&mut by_flag).out, toml);
    let config = in_force(by_variable.arg("--json")).json();
    for (key, _, expected) in &settings {
        assert_eq!(shown(&config, key), expected, "{key}");
    }
    // The output is a valid configuration file and means the same.
    let file = folder.write("printed.toml", &toml);
    assert_eq!(run(&["config", "--config", &file]).expect(PASSED).out, toml);
    assert_eq!(run(&["config", "--config", &file, "--json"]).expect(PASSED).json(), config);
    let mut named = wayleave();
    named.arg("config").env("WAYLEAVE_CONFIG", &file);
    assert_eq!(in_force(&mut named).out, toml);
    let defaults = run(&["config"]).expect(PASSED).out;
    let file = folder.write("defaults.toml", &defaults);
    assert_eq!(run(&["config", "--config", &file]).expect(PASSED).out, defaults);

    // Flags override variables, variables override the file.
    let file = folder
        .write("own.toml", "[server]\nbrand = \"file\"\nmax_requests = 7\n[scan]\nat_once = 3");
    let mut layered = wayleave();
    layered.args(["config", "--json", "--config", &file, "--server-brand", "flag"]);
    layered.env("WAYLEAVE_SERVER_BRAND", "variable").env("WAYLEAVE_SERVER_MAX_REQUESTS", "8");
    let config = in_force(&mut layered).json();
    for (key, expected) in [
        ("server.brand", json!("flag")),
        ("server.max_requests", json!(8)),
        ("scan.at_once", json!(3)),
    ] {
        assert_eq!(shown(&config, key), &expected, "{key}");
    }
}

#[test]
fn a_configuration_that_makes_no_sense_is_refused_by_name() {
    let folder = Folder::new();
    for (text, named) in [
        ("[server]\nlisten_on = \"127.0.0.1:1\"", "listen_on"),
        ("[sever]\nlisten = \"127.0.0.1:1\"", "sever"),
        ("[network]\nallow_network = []", "`allow_network`"),
        ("[server]\nlisten = 8080", "listen"),
        ("[network]\nallow_networks = [\"10.0.0.0/33\"]", "allow_networks"),
        ("[scan]\nat_once = 0", "scan.at_once"),
        ("[scan]\nat_once = -1", "at_once"),
        ("[proof]\ncalendars = [\"calendar.example\"]", "proof.calendars"),
        ("[proof]\nexplorers = [\"https://u@blocks.example\"]", "proof.explorers"),
        ("[accuracy]\nengines = [\"one=https://a.example model=m\"]", "one: it needs key_env"),
        (
            "[[accuracy.engines]]\nname = \"One\"\nbase_url = \"https://a.example\"\nmodel = \"m\"\nkey_env = \"K\"",
            "\"One\" is not a name",
        ),
        (
            "[accuracy]\nengines = [\"a=https://a.example model=m key_env=K\", \"a=https://b.example model=m key_env=K\"]",
            "two engines with the name a",
        ),
        ("[accuracy]\nengine = []", "`engine`"),
        ("[server", "is not valid TOML"),
        ("[server]\nbrand = \"a\"\nbrand = \"b\"", "is not valid TOML"),
    ] {
        let file = folder.write("bad.toml", text);
        for command in
            [&["config"][..], &["serve"], &["demo"], &["scan", "open.lab"], &["key", "list"]]
        {
            let arguments = [command, &["--config", file.as_str()]].concat();
            let output = run_to_end(wayleave().args(&arguments)).expect(COULD_NOT_CHECK);
            assert!(output.out.is_empty(), "{arguments:?}: {}", output.out);
            assert!(output.err.contains(named), "{arguments:?} {text:?}: {}", output.err);
        }
        let checks = run(&["doctor", "--json", "--config", &file]).expect(CHECK_FAILED).json();
        assert_eq!(
            (&checks[0]["name"], &checks[0]["state"]),
            (&json!("configuration"), &json!("bad"))
        );
        assert!(checks[0]["says"].as_str().unwrap().contains(named), "{checks}");
    }
    run(&["config", "--config", &folder.path("nowhere.toml")]).expect_error("nowhere.toml");
    run(&["config", "--scan-at-once", "many"]).expect_error("--scan-at-once");
    let mut command = wayleave();
    command.arg("config").env("WAYLEAVE_SCAN_DEADLINE_MS", "soon");
    CommandOutput::of(command.output().unwrap()).expect_error("WAYLEAVE_SCAN_DEADLINE_MS");
    let missing = folder.path("ca.pem");
    run(&["scan", "iana.org", "--network-extra-ca", &missing]).expect_error("network.extra_ca");
}

#[test]
fn keys_of_engines_are_in_no_output() {
    const SECRET: &str = "sk-hidden-1";
    let folder = Folder::new();
    let key_file = folder.write("key", format!("{SECRET}\n"));
    let engines = format!(
        "one=https://api.example/v1 model=m key_file={key_file}, \
         two=https://api.example/v1 model=m key_env=WAYLEAVE_SECOND_KEY"
    );
    for json in [&[][..], &["--json"]] {
        let mut command = wayleave();
        command.arg("config").args(json).env("WAYLEAVE_SECOND_KEY", SECRET);
        command.env("WAYLEAVE_ACCURACY_ENGINES", &engines);
        let output = CommandOutput::of(command.output().unwrap()).expect(PASSED);
        assert!(output.out.contains("key_env=WAYLEAVE_SECOND_KEY"), "{}", output.out);
        assert!(!output.out.contains(SECRET) && !output.err.contains(SECRET));
    }
    // A variable that no engine names is still an unknown setting.
    let mut command = wayleave();
    command.arg("config").env("WAYLEAVE_SECOND_KEY", SECRET);
    let refused = CommandOutput::of(command.output().unwrap());
    assert!(!refused.err.contains(SECRET));
    refused.expect_error("WAYLEAVE_SECOND_KEY");
    // A key in a wrong place is not repeated.
    let line = format!("[accuracy]\nengines = [\"one=https://a.example model=m key={SECRET}\"]");
    let file = folder.write("bad.toml", &line);
    let refused = run(&["config", "--config", &file]);
    assert!(!refused.err.contains(SECRET), "{}", refused.err);
    refused.expect_error("accuracy.engines: one: there is an unknown word");
    // A server without one of its keys does not start.
    let missing = "one=https://api.example/v1 model=m key_env=NO_SUCH_VARIABLE";
    let data = folder.path("data");
    let arguments = ["serve", "--accuracy-engines", missing, "--store-data-dir", data.as_str()];
    let refused = run_to_end(wayleave().args(arguments)).expect(COULD_NOT_CHECK);
    assert!(refused.err.contains("accuracy.engines: one"), "{}", refused.err);
    assert!(refused.err.contains("NO_SUCH_VARIABLE"), "{}", refused.err);
}
