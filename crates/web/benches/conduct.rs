//! What counting agents costs a kept answer: two servers in this process, one that counts and one that does not,
//! each on a thread of its own, answer the same requests in turn. Run with `cargo bench -p web --bench conduct`.
//!
//! CPU time of the servers' threads is compared (`/proc/self/task`), so a busy machine changes little. The goal is
//! for requests that name no agent; requests of agents are measured too. `BENCH_REQUESTS` sets how many a round has.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a measuring program, not part of the product"
)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use agents::Catalogue;
use bench_table::{Figure, Goal};
use contract::Clock;
use door::{Door, Policy, ResolverChoice, SystemClock};
use service::{AnsweredRequest, Service, ServiceDependencies, Settings, SystemIds};
use store_sqlite::{SqliteOptions, SqliteStore};
use tokio::net::TcpListener;
use web::{RateLimits, ServerOptions, WebOptions, serve};

/// The goal: the share of a kept answer's CPU time.
const MAX_SHARE: f64 = 0.02;
const ROUNDS: usize = 11;
const BROWSER: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                       Chrome/157.0.0.0 Safari/537.36";
const GPTBOT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; \
                      +https://openai.com/gptbot";

fn main() {
    let requests = std::env::var("BENCH_REQUESTS").ok().and_then(|text| text.parse().ok());
    let requests: usize = requests.unwrap_or(20_000);
    let counting = BenchServer::start(true);
    let plain = BenchServer::start(false);
    let mut shares = Vec::new();
    let mut answer_ns = f64::MAX;
    for (name, user_agent) in [("a browser", BROWSER), ("GPTBot", GPTBOT)] {
        let mut ratios = Vec::new();
        for round in 0..=ROUNDS {
            let without = plain.cpu_per_answer(user_agent, requests);
            let with = counting.cpu_per_answer(user_agent, requests);
            // The first round warms up.
            if round > 0 {
                ratios.push(with / without);
                answer_ns = answer_ns.min(without);
            }
        }
        ratios.sort_by(f64::total_cmp);
        println!(
            "{name}: with counting / without: median {:.3}, from {:.3} to {:.3}",
            ratios[ROUNDS / 2],
            ratios[0],
            ratios[ROUNDS - 1]
        );
        let alone = counting.cost_of_counting(user_agent);
        println!("{name}: counting alone {alone:.0} ns, a kept answer {answer_ns:.0} ns");
        shares.push(alone / answer_ns);
    }
    let path = "counting a request that names no agent";
    let (limit, percent) = ("a kept answer", shares[0] * 100.0);
    let goal = Goal::AtMost(MAX_SHARE * 100.0);
    Figure { path, limit, value: percent, unit: "%", goal }.report();
    println!("the same for an agent's request: {:.4}", shares[1]);
}

struct BenchServer {
    service: Arc<Service>,
    address: SocketAddr,
    /// The kernel's number of the thread that answers.
    thread: u64,
    _folder: tempfile::TempDir,
}

impl BenchServer {
    fn start(counts_agents: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (path, (sender, receiver)) = (folder.path().to_owned(), mpsc::channel());
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let service = Arc::new(build_service(&path));
                let (mark, marked) = proof::keys::LogMark::open(&path.join("keys")).unwrap();
                service.log.open(mark, marked).await.unwrap();
                let facts = service::log::builds::BuildFacts::default();
                service.builds.identify_running_build(facts).await.unwrap();
                service.builds.ensure_logged().await.unwrap();
                let options = WebOptions {
                    limits: RateLimits::none(),
                    counts_agents,
                    ..WebOptions::default()
                };
                let app = web::build_app(Arc::clone(&service), options);
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                sender.send((service, address, own_thread())).unwrap();
                serve(listener, app, ServerOptions::default(), std::future::pending()).await;
            });
        });
        let (service, address, thread) = receiver.recv().unwrap();
        Self { service, address, thread, _folder: folder }
    }

    /// CPU nanoseconds of the server's thread for one answer.
    fn cpu_per_answer(&self, user_agent: &str, requests: usize) -> f64 {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        let request = format!(
            "GET {KEPT} HTTP/1.1\r\nhost: svc.example\r\nuser-agent: {user_agent}\r\naccept: */*\r\n\r\n"
        );
        let mut buffer = vec![0; 256 * 1024];
        let length = response_length(&mut stream, request.as_bytes(), &mut buffer);
        let before = thread_cpu_ns(self.thread);
        for _ in 0..requests {
            stream.write_all(request.as_bytes()).unwrap();
            stream.read_exact(&mut buffer[..length]).unwrap();
        }
        (thread_cpu_ns(self.thread) - before) as f64 / requests as f64
    }

    fn cost_of_counting(&self, user_agent: &str) -> f64 {
        const TIMES: u32 = 300_000;
        let request = AnsweredRequest {
            user_agent: user_agent.as_bytes(),
            address: "9.9.9.9".parse().unwrap(),
            target: KEPT,
            is_conditional: false,
        };
        let mut best = f64::MAX;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            for _ in 0..TIMES {
                self.service.conduct.count(std::hint::black_box(&request));
            }
            best = best.min(begun.elapsed().as_secs_f64() * 1e9 / f64::from(TIMES));
        }
        best
    }
}

/// An answer about a name that does not exist is kept like any other.
const KEPT: &str = "/api/v1/resolve?domain=nowhere.example.com";

/// Sends a request until its response has the same length twice, and returns that length.
fn response_length(stream: &mut TcpStream, request: &[u8], buffer: &mut [u8]) -> usize {
    let mut last = 0;
    for _ in 0..20 {
        stream.write_all(request).unwrap();
        let mut got = 0;
        let total = loop {
            let read = stream.read(&mut buffer[got..]).unwrap();
            assert!(read > 0, "{}", String::from_utf8_lossy(&buffer[..got]));
            got += read;
            let text = String::from_utf8_lossy(&buffer[..got]).to_ascii_lowercase();
            let Some(head) = text.find("\r\n\r\n") else { continue };
            assert!(text.starts_with("http/1.1 200"), "{text}");
            let length = text.split("content-length: ").nth(1).unwrap();
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            if got >= head + 4 + length {
                break head + 4 + length;
            }
        };
        if total == last {
            return total;
        }
        last = total;
    }
    panic!("the response changes")
}

fn build_service(folder: &std::path::Path) -> Service {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let policy = Policy { resolver: nowhere, ..Policy::public() };
    let keys = folder.join("keys");
    Service::new(ServiceDependencies {
        settings: Settings::new("https://svc.example".to_owned()),
        door: Door::new(policy, Arc::clone(&clock)).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: Arc::new(SqliteStore::open(folder, SqliteOptions::default()).unwrap()),
        keys: proof::KeyStore::open(&keys, clock.now()).unwrap(),
        secret: proof::keys::DeploymentSecret::open(&keys).unwrap(),
        clock,
        ids: Arc::new(SystemIds),
    })
}

fn own_thread() -> u64 {
    let own = std::fs::read_link("/proc/thread-self").unwrap();
    own.file_name().unwrap().to_str().unwrap().parse().unwrap()
}

/// CPU nanoseconds of a thread of this process.
fn thread_cpu_ns(thread: u64) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}
