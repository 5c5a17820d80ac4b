//! First requests for domains: each site is read, judged, logged and signed.

use std::time::Instant;

use bench_table::{Goal, report_bare};

use crate::server::Server;
use crate::{client, percentile};

/// Number of domains. The other sites of the crowd stay unread for `stall`.
pub(crate) const DOMAINS: usize = 300;
const AT_ONCE: usize = 16;
const MIN_PER_CPU_SECOND: f64 = 100.0;

pub(crate) async fn measure(server: &Server, template: &str) {
    let paths: Vec<String> = lab::load_test_sites()
        .iter()
        .take(DOMAINS)
        .map(|site| template.replace("{name}", site.name))
        .collect();
    let (begun, before) = (Instant::now(), server.cpu());
    let all = client::get_all(server.address, paths, AT_ONCE).await;
    let (wall, spent) = (begun.elapsed().as_secs_f64(), server.cpu() - before);
    let good = all.iter().filter(|got| got.status == 200).count() as f64;
    let mut times: Vec<_> = all.iter().map(|got| got.took).collect();
    println!(
        "live    {good} of {DOMAINS} answered, {AT_ONCE} at once: {:.0}/s, p50 {:?}, p99 {:?}",
        good / wall,
        percentile(&mut times, 50),
        percentile(&mut times, 99)
    );
    let (rate, goal) = (good / spent.max(0.01), Goal::AtLeast(MIN_PER_CPU_SECOND));
    report_bare("first live answers through the server", rate, "per CPU-second", goal);
}
