//! Requests two hundred sites that never answer at once, together with healthy ones; then one domain by
//! a thousand clients.

use std::time::Duration;

use bench_table::{Goal, report_bare, report_ratio};
use lab::Lab;

use crate::server::Server;
use crate::{client, machine, percentile};

/// Index of the first site of the crowd that no other part requests.
const UNREAD: usize = 300;
const HEALTHY: usize = 40;
const HEALTHY_AT_ONCE: usize = 4;
const ASKERS: usize = 1_000;
const MAX_STALLED_P99_MS: f64 = 1_050.0;
const MAX_SLOWDOWN: f64 = 1.2;
const SOCKETS_CLOSED_AFTER: Duration = Duration::from_secs(2);

pub(crate) async fn measure(server: &Server, lab: &Lab, template: &str) {
    let of = |from: usize, count: usize| -> Vec<String> {
        let sites = lab::load_test_sites().iter().skip(from).take(count);
        sites.map(|site| template.replace("{name}", site.name)).collect()
    };
    let mut alone = successful_times(
        client::get_all(server.address, of(UNREAD, HEALTHY), HEALTHY_AT_ONCE).await,
    );
    let stalling: Vec<String> = lab::stalling_load_test_sites()
        .iter()
        .map(|site| template.replace("{name}", site.name))
        .collect();
    let count = stalling.len();
    let (stalled, during) = tokio::join!(
        client::get_all(server.address, stalling, count),
        client::get_all(server.address, of(UNREAD + HEALTHY, HEALTHY), HEALTHY_AT_ONCE),
    );
    let mut during = successful_times(during);
    let mut stalled = successful_times(stalled);
    println!(
        "stall   {} of {count} stalling domains answered: p50 {:?}, p99 {:?}",
        stalled.len(),
        percentile(&mut stalled, 50),
        percentile(&mut stalled, 99)
    );
    let connections: u64 =
        lab::stalling_load_test_sites().iter().map(|site| lab.connections(site.name)).sum();
    println!("  {:.1} connections to each of them", connections as f64 / count as f64);
    let p99 = percentile(&mut stalled, 99).as_secs_f64() * 1e3;
    report_bare("p99 about sites that stall", p99, "ms", Goal::AtMost(MAX_STALLED_P99_MS));
    let (alone, during) = (percentile(&mut alone, 50), percentile(&mut during, 50));
    println!("  first requests to healthy sites: p50 {alone:?} alone, {during:?} during the stall");
    let (path, limit) = ("first answers about healthy sites while others stall", "without them");
    let slowdown = during.as_secs_f64() / alone.as_secs_f64();
    report_ratio(path, limit, slowdown, Goal::AtMost(MAX_SLOWDOWN));
    tokio::time::sleep(SOCKETS_CLOSED_AFTER).await;
    let left = machine::count_sockets_to_lab(server.pid());
    report_bare("sockets left 2 s after a stall", left as f64, "", Goal::AtMost(0.0));

    let [one, many] = [UNREAD + 2 * HEALTHY, UNREAD + 2 * HEALTHY + 1];
    client::get_all(server.address, of(one, 1), 1).await;
    let asks = vec![of(many, 1).remove(0); ASKERS];
    let mut answered = successful_times(client::get_all(server.address, asks, ASKERS).await);
    let hits = |at: usize| lab.hits(lab::load_test_sites()[at].name).len();
    println!(
        "  {} of {ASKERS} requests for one domain answered, p99 {:?}; {} requests to the site, {} for a single client",
        answered.len(),
        percentile(&mut answered, 99),
        hits(many),
        hits(one)
    );
    let ratio = hits(many) as f64 / (hits(one) as f64).max(1.0);
    let path = "requests to a site that many ask about at once";
    report_ratio(path, "a single client", ratio, Goal::AtMost(1.0));
}

/// The times of the successful requests; a single 60 s if there are none.
fn successful_times(all: Vec<client::TimedReply>) -> Vec<Duration> {
    let times: Vec<Duration> =
        all.iter().filter(|got| got.status == 200).map(|got| got.took).collect();
    if times.is_empty() { vec![Duration::from_secs(60)] } else { times }
}
