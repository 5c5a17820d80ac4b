//! The settings that make a service read the lab instead of the internet.

use std::{fmt::Write, net::SocketAddr, path::Path};

/// How to reach one running lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabNetwork {
    pub resolver: SocketAddr,
    /// Used in place of port 80: lab URLs never name a port.
    pub http_port: u16,
    /// Used in place of port 443.
    pub https_port: u16,
    /// The certificate of the lab's temporary certificate authority.
    pub ca_pem: String,
    /// Networks in CIDR notation.
    pub allow_networks: Vec<String>,
    /// Domain suffixes.
    pub allow_names: Vec<String>,
    /// URLs of the timestamp calendars.
    pub calendars: Vec<String>,
    /// URLs of the block explorers for the chains of those calendars.
    pub explorers: Vec<String>,
    /// URL of the list of registries.
    pub rdap_bootstrap: String,
    /// Base URL of the AI engine, whose models are the words of [`crate::EngineBehaviour`].
    pub engine: String,
    /// The key of the AI engine.
    pub engine_key: String,
}

impl LabNetwork {
    /// The `[network]`, `[proof]` and `[registry]` sections of a configuration that points a service at this lab.
    /// `ca_file` is the path where the caller has written [`LabNetwork::ca_pem`].
    #[must_use]
    pub fn to_toml(&self, ca_file: &Path) -> String {
        let list =
            |items: &[String]| items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", ");
        let mut toml = String::from("[network]\n");
        let lines = [
            ("resolver", quoted(&self.resolver.to_string())),
            ("allow_networks", format!("[{}]", list(&self.allow_networks))),
            ("allow_names", format!("[{}]", list(&self.allow_names))),
            ("http_port", self.http_port.to_string()),
            ("https_port", self.https_port.to_string()),
            ("extra_ca", quoted(&ca_file.to_string_lossy())),
        ];
        for (key, value) in lines {
            // Writing to a string cannot fail.
            let _ = writeln!(toml, "{key} = {value}");
        }
        let _ = writeln!(toml, "\n[proof]");
        let _ = writeln!(toml, "calendars = [{}]", list(&self.calendars));
        let _ = writeln!(toml, "explorers = [{}]", list(&self.explorers));
        let _ = writeln!(toml, "\n[registry]");
        let _ = writeln!(toml, "bootstrap = {}", quoted(&self.rdap_bootstrap));
        toml
    }
}

impl LabNetwork {
    /// The models of the AI engine that a service asks, each with a name: one that is right, and one that
    /// is wrong.
    pub const ENGINES: [(&str, &str); 2] = [("lab-right", "right"), ("lab-wrong", "wrong-phone")];

    /// The engines of the `[accuracy]` section. `key_file` is the path where the caller has written
    /// [`LabNetwork::engine_key`].
    #[must_use]
    pub fn engines_to_toml(&self, key_file: &Path) -> String {
        let mut toml = String::new();
        for (name, model) in Self::ENGINES {
            let _ = writeln!(toml, "\n[[accuracy.engines]]");
            for (key, value) in [
                ("name", name),
                ("base_url", &self.engine),
                ("model", model),
                ("key_file", &key_file.to_string_lossy()),
            ] {
                let _ = writeln!(toml, "{key} = {}", quoted(value));
            }
        }
        toml
    }
}

/// Quotes text as a TOML basic string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_toml_whatever_the_path() {
        let network = LabNetwork {
            resolver: "127.77.0.53:5353".parse().unwrap(),
            http_port: 8001,
            https_port: 8002,
            ca_pem: String::new(),
            allow_networks: vec!["127.77.0.0/16".into()],
            allow_names: vec!["lab".into()],
            calendars: vec!["http://127.0.0.1:9".into()],
            explorers: vec![],
            rdap_bootstrap: "https://rdap.lab/dns.json".into(),
            engine: "https://127.0.0.1:9/v1".into(),
            engine_key: "key".into(),
        };
        let path = "/tmp/odd \"dir\"\\\n\u{7f}ü/ca.pem";
        let read: toml::Table = network.to_toml(Path::new(path)).parse().unwrap();
        let section = read["network"].as_table().unwrap();
        let engines: toml::Table = network.engines_to_toml(Path::new(path)).parse().unwrap();
        assert_eq!(engines["accuracy"]["engines"][1]["model"].as_str(), Some("wrong-phone"));
        assert_eq!(engines["accuracy"]["engines"][0]["key_file"].as_str(), Some(path));
        assert_eq!(section["resolver"].as_str(), Some("127.77.0.53:5353"));
        assert_eq!(section["allow_networks"][0].as_str(), Some("127.77.0.0/16"));
        assert_eq!(section["allow_names"][0].as_str(), Some("lab"));
        assert_eq!(section["http_port"].as_integer(), Some(8001));
        assert_eq!(section["https_port"].as_integer(), Some(8002));
        assert_eq!(section["extra_ca"].as_str(), Some(path));
        assert_eq!(read["proof"]["calendars"][0].as_str(), Some("http://127.0.0.1:9"));
        assert_eq!(read["proof"]["explorers"].as_array().map(Vec::len), Some(0));
        assert_eq!(read["registry"]["bootstrap"].as_str(), Some("https://rdap.lab/dns.json"));
    }
}
