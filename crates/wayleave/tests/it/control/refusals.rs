//! Names that cannot be claimed, and requests that are not in order.

use super::*;

#[test]
fn names_that_nobody_controls_are_refused_everywhere() {
    let server = Server::shared();
    for name in ["com", "co.uk", "127.0.0.1", "[::1]", "localhost", "a..lab", "xn--", "%20", "-"] {
        for path in
            [format!("/registry/{name}/claim"), format!("/api/v1/domain/control?domain={name}")]
        {
            let reply = server.get_with(&path, "accept: application/json\r\n");
            assert_eq!((reply.status, reply.error_code().as_str()), (400, "bad_domain"), "{path}");
        }
        let begin =
            server.post_with(&format!("/registry/{name}/claim"), "", r#"{"method":"dns_txt"}"#);
        assert_eq!(begin.status, 400, "{name}");
    }
    // The www form is the same name.
    let offer =
        server.get_with("/registry/www.open.lab/claim", "accept: application/json\r\n").json();
    assert_eq!(offer["domain"], "open.lab");
}

#[test]
fn claims_that_are_not_in_order_are_refused_and_store_nothing() {
    let demo = Demo::start();
    let server = demo.server();
    for (body, status) in [
        ("{}", 400),
        (r#"{"method":"phone"}"#, 400),
        (r#"{"method":"dns_txt","contact":"x"}"#, 400),
        ("x", 400),
    ] {
        let reply = server.post_with("/registry/yours.lab/claim", "", body);
        assert_eq!(reply.status, status, "{body}: {}", reply.text());
    }
    let claim = Challenge::begin(&demo, "yours.lab", "dns_txt");
    let path = "/registry/yours.lab/claim/verify";
    let id = json!({ "claim_id": claim.id }).to_string();
    for (headers, body, status) in [
        ("".to_owned(), id.clone(), 401),
        (
            "authorization: Bearer wl_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".to_owned(),
            id.clone(),
            401,
        ),
        (claim.bearer(), json!({ "claim_id": "x" }).to_string(), 401),
        (claim.bearer(), json!({ "claim_id": format!("{}x", claim.id) }).to_string(), 401),
        (claim.bearer(), json!({ "claim_id": claim.id, "organization": "" }).to_string(), 400),
    ] {
        let reply = server.post_with(path, &headers, &body);
        assert_eq!(reply.status, status, "{body}: {}", reply.text());
    }
    // A claim of one domain proves nothing for another, although its token is published there.
    demo.lab(&["publish", "open.lab", "--txt", &claim.paste]).expect(0);
    let other = server.post_with("/registry/open.lab/claim/verify", &claim.bearer(), &id);
    assert_eq!(other.status, 401);
    // A token ends after 30 days.
    claim.publish(&demo);
    demo.lab(&["clock", "+31d"]).expect(0);
    let late = claim.verify(&demo);
    assert_eq!((late.status, late.error_code().as_str()), (409, "conflict"), "{}", late.text());
    let list = demo.operate(&["control", "list", "--json"]).expect(0).json();
    assert_eq!(list, json!([]));
}

#[test]
fn a_claimant_has_so_many_checks_a_day() {
    let demo = Demo::start_with(&["--targets-enabled", "false"]);
    let claim = Challenge::begin(&demo, "yours.lab", "dns_txt");
    for number in (0..20).rev() {
        let missing = claim.verify(&demo);
        assert_eq!(missing.status, 409, "{number}: {}", missing.text());
        assert!(missing.text().contains(&format!("{number} more times")), "{}", missing.text());
    }
    let refused = claim.verify(&demo);
    assert_eq!((refused.status, refused.error_code().as_str()), (429, "rate_limited"));
    assert!(refused.header("retry-after").is_some());
    // Another domain is not affected.
    assert_eq!(Challenge::begin(&demo, "open.lab", "dns_txt").verify(&demo).status, 409);
}
