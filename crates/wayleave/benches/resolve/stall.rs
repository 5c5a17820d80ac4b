//! Two hundred sites that never answer, asked for at once; healthy ones beside them; and a thousand
//! askers for one domain.

use std::time::Duration;

use lab::Lab;

use crate::server::Server;
use crate::{client, goal, machine, percentile};

/// Where in the crowd the domains begin that no other part asks for.
const UNREAD: usize = 300;
const HEALTHY: usize = 40;
const HEALTHY_AT_ONCE: usize = 4;
const ASKERS: usize = 1_000;
const STALLED_P99_MS: f64 = 1_050.0;
const SLOWED: f64 = 1.2;
const GONE_AFTER: Duration = Duration::from_secs(2);

pub(crate) async fn measure(server: &Server, lab: &Lab, template: &str) {
    let of = |from: usize, count: usize| -> Vec<String> {
        let sites = lab::crowd().iter().skip(from).take(count);
        sites.map(|site| template.replace("{name}", site.name)).collect()
    };
    let mut alone =
        good(client::get_all(server.address, of(UNREAD, HEALTHY), HEALTHY_AT_ONCE).await);
    let stalling: Vec<String> =
        lab::stalling_crowd().iter().map(|site| template.replace("{name}", site.name)).collect();
    let count = stalling.len();
    let (stalled, beside) = tokio::join!(
        client::get_all(server.address, stalling, count),
        client::get_all(server.address, of(UNREAD + HEALTHY, HEALTHY), HEALTHY_AT_ONCE),
    );
    let mut beside = good(beside);
    let mut stalled = good(stalled);
    println!(
        "stall   {} of {count} stalling domains answered: p50 {:?}, p99 {:?}",
        stalled.len(),
        percentile(&mut stalled, 50),
        percentile(&mut stalled, 99)
    );
    let connections: u64 =
        lab::stalling_crowd().iter().map(|site| lab.connections(site.name)).sum();
    println!("  {:.1} connections to each of them", connections as f64 / count as f64);
    goal("  p99 in ms", percentile(&mut stalled, 99).as_secs_f64() * 1e3, STALLED_P99_MS, false);
    let (alone, beside) = (percentile(&mut alone, 50), percentile(&mut beside, 50));
    println!("  healthy first asks: p50 {alone:?} alone, {beside:?} beside them");
    goal("  healthy, slowed by", beside.as_secs_f64() / alone.as_secs_f64(), SLOWED, false);
    tokio::time::sleep(GONE_AFTER).await;
    let left = machine::sockets_into_the_lab(server.pid());
    goal("  sockets left after 2 s", left as f64, 0.0, false);

    let [one, many] = [UNREAD + 2 * HEALTHY, UNREAD + 2 * HEALTHY + 1];
    client::get_all(server.address, of(one, 1), 1).await;
    let asks = vec![of(many, 1).remove(0); ASKERS];
    let mut answered = good(client::get_all(server.address, asks, ASKERS).await);
    let hits = |at: usize| lab.hits(lab::crowd()[at].name).len();
    println!(
        "  {} of {ASKERS} askers for one domain answered, p99 {:?}; {} requests to the site, {} for one asker",
        answered.len(),
        percentile(&mut answered, 99),
        hits(many),
        hits(one)
    );
    goal("  outbound readings", hits(many) as f64 / (hits(one) as f64).max(1.0), 1.0, false);
}

/// The times of those that were answered; a list that is never empty.
fn good(all: Vec<client::Got>) -> Vec<Duration> {
    let times: Vec<Duration> =
        all.iter().filter(|got| got.status == 200).map(|got| got.took).collect();
    if times.is_empty() { vec![Duration::from_secs(60)] } else { times }
}
