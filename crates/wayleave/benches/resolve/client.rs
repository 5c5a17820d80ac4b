//! A minimal HTTP client: one request per connection, no HTTP library.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Semaphore;

/// Time limit for one request.
const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) struct TimedReply {
    /// 0 if there was no response.
    pub(crate) status: u16,
    pub(crate) took: Duration,
}

pub(crate) async fn get(address: SocketAddr, path: &str) -> TimedReply {
    let begun = Instant::now();
    let answer = tokio::time::timeout(TIMEOUT, exchange(address, path)).await;
    let status = match answer {
        Ok(Ok(bytes)) => status(&bytes),
        _ => 0,
    };
    TimedReply { status, took: begun.elapsed() }
}

/// Like [`get`], from this address of ours.
pub(crate) async fn get_from(address: SocketAddr, source: IpAddr, path: &str) -> TimedReply {
    let begun = Instant::now();
    let exchange = async {
        let mut stream = connect_from(address, source).await?;
        stream.write_all(request(path).as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        std::io::Result::Ok(answer)
    };
    let status = match tokio::time::timeout(TIMEOUT, exchange).await {
        Ok(Ok(bytes)) => status(&bytes),
        _ => 0,
    };
    TimedReply { status, took: begun.elapsed() }
}

pub(crate) async fn connect_from(
    address: SocketAddr,
    source: IpAddr,
) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(source, 0))?;
    socket.connect(address).await
}

/// Scans a domain and returns the id of its report.
pub(crate) async fn scan(address: SocketAddr, domain: &str) -> String {
    let body = format!("{{\"domain\":\"{domain}\"}}");
    let head = format!(
        "POST /api/scan HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let start = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let record: serde_json::Value = serde_json::from_slice(&answer[start..]).unwrap();
    record["id"].as_str().unwrap().to_owned()
}

async fn exchange(address: SocketAddr, path: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request(path).as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
}

pub(crate) fn status(answer: &[u8]) -> u16 {
    let line = answer.get(9..12).unwrap_or_default();
    std::str::from_utf8(line).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Status, media type and body of one response.
pub(crate) fn get_blocking(address: SocketAddr, path: &str) -> (u16, String, Vec<u8>) {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(request(path).as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let media_type = head
        .lines()
        .find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-type").then(|| value.trim().to_owned())
        })
        .unwrap_or_default();
    (status(&answer), media_type, answer[end + 4..].to_vec())
}

/// Requests every path once, `at_once` at a time.
pub(crate) async fn get_all(
    address: SocketAddr,
    paths: Vec<String>,
    at_once: usize,
) -> Vec<TimedReply> {
    let permits = Arc::new(Semaphore::new(at_once));
    let asks: Vec<_> = paths
        .into_iter()
        .map(|path| {
            let permits = Arc::clone(&permits);
            tokio::spawn(async move {
                let _permit = permits.acquire_owned().await.unwrap();
                get(address, &path).await
            })
        })
        .collect();
    let mut all = Vec::new();
    for ask in asks {
        all.push(ask.await.unwrap());
    }
    all
}
