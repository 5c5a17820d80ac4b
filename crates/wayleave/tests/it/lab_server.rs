//! A server that reads a lab inside this process, for tests that need other sites than the
//! catalogue's or that look at the lab itself.

use std::time::Duration;

use lab::{Lab, LabOptions, LabSite};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::server::Server;

/// Fields are dropped in this order: first the server, then the lab, then the folder.
pub(crate) struct LabServer {
    pub(crate) server: Server,
    pub(crate) lab: Lab,
    _runtime: Runtime,
    folder: TempDir,
}

/// What a server knows besides the lab.
pub(crate) struct Extension {
    pub(crate) brand: &'static str,
    /// It may ask these ports.
    pub(crate) ports: Vec<u16>,
    /// Certificates in PEM that it trusts.
    pub(crate) ca: String,
    /// Further lines of its section `server`.
    pub(crate) server: &'static str,
}

impl Default for Extension {
    fn default() -> Self {
        Self { brand: "svc", ports: Vec::new(), ca: String::new(), server: "" }
    }
}

impl LabServer {
    /// Starts a lab with these sites besides the catalogue, and a server without rate limits.
    pub(crate) fn start(more_sites: &[&'static LabSite]) -> Self {
        Self::start_configured(more_sites, "[targets]\nenabled = false\n")
    }

    /// The same with further sections of the configuration.
    pub(crate) fn start_configured(more_sites: &[&'static LabSite], sections: &str) -> Self {
        Self::start_extended(more_sites, sections, &Extension::default())
    }

    /// The same, which may also ask servers that are not the lab's.
    pub(crate) fn start_extended(
        more_sites: &[&'static LabSite],
        sections: &str,
        extension: &Extension,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let lab =
            runtime.block_on(Lab::start_with_sites(LabOptions::default(), more_sites)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let authority = folder.path().join("lab-ca.pem");
        std::fs::write(&authority, format!("{}{}", lab.network().ca_pem, extension.ca)).unwrap();
        let network = lab.network().to_toml(&authority);
        let ports = format!("[network]\nallow_ports = {:?}\n", extension.ports);
        let network = network.replace("[network]\n", &ports);
        let configuration = format!(
            "[server]\nlisten = \"127.0.0.1:0\"\nbrand = \"{}\"\n{}\n\n[store]\ndata_dir = \"{}\"\n\n\
             [limits]\nenabled = false\n\n[log]\nfilter = \"error\"\n\n{sections}\n{network}",
            extension.brand,
            extension.server,
            folder.path().join("data").display(),
        );
        let file = folder.path().join("wayleave.toml");
        std::fs::write(&file, configuration).unwrap();
        Self { server: Server::start_serve(&file), lab, _runtime: runtime, folder }
    }

    /// The file that the server was configured by.
    pub(crate) fn configuration(&self) -> std::path::PathBuf {
        self.folder.path().join("wayleave.toml")
    }

    /// Scans the domain. A listed scan becomes the domain's answer; an unlisted one never reuses a
    /// stored report.
    pub(crate) fn scan(&self, domain: &str, visibility: &str) -> Result<Value, String> {
        let body = json!({ "domain": domain, "visibility": visibility }).to_string();
        for _ in 0..10 {
            let reply = self.server.post_scan(body.as_bytes());
            match reply.status {
                200 => return Ok(reply.json()),
                // Another scan of the site is in progress, or too many scans are.
                409 | 429 | 503 => std::thread::sleep(Duration::from_secs(1)),
                status => return Err(format!("status {status}: {}", reply.text())),
            }
        }
        Err("the server stayed busy".to_owned())
    }

    /// The answer for a domain; made from its last public scan if there is one.
    pub(crate) fn resolve(&self, domain: &str) -> Result<Value, String> {
        let reply = self.server.get(&format!("/api/v1/resolve?domain={domain}"));
        match reply.status {
            200 => Ok(reply.json()),
            status => Err(format!("status {status}: {}", reply.text())),
        }
    }
}

/// Runs `work` on every item, `at_once` at a time, and returns the results in the order of the items.
pub(crate) fn run_all<T: Sync, R: Send>(
    items: &[T],
    at_once: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let queue = std::sync::Mutex::new(items.iter().enumerate());
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some((index, item)) = { queue.lock().unwrap().next() } {
                    let result = work(item);
                    results.lock().unwrap().push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
