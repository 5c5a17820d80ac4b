//! One address floods a costly route over two hundred connections, while strangers ask for their first
//! answers. The limits are on, and each stranger has an address of its own.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bench_table::{Goal, report_ratio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::Server;
use crate::{client, percentile};

const CONNECTIONS: usize = 200;
const STRANGERS: usize = 40;
/// Index of the first site that no other part requests.
const UNREAD: usize = 400;
const MAX_SLOWDOWN: f64 = 2.0;
const UNANSWERED: Duration = Duration::from_secs(60);
const FLOODER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 6, 6, 6));

/// How often the flood was answered, and how often with the graph.
#[derive(Default)]
struct FloodCounts {
    answered: AtomicU64,
    with_graph: AtomicU64,
    stop: AtomicBool,
}

pub(crate) async fn measure(server: &Server, template: &str) {
    let site = lab::load_test_sites()[UNREAD].name;
    let id = client::scan(server.address, site).await;
    let path = format!("/api/graph/{id}");
    let mut alone = ask_as_strangers(server.address, template, 1).await;
    let counts = Arc::new(FloodCounts::default());
    let flood: Vec<_> = (0..CONNECTIONS)
        .map(|_| tokio::spawn(keep_asking(server.address, path.clone(), Arc::clone(&counts))))
        .collect();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (begun, cpu) = (Instant::now(), server.cpu());
    let mut during = ask_as_strangers(server.address, template, 1 + STRANGERS).await;
    let (seconds, cpu) = (begun.elapsed().as_secs_f64(), server.cpu() - cpu);
    counts.stop.store(true, Ordering::Relaxed);
    for one in flood {
        let _ = one.await;
    }
    println!(
        "flood   {CONNECTIONS} connections on {path}: {} answers, {} of them graphs; the server used \
         {:.2} cores",
        counts.answered.load(Ordering::Relaxed),
        counts.with_graph.load(Ordering::Relaxed),
        cpu / seconds,
    );
    let p95 = |times: &mut Vec<Duration>| percentile(times, 95);
    println!(
        "  first answers of strangers: p95 {:?} alone, {:?} during the flood",
        p95(&mut alone),
        p95(&mut during)
    );
    let (alone, during) = (percentile(&mut alone, 50), percentile(&mut during, 50));
    println!("  first answers of strangers: p50 {alone:?} alone, {during:?} during the flood");
    let slowdown = during.as_secs_f64() / alone.as_secs_f64();
    let (path, limit) =
        ("first answers of strangers while one address floods", "without the flood");
    report_ratio(path, limit, slowdown, Goal::AtMost(MAX_SLOWDOWN));
}

/// The times of first answers, two at a time, each from another address.
async fn ask_as_strangers(address: SocketAddr, template: &str, from: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    let sites: Vec<_> = lab::load_test_sites().iter().skip(UNREAD + from).take(STRANGERS).collect();
    for (index, pair) in sites.chunks(2).enumerate() {
        let asks = pair.iter().enumerate().map(|(second, site)| {
            let number = u16::try_from(from + 2 * index + second).unwrap();
            let [high, low] = number.to_be_bytes();
            let source = IpAddr::V4(Ipv4Addr::new(127, 9, high, low));
            let path = template.replace("{name}", site.name);
            tokio::spawn(async move { client::get_from(address, source, &path).await })
        });
        for ask in asks.collect::<Vec<_>>() {
            let reply = ask.await.unwrap();
            // A stranger that is not answered waited for ever.
            times.push(if reply.status == 200 { reply.took } else { UNANSWERED });
        }
    }
    times
}

/// Asks again as soon as it is answered, on one connection for as long as the server keeps it.
async fn keep_asking(address: SocketAddr, path: String, counts: Arc<FloodCounts>) {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    while !counts.stop.load(Ordering::Relaxed) {
        let Ok(mut stream) = client::connect_from(address, FLOODER).await else { continue };
        while !counts.stop.load(Ordering::Relaxed) {
            if stream.write_all(request.as_bytes()).await.is_err() {
                break;
            }
            let Some(status) = read_reply(&mut stream).await else { break };
            counts.answered.fetch_add(1, Ordering::Relaxed);
            counts.with_graph.fetch_add(u64::from(status == 200), Ordering::Relaxed);
        }
    }
}

/// Reads one reply with a Content-Length, and returns its status.
async fn read_reply(stream: &mut TcpStream) -> Option<u16> {
    let mut received = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        if let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&received[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|text| text.trim().parse().ok())?;
            if received.len() >= end + 4 + length {
                return client::status(&received).into();
            }
        }
        match stream.read(&mut buffer).await {
            Ok(count @ 1..) => received.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}
