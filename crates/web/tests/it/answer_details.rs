//! Rights, claims, comparisons, clocks, census and observers, in a service without any reading.

use crate::app;

#[tokio::test]
async fn the_observer_directory_is_signed_and_stays_the_same_for_a_day() {
    let test_server = app::start().await;
    let reply = test_server.server.get("/.well-known/crawlcheck-observers.json", "").await;
    assert_eq!(reply.status, 200);
    let record = reply.json();
    assert_eq!(record["kind"], "svc-observers");
    // Values that the operator did not configure are null.
    assert!(
        record["operator"]["name"].is_null() && record["observers"][0]["network"]["asn"].is_null()
    );
    assert_eq!(record["prefixes"], serde_json::json!([]));
    assert!(record["verify"]["how"][0].as_str().unwrap().contains("does not publish"));
    assert_eq!(record["robots"]["product_token"], "Wayleave");
    let gptbot = record["identities"].as_array().unwrap().iter().find(|i| i["id"] == "gptbot");
    assert_eq!(gptbot.unwrap()["agent_imitated"], "GPTBot");
    assert!(record["signature"]["sig"].is_string());
    assert_eq!(reply.header("cache-control").unwrap(), "public, max-age=3600");
    assert!(reply.header("last-modified").unwrap().ends_with(" 00:00:00 GMT"));
    let same = format!("If-None-Match: {}\r\n", reply.header("etag").unwrap());
    let again = test_server.server.get("/.well-known/crawlcheck-observers.json", &same).await;
    assert_eq!(again.status, 304);
}

#[tokio::test]
async fn a_site_that_was_never_read_gets_answers_without_claims() {
    let test_server = app::start().await;
    let get = |path: &'static str| async { test_server.server.get(path, "").await };

    let rights = get("/api/v1/rights?domain=nobody.org&path=/a&agent=GPTBot").await.json();
    assert_eq!(
        (rights["kind"].as_str(), rights["observed"].as_bool()),
        (Some("svc-rights"), Some(false))
    );
    for what in ["train", "ground", "summarize", "cite", "transact"] {
        assert_eq!(rights[what]["value"], "unknown");
        assert!(rights[what]["decided_by"]["signal"].is_null());
    }

    let claims = get("/api/v1/claims?domain=nobody.org").await.json();
    assert_eq!(claims["observed"], false);
    assert_eq!(claims["start"], "https://svc.example/api/v1/resolve?domain=nobody.org");

    let equal = get("/api/v1/read-equivalence?url=https://nobody.org/").await;
    assert_eq!(equal.header("cache-control").unwrap(), "public, max-age=300");
    let equal = equal.json();
    assert_eq!(
        (equal["observed"].as_bool(), equal["verdict"].as_str()),
        (Some(false), Some("unmeasured"))
    );
    let page = get("/api/v1/read-equivalence?url=https://nobody.org/a?b=c").await.json();
    assert_eq!(page["url"], "https://nobody.org/a");
    assert!(page["why"].as_str().unwrap().contains("home page"));

    let clock = get("/api/v1/content-clock?url=https://nobody.org/%23x&start=0").await;
    assert_eq!(clock.header("cache-control").unwrap(), "no-store");
    let clock = clock.json();
    assert_eq!((clock["state"].as_str(), clock["clock"].is_null()), (Some("not_measured"), true));

    let census = get("/api/census/records").await;
    assert_eq!((census.status, census.json()["code"].as_str().unwrap()), (404, "not_found"));
}

#[tokio::test]
async fn a_clock_of_a_site_that_cannot_be_reached_is_started_and_pauses() {
    let test_server = app::start().await;
    let reply = test_server.server.get("/api/v1/content-clock?url=https://nobody.org/", "").await;
    assert_eq!(reply.header("cache-control").unwrap(), "no-store");
    let clock = reply.json();
    assert_eq!(
        (clock["state"].as_str(), clock["observed"].as_bool()),
        (Some("paused"), Some(false))
    );
    assert!(clock["why"].is_string() && clock["clock"]["checks"] == 0);
    assert_eq!(clock["clock"]["every_hours"], 12);
    // The clock is stored: the next request returns the same one.
    let again = test_server.server.get("/api/v1/content-clock?url=https://nobody.org/", "").await;
    assert_eq!(again.header("cache-control").unwrap(), "public, max-age=300");
    assert_eq!(again.json()["clock"]["started_at"], clock["clock"]["started_at"]);
    // A site has at most three clocks.
    for path in ["a", "b", "c"] {
        test_server
            .server
            .get(&format!("/api/v1/content-clock?url=https://nobody.org/{path}"), "")
            .await;
    }
    let over =
        test_server.server.get("/api/v1/content-clock?url=https://nobody.org/d", "").await.json();
    assert_eq!(over["state"], "refused");
    assert!(over["why"].as_str().unwrap().contains("The limit of clocks"));
}

#[tokio::test]
async fn invalid_parameters_are_refused() {
    let test_server = app::start().await;
    for (path, status, code) in [
        ("/api/v1/rights", 400, "bad_request"),
        ("/api/v1/rights?domain=localhost", 400, "bad_domain"),
        ("/api/v1/rights?domain=kept.com&path=a", 400, "bad_request"),
        ("/api/v1/rights?domain=kept.com&agent=a%20b", 400, "bad_request"),
        ("/api/v1/rights?domain=kept.com&form=1", 400, "unknown_field"),
        ("/api/v1/claims?domain=kept.com&as_of=yesterday", 400, "bad_request"),
        ("/api/v1/read-equivalence", 400, "bad_request"),
        ("/api/v1/read-equivalence?url=ftp://kept.com/", 400, "bad_url"),
        ("/api/v1/read-equivalence?url=https://u:p@kept.com/", 400, "bad_url"),
        ("/api/v1/read-equivalence?url=https://127.0.0.1/", 400, "target_not_public"),
        ("/api/v1/content-clock?url=https://localhost/", 400, "target_not_public"),
        ("/api/v1/content-clock?url=https://kept.com/&start=yes", 400, "bad_request"),
        ("/api/v1/content-clock?url=https://kept.com/&versions=101", 400, "bad_request"),
        ("/api/census/records?run=7", 404, "not_found"),
        ("/api/census/records?run=-1", 400, "bad_request"),
        ("/api/census/records?cursor=x", 400, "bad_request"),
        ("/api/census/records?decision=read", 400, "bad_request"),
        ("/api/census/records?limit=1001", 400, "bad_request"),
        ("/api/census/records?format=csv", 400, "bad_request"),
        ("/.well-known/crawlcheck-observers.json?x=1", 400, "unknown_field"),
    ] {
        let reply = test_server.server.get(path, "").await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (status, Some(code)), "{path}");
    }
}
