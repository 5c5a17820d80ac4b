//! The first answers after a start name the build that signed them.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::{demo_command_at, start, stop_in_order};
use crate::lab_server::run_all;

/// Asks until the server answers: a connection that comes too early is refused.
fn first_answer(address: &str, name: &str) -> Value {
    let url = format!("http://{address}/api/v1/resolve?domain={name}.lab");
    for _ in 0..2_000 {
        let done =
            std::process::Command::new("curl").args(["-sS", "-m", "20", &url]).output().unwrap();
        if done.status.success() {
            return serde_json::from_slice(&done.stdout).unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{address} never answered");
}

#[test]
fn the_first_answers_name_their_build() {
    let numbers: Vec<u32> = (0..8).collect();
    let start_and_ask = || {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let mut command = demo_command_at(&free, Stdio::null());
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| {
                run_all(&numbers, 8, |number| first_answer(&free, &format!("first-{number}")))
            });
            (start(&mut command), asking.join().unwrap())
        })
    };
    // Another program may get the port first: then once more, with another port.
    let first = std::panic::catch_unwind(start_and_ask);
    let (mut server, answers) = first.unwrap_or_else(|_| start_and_ask());
    for answer in &answers {
        let code = &answer["code"];
        // `attested` needs a release build of a clean checkout.
        assert!(["declared", "attested"].contains(&code["state"].as_str().unwrap_or("")), "{code}");
        assert_eq!(code["version_id"].as_str().map(str::len), Some(64), "{code}");
        assert!(code["build_log_entry"].is_u64(), "{code}");
    }
    stop_in_order(&mut server);
}
