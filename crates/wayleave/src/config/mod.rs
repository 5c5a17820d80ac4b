//! Configuration: one TOML file, each key also an environment variable and a flag.
//!
//! Flags override the environment, the environment overrides the file. An unknown key is an error, so
//! that a misspelt security setting is noticed.

mod access;
mod accuracy;
mod engine_entry;
mod flags;
pub(crate) mod keys;
mod load;
mod mail;
mod registry;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub(crate) use access::AccessConfig;
pub(crate) use accuracy::AccuracyConfig;
pub(crate) use engine_entry::{EngineEntry, KeyPlace};
pub(crate) use flags::ConfigArgs;
pub(crate) use load::{load_config, own_variables};
pub(crate) use mail::{MailConfig, MailSecurity};
pub(crate) use registry::RegistryConfig;

/// The effective configuration. The meaning of each key is in `keys.rs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    pub(crate) server: ServerConfig,
    pub(crate) store: StoreConfig,
    pub(crate) network: NetworkConfig,
    pub(crate) operator: OperatorConfig,
    pub(crate) agents: AgentsConfig,
    pub(crate) scan: ScanConfig,
    pub(crate) resolve: ResolveConfig,
    pub(crate) limits: LimitsConfig,
    pub(crate) access: AccessConfig,
    pub(crate) mail: MailConfig,
    pub(crate) targets: TargetsConfig,
    pub(crate) registry: RegistryConfig,
    pub(crate) accuracy: AccuracyConfig,
    pub(crate) proof: ProofConfig,
    pub(crate) log: LogConfig,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerConfig {
    pub(crate) listen: SocketAddr,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base_url: Option<String>,
    pub(crate) brand: String,
    pub(crate) trusted_proxies: Vec<ipnet::IpNet>,
    pub(crate) max_connections: usize,
    pub(crate) max_requests: usize,
    /// Unset means `/metrics` of the server itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Unset means plain HTTP. Both are set, or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tls_cert: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tls_key: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StoreConfig {
    /// Unset means `./data` for `serve` and a temporary directory for `demo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Unset means `keys` in the data directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) keys_dir: Option<PathBuf>,
    pub(crate) artifact_days: u32,
    pub(crate) artifact_gb: u32,
    pub(crate) unreached_days: u32,
    pub(crate) answer_days: u32,
    pub(crate) domain_days: u32,
    pub(crate) change_days: u32,
    pub(crate) revocation_days: u32,
    pub(crate) receipt_days: u32,
    pub(crate) scan_days: u32,
    pub(crate) mcp_days: u32,
    pub(crate) conduct_days: u32,
    pub(crate) accuracy_days: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NetworkConfig {
    pub(crate) resolver: String,
    pub(crate) allow_networks: Vec<ipnet::IpNet>,
    pub(crate) refuse_networks: Vec<ipnet::IpNet>,
    pub(crate) allow_names: Vec<String>,
    pub(crate) http_port: u16,
    pub(crate) https_port: u16,
    pub(crate) allow_ports: Vec<u16>,
    pub(crate) mcp_ports: Vec<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extra_ca: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_address: Option<IpAddr>,
    pub(crate) vantage: String,
    /// Published in the observer directory, like the fields below.
    pub(crate) egress: Vec<ipnet::IpNet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asn: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rir: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) region: Option<String>,
}

/// Who runs this service; published in the observer directory for site owners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OperatorConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) abuse: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) security: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AgentsConfig {
    /// The identities that scans use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) catalogue: Option<PathBuf>,
    /// Known agents, instead of the built-in ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) known: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) more_known: Option<PathBuf>,
    /// `ID=URL`.
    pub(crate) feeds: Vec<String>,
    pub(crate) fetch_feeds: bool,
    pub(crate) gate_fails: GateFails,
}

impl Default for AgentsConfig {
    fn default() -> Self {
        Self {
            catalogue: None,
            known: None,
            more_known: None,
            feeds: Vec::new(),
            fetch_feeds: true,
            gate_fails: GateFails::Open,
        }
    }
}

/// What the gate in front of a site does with visitors that it cannot check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GateFails {
    /// Lets them in.
    Open,
    /// Refuses them.
    Closed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ScanConfig {
    pub(crate) deadline_ms: u64,
    pub(crate) at_once: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ResolveConfig {
    pub(crate) upgrade_minutes: Vec<u8>,
    pub(crate) queue_max: u32,
    pub(crate) hot_mb: usize,
    pub(crate) robots_mb: usize,
    /// Unset means the built-in list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ranking: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsConfig {
    /// Limits per client address. The daily total applies even if this is false.
    pub(crate) enabled: bool,
    /// Sets the defaults of `read_per_minute`, `decide_per_minute`, `live_per_minute` and
    /// `visitors_per_minute`.
    pub(crate) profile: LimitsProfile,
    pub(crate) scan_per_10s: u32,
    pub(crate) scan_per_minute: u32,
    pub(crate) scan_per_day: u32,
    pub(crate) scans_daily_total: u32,
    pub(crate) scans_paused: bool,
    pub(crate) keyed_scan_per_minute: u32,
    pub(crate) keyed_read_per_minute: u32,
    pub(crate) keyed_decide_per_minute: u32,
    pub(crate) keyed_live_per_minute: u32,
    pub(crate) read_per_minute: u32,
    pub(crate) decide_per_minute: u32,
    pub(crate) live_per_minute: u32,
    pub(crate) visitors_per_minute: u32,
    pub(crate) feed_per_minute: u32,
    pub(crate) metrics_per_minute: u32,
    pub(crate) wrong_keys_per_minute: u32,
    pub(crate) outcomes_per_day: u32,
}

/// Whom the service is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LimitsProfile {
    /// One organisation, whose agents may share one address.
    Organisation,
    /// Strangers, each with an address of his own.
    Public,
}

/// What all clients together may have read of others' sites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TargetsConfig {
    pub(crate) enabled: bool,
    pub(crate) address_connections: u32,
    pub(crate) network_connections: u32,
    pub(crate) total_connections: u32,
    pub(crate) address_reads_per_minute: u32,
    pub(crate) network_reads_per_minute: u32,
    pub(crate) total_reads_per_minute: u32,
    pub(crate) domain_live_per_hour: u32,
    pub(crate) domain_scans_per_hour: u32,
    pub(crate) domain_mcp_walks_per_hour: u32,
    pub(crate) total_live_per_minute: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProofConfig {
    /// The log's name in checkpoints. Unset means base URL and log id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<String>,
    /// Each as VKEY=URL.
    pub(crate) witnesses: Vec<String>,
    pub(crate) calendars: Vec<String>,
    pub(crate) explorers: Vec<String>,
    pub(crate) upgrade_seconds: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LogConfig {
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            base_url: None,
            brand: contract::Brand::DEFAULT.to_owned(),
            trusted_proxies: Vec::new(),
            max_connections: 4096,
            max_requests: 2048,
            metrics_listen: None,
            tls_cert: None,
            tls_key: None,
        }
    }
}

impl Default for StoreConfig {
    fn default() -> Self {
        let service::RetentionSettings {
            unreached_days,
            answer_days,
            domain_days,
            change_days,
            revocation_days,
            receipt_days,
            scan_days,
            mcp_days,
            conduct_days,
            accuracy_days,
        } = service::RetentionSettings::default();
        Self {
            data_dir: None,
            keys_dir: None,
            artifact_days: 90,
            artifact_gb: 20,
            unreached_days,
            answer_days,
            domain_days,
            change_days,
            revocation_days,
            receipt_days,
            scan_days,
            mcp_days,
            conduct_days,
            accuracy_days,
        }
    }
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            resolver: "system".to_owned(),
            allow_networks: Vec::new(),
            refuse_networks: Vec::new(),
            allow_names: Vec::new(),
            http_port: 80,
            https_port: 443,
            allow_ports: Vec::new(),
            mcp_ports: door::Policy::MCP_PORTS.to_vec(),
            extra_ca: None,
            source_address: None,
            vantage: "unnamed".to_owned(),
            egress: Vec::new(),
            asn: None,
            name: None,
            rir: None,
            country: None,
            region: None,
        }
    }
}

impl Default for ScanConfig {
    fn default() -> Self {
        Self { deadline_ms: 10_000, at_once: 32 }
    }
}

impl Default for ResolveConfig {
    fn default() -> Self {
        Self {
            upgrade_minutes: contract::limits::UPGRADE_MINUTES.to_vec(),
            queue_max: contract::limits::SCAN_QUEUE_MAX,
            hot_mb: 256,
            robots_mb: 32,
            ranking: None,
        }
    }
}

impl Default for LimitsConfig {
    fn default() -> Self {
        use contract::limits;
        let free = service::FreeScans::default();
        Self {
            enabled: true,
            profile: LimitsProfile::Organisation,
            scan_per_10s: limits::SCAN_BURST,
            scan_per_minute: limits::SCAN_PER_MINUTE,
            scan_per_day: limits::SCAN_PER_DAY,
            scans_daily_total: free.per_day,
            scans_paused: free.paused,
            keyed_scan_per_minute: limits::KEYED_SCANS_PER_MINUTE,
            keyed_read_per_minute: limits::KEYED_READS_PER_MINUTE,
            keyed_decide_per_minute: limits::KEYED_DECISIONS_PER_MINUTE,
            keyed_live_per_minute: limits::KEYED_LIVE_PER_MINUTE,
            read_per_minute: limits::READ_PER_MINUTE,
            decide_per_minute: limits::DECIDE_PER_MINUTE,
            live_per_minute: limits::LIVE_PER_MINUTE,
            visitors_per_minute: limits::VISITORS_PER_MINUTE,
            feed_per_minute: limits::FEED_PER_MINUTE,
            metrics_per_minute: limits::METRICS_PER_MINUTE,
            wrong_keys_per_minute: limits::WRONG_KEYS_PER_MINUTE,
            outcomes_per_day: limits::OUTCOMES_PER_DAY,
        }
    }
}

impl Default for TargetsConfig {
    fn default() -> Self {
        let door::TargetLimits { address, network, total } = door::TargetLimits::default();
        let domain = service::DomainLimits::default();
        Self {
            enabled: true,
            address_connections: address.connections,
            network_connections: network.connections,
            total_connections: total.connections,
            address_reads_per_minute: address.reads_per_minute,
            network_reads_per_minute: network.reads_per_minute,
            total_reads_per_minute: total.reads_per_minute,
            domain_live_per_hour: domain.live_per_hour,
            domain_scans_per_hour: domain.scans_per_hour,
            domain_mcp_walks_per_hour: domain.mcp_walks_per_hour,
            total_live_per_minute: domain.total_live_per_minute,
        }
    }
}

impl Default for ProofConfig {
    fn default() -> Self {
        let defaults = service::AnchoringSettings::default();
        Self {
            origin: None,
            witnesses: Vec::new(),
            calendars: defaults.calendars,
            explorers: defaults.explorers,
            upgrade_seconds: defaults.upgrade_interval.as_secs(),
        }
    }
}

impl Default for LogConfig {
    fn default() -> Self {
        Self { filter: "info".to_owned(), format: LogFormat::Text }
    }
}

impl Config {
    /// The data directory if `store.data_dir` is not set.
    pub(crate) const DATA_DIR: &str = "./data";
    /// The folder of the keys in a backup, and in the data directory if `store.keys_dir` is not set.
    pub(crate) const KEYS_FOLDER: &str = "keys";

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.store.data_dir.clone().unwrap_or_else(|| PathBuf::from(Self::DATA_DIR))
    }

    /// The folder of the keys, the deployment's secret and the log's mark.
    pub(crate) fn keys_dir(&self) -> PathBuf {
        self.store.keys_dir.clone().unwrap_or_else(|| self.data_dir().join(Self::KEYS_FOLDER))
    }

    /// Without a trailing slash.
    pub(crate) fn base_url(&self) -> String {
        match &self.server.base_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None if self.speaks_tls() => format!("https://{}", self.server.listen),
            None => format!("http://{}", self.server.listen),
        }
    }

    /// Whether the server itself speaks TLS, and not a proxy in front of it.
    pub(crate) fn speaks_tls(&self) -> bool {
        self.server.tls_cert.is_some()
    }

    /// Whether browsers are told to use HTTPS alone with the host of the base URL. Not with a port in it:
    /// the rule would hold for all ports of the host, and others may be served there.
    pub(crate) fn https_only(&self) -> bool {
        let Ok(url) = url::Url::parse(&self.base_url()) else { return false };
        let is_name = matches!(url.host(), Some(url::Host::Domain(name)) if name != "localhost");
        self.speaks_tls() && url.scheme() == "https" && url.port().is_none() && is_name
    }
}
