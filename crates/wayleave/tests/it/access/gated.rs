//! What only licence holders see looks to everybody else like an address that does not exist.

use std::time::{Duration, Instant};

use super::{Setup, comparable, key_header};

const GATED: [&str; 2] = ["/api/v1/usage", "/api/v1/census/export"];
const UNKNOWN: &str = "/api/v1/usagf";

#[test]
fn without_a_valid_key_a_gated_address_is_an_unknown_one() {
    let setup = Setup::new(&[]);
    let (server, good) = (&setup.server, setup.key("free"));
    let long = "a".repeat(10_000);
    let other_brand = format!("x-other-key: {good}\r\n");
    let wrong = [
        String::new(),
        key_header("wl_nonsense"),
        key_header(&format!("wl_{}", "a".repeat(43))),
        key_header(&good[..45]),
        key_header(&long),
        other_brand,
        "authorization: Basic eDp5\r\n".to_owned(),
        "cookie: svc_session=x\r\n".to_owned(),
        format!("cookie: svc_session={}\r\n", "a".repeat(43)),
        format!("{}authorization: Bearer wl_x\r\n", key_header(&good)),
    ];
    for path in GATED {
        for headers in &wrong {
            for accept in ["", "accept: application/problem+json\r\n", "accept: text/html\r\n"] {
                let headers = format!("{headers}{accept}x-request-id: the-same\r\n");
                let (gated, unknown) =
                    (server.get_with(path, &headers), server.get_with(UNKNOWN, &headers));
                assert_eq!(comparable(&gated), comparable(&unknown), "{path} {headers:.80}");
                assert_eq!(gated.status, 404);
            }
        }
    }
    assert_eq!(server.get_with(GATED[0], &key_header(&good)).status, 200);
    // A plan without census files says so; one with them has no census here.
    assert_eq!(server.get_with(GATED[1], &key_header(&good)).status, 403);
    let standard = setup.key("standard");
    let none = server.get_with(GATED[1], &key_header(&standard));
    assert_eq!(none.status, 404);
    assert!(none.text().contains("no census run"), "{}", none.text());
}

/// The times of both are of one class: neither is slower than the other by more than what varies by itself.
#[test]
fn the_time_of_a_refusal_tells_nothing() {
    let setup = Setup::new(&[]);
    let unknown_key = key_header(&format!("wl_{}", "b".repeat(43)));
    let median = |path: &str| {
        let mut times: Vec<Duration> = (0..60)
            .map(|_| {
                let started = Instant::now();
                assert_eq!(setup.server.get_with(path, &unknown_key).status, 404);
                started.elapsed()
            })
            .collect();
        times.sort_unstable();
        times[30]
    };
    median(UNKNOWN);
    for path in GATED {
        // Measured in turns, and the best of several, because other tests run beside this one.
        let ratio = (0..5)
            .map(|_| median(path).as_secs_f64() / median(UNKNOWN).as_secs_f64())
            .map(|ratio| (ratio.ln().abs(), ratio))
            .min_by(|one, two| one.0.total_cmp(&two.0))
            .unwrap();
        assert!(ratio.0 < 0.3, "{path}: {ratio:?}");
    }
}
