//! A field check on kept facts, compared with a kept resolve answer about the same site: the CPU time of the
//! server. With one value, as many agents ask about one number, and with a new value in each request.

use bench_table::{Goal, report_ratio};

use crate::server::Server;
use crate::{client, wrk};

const MAX_SAME_VALUE_RATIO: f64 = 1.2;
const SITE: &str = "business.lab";
/// More than are asked within the minute in which an answer is served again.
const VALUES: usize = 20_000;

pub(crate) fn measure(server: &Server, load: &wrk::Load) {
    let resolve = format!("/api/v1/resolve?domain={SITE}");
    let check = |number: usize| {
        format!("/api/v1/field-check?domain={SITE}&field=phone&value=%2B4416329{number:05}")
    };
    for path in [&resolve, &check(0)] {
        let (status, ..) = client::get_blocking(server.address, path);
        assert_eq!(status, 200, "{path}");
    }
    let run = |name: &str, paths: &[String]| {
        wrk::run(&load.short(), server.address, &paths[..1], || server.cpu());
        let run = wrk::run(load, server.address, paths, || server.cpu());
        println!("{name} {run}");
        run.per_cpu_second
    };
    let kept = run("a kept resolve answer ", &[resolve]);
    let same = run("field check, one value", &[check(0)]);
    let others: Vec<String> = (1..=VALUES).map(check).collect();
    let others = run("field check, new values", &others);
    let goal = Goal::AtMost(MAX_SAME_VALUE_RATIO);
    report_ratio("field check on kept facts, CPU", "a kept answer", kept / same, goal);
    println!("  CPU with new values: {:.2} (no goal: each is compared and signed)", kept / others);
}
