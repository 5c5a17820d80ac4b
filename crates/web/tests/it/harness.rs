//! A server with a few test routes, and a client that sends exactly the given bytes.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    routing::{get, post},
};
use contract::{Brand, Issuer};
use serde::Deserialize;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Notify, oneshot},
    task::JoinHandle,
};
use web::{
    ApiError, ClientAddress, ServeReport, ServerOptions, StrictJson, WebOptions, middleware, serve,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    domain: String,
}

/// A running server. If it is dropped, its task runs until the runtime ends.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// Releases every request to `/held`.
    pub(crate) release: Arc<Notify>,
    /// Notified when a request has arrived at `/held`.
    pub(crate) arrived: Arc<Notify>,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<ServeReport>>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(ServerOptions::default(), WebOptions::default()).await
    }

    pub(crate) async fn with(options: ServerOptions, web: WebOptions) -> Self {
        let (release, arrived) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let app = toy_routes(Arc::clone(&release), Arc::clone(&arrived));
        let app = middleware::with_middleware(
            app,
            web,
            Issuer::new(Brand::default(), "https://svc.example"),
        );
        Self { release, arrived, ..Self::of(app, options).await }
    }

    /// A server for any router.
    pub(crate) async fn of(app: impl Into<web::App>, options: ServerOptions) -> Self {
        let (release, arrived) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let app = app.into();
        let task = tokio::spawn(serve(listener, app, options, async {
            let _ = stopped.await;
        }));
        Self { address, release, arrived, stop: Some(stop), task: Some(task) }
    }

    pub(crate) async fn dial(&self) -> Client {
        Client { stream: TcpStream::connect(self.address).await.unwrap(), spare: Vec::new() }
    }

    /// One request on its own connection.
    pub(crate) async fn ask(&self, request: &str) -> Reply {
        let mut client = self.dial().await;
        client.send(request.as_bytes()).await;
        client.reply().await.expect("an answer")
    }

    pub(crate) async fn get(&self, path: &str, headers: &str) -> Reply {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n")).await
    }

    /// Everything until the server closes the connection, with the head: for a body of unknown length.
    pub(crate) async fn get_stream(&self, path: &str) -> String {
        let mut client = self.dial().await;
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        client.send(request.as_bytes()).await;
        let mut bytes = Vec::new();
        let all = client.stream.read_to_end(&mut bytes);
        tokio::time::timeout(Duration::from_secs(20), all)
            .await
            .expect("the stream to end")
            .unwrap();
        String::from_utf8(bytes).unwrap()
    }

    pub(crate) async fn post_json(&self, body: impl AsRef<[u8]>) -> Reply {
        self.post("Content-Type: application/json\r\n", body).await
    }

    pub(crate) async fn post(&self, headers: &str, body: impl AsRef<[u8]>) -> Reply {
        self.post_to("/ask", headers, body).await
    }

    pub(crate) async fn post_to(&self, path: &str, headers: &str, body: impl AsRef<[u8]>) -> Reply {
        let body = body.as_ref();
        let mut client = self.dial().await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n",
            body.len()
        );
        client.send(head.as_bytes()).await;
        client.send(body).await;
        client.reply().await.expect("an answer")
    }

    pub(crate) fn begin_stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub(crate) async fn report(mut self) -> ServeReport {
        self.task.take().unwrap().await.unwrap()
    }
}

fn toy_routes(release: Arc<Notify>, arrived: Arc<Notify>) -> Router {
    let held = async move || {
        let wait = release.notified();
        arrived.notify_one();
        wait.await;
        "released"
    };
    Router::new()
        .route("/", get(async || "hello"))
        .route("/healthz", get(async || "ok"))
        .route("/metrics", get(async || "none"))
        .route("/items/{id}", get(async || "item"))
        .route("/held", get(held))
        .route("/who", get(async |who: ClientAddress| who.0.to_string()))
        .route("/fault", get(async || Err::<(), _>(ApiError::internal("the secret cause"))))
        .route("/panic", get(panics))
        .route("/large", get(async || "x".repeat(64 * 1_024 * 1_024)))
        .route("/ask", post(async |StrictJson(ask): StrictJson<Ask>| ask.domain.len().to_string()))
}

async fn panics() -> &'static str {
    panic!("a planted fault")
}

/// A raw connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    /// Bytes received that are not yet part of a reply.
    spare: Vec<u8>,
}

impl Client {
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        // The server may close the connection before it has read everything.
        let _ = self.stream.write_all(bytes).await;
    }

    /// The next complete response, or `None` if the connection ends without one.
    pub(crate) async fn reply(&mut self) -> Option<Reply> {
        tokio::time::timeout(Duration::from_secs(30), self.read_reply()).await.expect("in time")
    }

    async fn read_reply(&mut self) -> Option<Reply> {
        loop {
            if let Some(reply) = self.take_reply() {
                return Some(reply);
            }
            let mut buffer = [0; 16_384];
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.spare.extend_from_slice(&buffer[..count]),
            }
        }
    }

    fn take_reply(&mut self) -> Option<Reply> {
        let end = self.spare.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8(self.spare[..end].to_vec()).unwrap();
        let length = header(&head, "content-length").map_or(0, |text| text.parse().unwrap());
        let whole = end + 4 + length;
        if self.spare.len() < whole {
            return None;
        }
        let body = self.spare[end + 4..whole].to_vec();
        self.spare.drain(..whole);
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Some(Reply { status, head, body })
    }

    /// Time until the server closes the connection. Bytes received meanwhile are dropped.
    pub(crate) async fn closed_after(&mut self) -> Duration {
        let begun = std::time::Instant::now();
        let mut buffer = [0; 4_096];
        let end = async { while let Ok(1..) = self.stream.read(&mut buffer).await {} };
        tokio::time::timeout(Duration::from_secs(20), end).await.expect("the server to hang up");
        begun.elapsed()
    }
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap().to_owned()
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}
