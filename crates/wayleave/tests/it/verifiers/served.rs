//! The verifier that a service serves, run as its answers say.

use std::process::Stdio;

use crate::server::Server;
use crate::tools;

#[test]
fn the_served_verifier_accepts_the_answers_of_its_own_brand() {
    let Some(_) = tools::node() else { return };
    let server = Server::start_demo(&["--server-brand", "acme"]);
    let folder = tempfile::tempdir().unwrap();
    let answer = server.get("/api/v1/resolve?domain=open.lab");
    assert_eq!(answer.json()["kind"], "acme-resolve", "{}", answer.text());
    let keys = server.get("/.well-known/http-message-signatures-directory").body;
    let verifier = server.get("/crawlcheck-verify.mjs").body;
    for (name, bytes) in
        [("answer.json", answer.body), ("keys.json", keys), ("crawlcheck-verify.mjs", verifier)]
    {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let run = |more: &[&str]| {
        let arguments = ["crawlcheck-verify.mjs", "answer.json", "--keys", "keys.json"];
        let mut node = tools::node().unwrap();
        node.current_dir(folder.path()).args(arguments).args(more).stdin(Stdio::null());
        node.output().unwrap()
    };
    let accepted = run(&[]);
    let text = String::from_utf8_lossy(&accepted.stdout).into_owned();
    assert!(accepted.status.success(), "{text} {}", String::from_utf8_lossy(&accepted.stderr));
    // Another brand is another service.
    assert!(!run(&["--brand", "svc"]).status.success());
}
