//! What the log and the metrics say about a request, and what they must not say.

use std::{
    io::{self, Write},
    sync::{Mutex, MutexGuard},
};

use axum::{body::Body, routing::get};
use http::Request;
use tower::ServiceExt;

use contract::Brand;

use super::*;
use crate::http_metrics;

fn toy() -> Router {
    let router = Router::new()
        .route("/things/{id}", get(async || "thing"))
        .route("/fault", get(async || Err::<(), _>(ApiError::internal("the disk is full"))));
    let issuer = Issuer::new(Brand::default(), "https://svc.example");
    with_middleware(router, WebOptions::default(), issuer)
}

fn request(address: &str, id: &str) -> Request<Body> {
    Request::builder()
        .uri(address)
        .header("x-request-id", id)
        .header("user-agent", "secret-agent")
        .header("authorization", "Bearer secret-key")
        .header("x-forwarded-for", "198.51.100.77")
        .body(Body::from("secret-body"))
        .unwrap()
}

#[derive(Default, Clone)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn inner(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn one_log_line_per_request_without_anything_about_the_client() {
    // For the whole process: a subscriber of one thread misses call sites that another thread
    // reached first.
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    for address in ["/things/secret-id?q=secret-query", "/secret-path", "/fault"] {
        toy().oneshot(request(address, "logged")).await.unwrap();
    }

    let text = String::from_utf8(log.inner().clone()).unwrap();
    let text: Vec<&str> = text.lines().filter(|line| line.contains("\"logged\"")).collect();
    let text = text.join("\n");
    assert!(!text.contains("secret") && !text.contains("198.51.100.77"), "{text}");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{text}");
    for (line, route, status) in [
        (&lines[0], "/things/{id}", 200),
        (&lines[1], "unmatched", 404),
        (&lines[2], "/fault", 500),
    ] {
        let fields = &line["fields"];
        assert_eq!(
            (fields["route"].as_str(), fields["status"].as_u64()),
            (Some(route), Some(status))
        );
        assert_eq!(fields["id"], "logged");
        assert_eq!(fields["method"], "GET");
        assert!(fields["ms"].is_u64());
    }
    assert_eq!(lines[2]["fields"]["cause"], "the disk is full");
    assert_eq!(lines[2]["level"], "WARN");
}

#[tokio::test]
async fn metrics_have_routes_and_not_paths() {
    toy().oneshot(request("/things/secret-id?q=secret-query", "counted")).await.unwrap();
    toy().oneshot(request("/secret-path", "counted")).await.unwrap();
    let odd = Request::builder().method("SECRET").uri("/things/1").body(Body::empty()).unwrap();
    assert_eq!(toy().oneshot(odd).await.unwrap().status(), 405);
    let text = http_metrics::render();
    assert!(!text.to_lowercase().contains("secret"), "{text}");
    for line in [
        "http_requests_total{route=\"/things/{id}\",method=\"GET\",status=\"2xx\"}",
        "http_requests_total{route=\"unmatched\",method=\"GET\",status=\"4xx\"}",
        "http_requests_total{route=\"/things/{id}\",method=\"other\",status=\"4xx\"}",
        "http_request_duration_seconds_bucket{route=\"/things/{id}\",le=\"0.001\"}",
        "http_requests_in_flight",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}
