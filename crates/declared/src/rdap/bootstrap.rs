//! Which server answers for which names (RFC 9224).

use std::collections::BTreeMap;
use std::fmt;

use contract::Timestamp;
use contract::json::{self, Bom, Limits, OnDuplicate};
use serde_json::Value;
use url::Url;

use super::dates::parse_date;
use super::names::normal_name;

/// Larger files are not parsed. IANA's has about 50 KB.
pub const MAX_BOOTSTRAP_BYTES: usize = 1024 * 1024;

const LIMITS: Limits = Limits {
    bytes: MAX_BOOTSTRAP_BYTES,
    depth: 8,
    values: 100_000,
    max_integer: None,
    bom: Bom::Skip,
};

const MAX_NAMES: usize = 20_000;
const MAX_URL_BYTES: usize = 512;
/// Services with more addresses than this are read in part.
const MAX_ADDRESSES: usize = 8;

/// The most common top-level domains, for a server that has not fetched IANA's file yet.
const BUILT_IN: &[u8] = include_bytes!("../../data/rdap-services.json");

/// The servers by the names that they serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bootstrap {
    /// When the file was published, by its own word.
    pub published: Option<Timestamp>,
    /// Whether it lists every top-level domain that has a server. The built-in copy does not.
    pub is_complete: bool,
    /// Names in A-labels, with one address each, which ends with `/`.
    services: BTreeMap<String, String>,
}

/// Why a file is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootstrapFault {
    NotJson,
    /// There is no `services` list.
    NotABootstrapFile,
    /// No entry could be used.
    Empty,
}

impl fmt::Display for BootstrapFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "The list of registries is not valid JSON, or is too large.",
            Self::NotABootstrapFile => "The list of registries has no “services”.",
            Self::Empty => "The list of registries names no server.",
        })
    }
}

impl Bootstrap {
    pub fn parse(body: &[u8]) -> Result<Self, BootstrapFault> {
        let parsed = json::parse(body, &LIMITS, OnDuplicate::KeepLast { report_at_most: 0 });
        let file = parsed.map_err(|_| BootstrapFault::NotJson)?.value;
        let listed = file.get("services").and_then(Value::as_array);
        let mut services = BTreeMap::new();
        for service in listed.ok_or(BootstrapFault::NotABootstrapFile)? {
            let Some(address) = service.get(1).and_then(best_address) else { continue };
            for name in service.get(0).and_then(Value::as_array).into_iter().flatten() {
                if services.len() >= MAX_NAMES {
                    break;
                }
                if let Some(name) = name.as_str().and_then(normal_name) {
                    services.insert(name, address.clone());
                }
            }
        }
        if services.is_empty() {
            return Err(BootstrapFault::Empty);
        }
        let published = file.get("publication").and_then(Value::as_str).and_then(parse_date);
        Ok(Self { published, is_complete: true, services })
    }

    /// The built-in copy, which lists the most common top-level domains.
    #[must_use]
    pub fn built_in() -> Self {
        // A test checks that the file can be parsed.
        let empty = Self { published: None, is_complete: false, services: BTreeMap::new() };
        Self::parse(BUILT_IN).map_or(empty, |parsed| Self { is_complete: false, ..parsed })
    }

    /// The address of the server for a name in A-labels: that of the longest entry that the name ends with, label
    /// by label. It ends with `/`.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&str> {
        let mut rest = name;
        loop {
            if let Some(address) = self.services.get(rest) {
                return Some(address);
            }
            rest = rest.split_once('.')?.1;
        }
    }

    /// How many names have a server.
    #[must_use]
    pub fn len(&self) -> usize {
        self.services.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.services.is_empty()
    }
}

/// The first https address, or else the first http address.
fn best_address(addresses: &Value) -> Option<String> {
    let usable: Vec<Url> = addresses
        .as_array()?
        .iter()
        .take(MAX_ADDRESSES)
        .filter_map(Value::as_str)
        .filter(|text| text.len() <= MAX_URL_BYTES)
        .filter_map(|text| Url::parse(text).ok())
        .filter(is_base_url)
        .collect();
    let secure = usable.iter().find(|url| url.scheme() == "https");
    let url = secure.or_else(|| usable.first())?.as_str();
    Some(if url.ends_with('/') { url.to_owned() } else { format!("{url}/") })
}

fn is_base_url(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
}
