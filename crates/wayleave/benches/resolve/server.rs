//! The `wayleave` binary, configured for the lab.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};

use lab::Lab;

use crate::machine;

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    child: Child,
}

impl Server {
    /// Starts it with the store in `folder`, pinned to `core` if given.
    pub(crate) fn start(lab: &Lab, folder: &Path, core: Option<usize>) -> Self {
        Self::start_with_limits(lab, folder, core, false)
    }

    /// The same with or without the limits per address.
    pub(crate) fn start_with_limits(
        lab: &Lab,
        folder: &Path,
        core: Option<usize>,
        limits: bool,
    ) -> Self {
        let authority = folder.join("lab-ca.pem");
        std::fs::write(&authority, &lab.network().ca_pem).unwrap();
        let configuration = format!(
            "[server]\nlisten = \"127.0.0.1:0\"\nmax_connections = 4096\nmax_requests = 4096\n\n\
             [store]\ndata_dir = \"{}\"\n\n[limits]\nenabled = {limits}\n\n[targets]\nenabled = false\n\n[log]\nfilter = \"error\"\n\n{}",
            folder.join("data").display(),
            lab.network().to_toml(&authority)
        );
        let file = folder.join("wayleave.toml");
        std::fs::write(&file, configuration).unwrap();
        let mut child = machine::command_on_core(core, env!("CARGO_BIN_EXE_wayleave"))
            .args(["serve", "--json", "--config"])
            .arg(&file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: serde_json::Value =
            serde_json::from_str(&line).expect("it says where it serves");
        let address = ready["listen"].as_str().unwrap().parse().unwrap();
        Self { address, child }
    }

    pub(crate) fn cpu(&self) -> f64 {
        machine::cpu_seconds(self.child.id())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let pid = self.child.id().to_string();
        let _ = std::process::Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.child.wait();
    }
}
