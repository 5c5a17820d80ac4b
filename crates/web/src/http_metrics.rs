//! The metrics of the HTTP side: counts and durations, never who sent a request or about what.
//!
//! Labels come from closed sets (matched route, known method, class of status), so that a client
//! cannot create new time series.

use std::{sync::OnceLock, time::Duration};

use http::{Method, StatusCode};
use metrics::{
    Counter, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

const REQUESTS: &str = "http_requests_total";
const SECONDS: &str = "http_request_duration_seconds";
const IN_FLIGHT: &str = "http_requests_in_flight";
const SHED: &str = "http_requests_shed_total";
const PANICS: &str = "http_handler_panics_total";
const CONNECTIONS: &str = "http_connections_open";
const REFUSED: &str = "http_connections_refused_total";
const HANDSHAKES: &str = "http_tls_handshakes_total";

const BUCKETS: [f64; 12] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// Every metric, also those that are counted elsewhere, with the text of its HELP line.
const DESCRIPTIONS: &[(MetricKind, &str, &str)] = &[
    // Counted here.
    (MetricKind::Counter, REQUESTS, "Requests answered, by route, method and class of status."),
    (
        MetricKind::Histogram,
        SECONDS,
        "Time from receiving the request head to sending the response head.",
    ),
    (MetricKind::Gauge, IN_FLIGHT, "Requests being answered now."),
    (MetricKind::Counter, SHED, "Requests answered with 503 because too many were in flight."),
    (MetricKind::Counter, PANICS, "Handlers that panicked; each was answered with 500."),
    (MetricKind::Gauge, CONNECTIONS, "Connections open now."),
    (MetricKind::Counter, REFUSED, "Connections answered with 503 because all others were busy."),
    (
        MetricKind::Counter,
        HANDSHAKES,
        "TLS handshakes of clients, by result: completed, failed, timed_out, plain_http.",
    ),
    (
        MetricKind::Gauge,
        "wayleave_agent_feeds",
        "Lists of agents' addresses, by the state of our copy. Old and never fetched ones make visitors \
         unverifiable.",
    ),
    (
        MetricKind::Gauge,
        "wayleave_agent_feeds_oldest_seconds",
        "Age of the oldest copy of a list of agents' addresses.",
    ),
    // Counted by the door and the service.
    (
        MetricKind::Gauge,
        "wayleave_target_connections",
        "Connections open to the sites of others now.",
    ),
    (
        MetricKind::Gauge,
        "wayleave_targets_tracked",
        "Addresses and networks whose connections and reads are counted; at most 65536.",
    ),
    (
        MetricKind::Gauge,
        "wayleave_target_domains_tracked",
        "Registrable domains whose readings are counted; at most 65536.",
    ),
    (
        MetricKind::Counter,
        "wayleave_target_refusals_total",
        "Readings and requests that were not made because of a limit on their target, by limit.",
    ),
    (
        MetricKind::Counter,
        "wayleave_registry_reads_total",
        "Reads of registries, by result: `read`, `not_found`, `refused`, `failed`, or `limited` if the limit of the \
         registry was reached.",
    ),
    (MetricKind::Gauge, "wayleave_scan_queue_length", "Full scans in the queue."),
    (
        MetricKind::Counter,
        "wayleave_scan_queue_refused_total",
        "Full scans that were not queued because the queue, or the client's part of it, was full.",
    ),
    (
        MetricKind::Histogram,
        "wayleave_scan_queue_wait_seconds",
        "Time from when a queued scan was due to its start.",
    ),
    // Counted by the log.
    (MetricKind::Counter, "log_submissions_total", "Entries submitted to the log."),
    (
        MetricKind::Histogram,
        "log_batch_seconds",
        "Time to sign, store and acknowledge a batch of entries.",
    ),
    (MetricKind::Counter, "log_cosignatures_total", "Cosignatures received from witnesses."),
    (MetricKind::Counter, "log_witness_failures_total", "Requests to witnesses that failed."),
    (
        MetricKind::Gauge,
        "log_contradictions_decided",
        "Contradicting heads in spite of which an operator decided to continue.",
    ),
    (
        MetricKind::Counter,
        "log_gossip_heads_total",
        "Signed log heads received through gossip, by result.",
    ),
    (
        MetricKind::Counter,
        "log_contradicting_heads_total",
        "Received heads that carry our signature but contradict our log: an incident.",
    ),
    // Counted by the service.
    (MetricKind::Counter, "wayleave_scans_total", "Scans requested, by outcome."),
    (
        MetricKind::Counter,
        "wayleave_mcp_rules_applied_total",
        "Times that the MCP rules were applied to the lists of a server.",
    ),
    (
        MetricKind::Counter,
        "wayleave_mails_total",
        "Mails about free keys, by result: sent, failed (each attempt), withheld (the mailbox had its mail of the day).",
    ),
    (MetricKind::Counter, "wayleave_answers_total", "Answers served, by where they came from."),
    (MetricKind::Gauge, "wayleave_store_bytes", "Size of the stored data, by part."),
    (
        MetricKind::Counter,
        "wayleave_store_pruned_total",
        "Records removed after their retention, by part.",
    ),
    (MetricKind::Gauge, "wayleave_cache_bytes", "Memory that a cache takes, by cache."),
    (MetricKind::Gauge, "wayleave_cache_max_bytes", "The bound of that memory, by cache."),
    (MetricKind::Gauge, "wayleave_cache_entries", "Entries of a cache, by cache."),
    (
        MetricKind::Counter,
        "wayleave_control_checks_total",
        "Reads of proofs of control, by result: found, not_found, unreadable.",
    ),
    (
        MetricKind::Gauge,
        "wayleave_control_checks_due",
        "Claims of control whose check is due, at most those of one turn.",
    ),
    (
        MetricKind::Counter,
        "wayleave_engine_calls_total",
        "Questions to AI engines, by engine and result: answered, or why not.",
    ),
    (
        MetricKind::Counter,
        "wayleave_engine_tokens_total",
        "Tokens that AI engines counted, by engine; the most that a question can cost where they did not.",
    ),
    (
        MetricKind::Counter,
        "wayleave_webhook_deliveries_total",
        "Tries to deliver an event to a webhook, by result: delivered, failed (tried again), dead (given up).",
    ),
    (
        MetricKind::Gauge,
        "wayleave_webhook_deliveries_waiting",
        "Events that wait to be delivered to a webhook.",
    ),
    // Counted by the program.
    (
        MetricKind::Counter,
        "wayleave_log_lines_lost_total",
        "Log lines that could not be written, by reason.",
    ),
    (
        MetricKind::Gauge,
        "wayleave_tls_certificate_seconds_left",
        "Seconds until the TLS certificate in use ends; negative once it has expired.",
    ),
    (
        MetricKind::Counter,
        "wayleave_reloads_total",
        "Reloads of the configuration and of the TLS files, by result: applied, unchanged, refused.",
    ),
];

#[derive(Debug, Clone, Copy)]
enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

/// How often [`run_upkeep`] must be called.
pub(crate) const UPKEEP_EVERY: Duration = Duration::from_secs(1);

/// One recorder per process, because the `metrics` facade allows one. Written once, by
/// [`install_recorder`].
static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();

/// Installs the recorder. Calling it again does nothing.
pub(crate) fn install_recorder() {
    HANDLE.get_or_init(|| {
        let builder = PrometheusBuilder::new();
        // Fails only for an empty list; the recorder then keeps summaries instead of buckets.
        let builder = builder.set_buckets(&BUCKETS).unwrap_or_else(|_| PrometheusBuilder::new());
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("another metrics recorder is installed; /metrics stays empty");
        }
        describe_metrics();
        handle
    });
}

fn describe_metrics() {
    for &(kind, name, help) in DESCRIPTIONS {
        match kind {
            MetricKind::Counter => describe_counter!(name, help),
            MetricKind::Gauge => describe_gauge!(name, help),
            MetricKind::Histogram => describe_histogram!(name, help),
        }
    }
}

/// The metrics in Prometheus' text format.
pub(crate) fn render() -> String {
    HANDLE.get().map(PrometheusHandle::render).unwrap_or_default()
}

/// Moves recorded durations into their buckets; without it they pile up between scrapes.
pub(crate) fn run_upkeep() {
    if let Some(handle) = HANDLE.get() {
        handle.run_upkeep();
    }
}

pub(crate) fn set_open_connections(open: usize) {
    gauge!(CONNECTIONS).set(open as f64);
}

pub(crate) fn count_refused_connection() {
    counter!(REFUSED).increment(1);
}

/// How a client's TLS handshake ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandshakeResult {
    Completed,
    Failed,
    TimedOut,
    /// It was none: the client spoke plain HTTP.
    PlainHttp,
}

pub(crate) fn count_handshake(result: HandshakeResult) {
    let result = match result {
        HandshakeResult::Completed => "completed",
        HandshakeResult::Failed => "failed",
        HandshakeResult::TimedOut => "timed_out",
        HandshakeResult::PlainHttp => "plain_http",
    };
    counter!(HANDSHAKES, "result" => result).increment(1);
}

pub(crate) fn count_shed_request() {
    counter!(SHED).increment(1);
}

pub(crate) fn count_panic() {
    counter!(PANICS).increment(1);
}

pub(crate) fn record_response(route: &str, method: &Method, status: StatusCode, took: Duration) {
    let labels = [
        ("route", route.to_owned()),
        ("method", method_label(method).to_owned()),
        ("status", status_class(status).to_owned()),
    ];
    counter!(REQUESTS, &labels).increment(1);
    histogram!(SECONDS, "route" => route.to_owned()).record(took);
}

/// The metrics of one route's successful GET requests, looked up once.
#[derive(Clone)]
pub(crate) struct RouteMetrics {
    answered: Counter,
    seconds: Histogram,
}

impl RouteMetrics {
    /// Call after [`install_recorder`].
    pub(crate) fn for_route(route: &'static str) -> Self {
        let (method, status) = (method_label(&Method::GET), status_class(StatusCode::OK));
        Self {
            answered: counter!(REQUESTS, "route" => route, "method" => method, "status" => status),
            seconds: histogram!(SECONDS, "route" => route),
        }
    }

    /// Counts one successful GET.
    pub(crate) fn record_success(&self, took: Duration) {
        self.answered.increment(1);
        self.seconds.record(took);
    }
}

impl std::fmt::Debug for RouteMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RouteMetrics").finish_non_exhaustive()
    }
}

/// Counts a request as in flight until dropped.
#[derive(Debug)]
pub(crate) struct InFlightGuard(());

impl InFlightGuard {
    pub(crate) fn begin() -> Self {
        gauge!(IN_FLIGHT).increment(1.0);
        Self(())
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        gauge!(IN_FLIGHT).decrement(1.0);
    }
}

fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

fn status_class(status: StatusCode) -> &'static str {
    match status.as_u16() {
        100..=199 => "1xx",
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => "5xx",
    }
}
