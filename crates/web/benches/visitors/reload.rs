//! How much requests wait while new address lists are loaded.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::{BenchServer, CHECK, put_feeds};

const REQUESTS: usize = 4_000;
/// One in so many requests may be slower, for reasons of the machine.
const IGNORED_SHARE: usize = 1_000;

/// The slowest requests, in milliseconds: without and with lists that are loaded all the time.
pub(crate) async fn measure(server: &BenchServer) -> (f64, f64) {
    let quiet = slowest(server).await;
    let stop = Arc::new(AtomicBool::new(false));
    let (service, store, stopped) =
        (Arc::clone(&server.service), Arc::clone(&server.store), Arc::clone(&stop));
    let reloading = tokio::spawn(async move {
        let mut reloads = 0;
        while !stopped.load(Ordering::Relaxed) {
            reloads += 1;
            put_feeds(&service, &store, reloads).await;
            service.visitors.load_feeds().await.unwrap();
        }
        reloads
    });
    let busy = slowest(server).await;
    stop.store(true, Ordering::Relaxed);
    println!("{} reloads of 40,000 prefixes", reloading.await.unwrap());
    (quiet, busy)
}

async fn slowest(server: &BenchServer) -> f64 {
    let requests = server.single_requests(CHECK);
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut times: Vec<f64> = Vec::with_capacity(REQUESTS);
    for request in requests.iter().cycle().take(REQUESTS) {
        let begun = Instant::now();
        let text = format!("{request} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(text.as_bytes()).await.unwrap();
        read_response(&mut stream).await;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        tokio::time::sleep(Duration::from_micros(500)).await;
    }
    times.sort_by(f64::total_cmp);
    times[REQUESTS - 1 - REQUESTS / IGNORED_SHARE]
}

async fn read_response(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    let mut part = [0_u8; 8_192];
    loop {
        let count = stream.read(&mut part).await.unwrap();
        assert!(count > 0, "the server closed the connection");
        bytes.extend_from_slice(&part[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200"), "{head}");
        let length = head.split("content-length: ").nth(1).unwrap();
        let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
        if bytes.len() >= end + 4 + length {
            return;
        }
    }
}
