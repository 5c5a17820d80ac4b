//! What is stored of the MCP servers that a site declares, for the answer about the site.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::records::{CapabilitiesSection, Capability, CapabilityMcpScan};

use super::read::parse_scan;
use super::{McpError, McpServers, McpUrl};

/// Servers of one site that are looked up. A card can name any number of them.
const MOST_SERVERS: usize = 8;
/// For each of them: an answer does not wait for a busy store.
const TIME_LIMIT: Duration = Duration::from_millis(250);

impl McpServers {
    /// Says of every declared server what its latest stored scan says. No server is read for it.
    pub(crate) async fn add_stored_scans(&self, section: &mut CapabilitiesSection) {
        let CapabilitiesSection::Declared { body, .. } = section else { return };
        let mut known: BTreeMap<String, CapabilityMcpScan> = BTreeMap::new();
        for item in &mut body.items {
            let Capability { untrusted_endpoint: Some(url), mcp_scan: Some(shown), .. } = item
            else {
                continue;
            };
            let found = match known.get(url) {
                Some(found) => found.clone(),
                None if known.len() >= MOST_SERVERS => CapabilityMcpScan::not_measured(
                    "Only the first eight servers that a site declares are looked up.",
                ),
                None => self.stored_scan_of(url).await,
            };
            known.entry(url.clone()).or_insert_with(|| found.clone());
            *shown = found;
        }
    }

    async fn stored_scan_of(&self, declared: &str) -> CapabilityMcpScan {
        let Ok(server) = McpUrl::parse(declared, self.scanner.name_policy()) else {
            let why = "The declared address is not one of a public server, so it is never scanned.";
            return CapabilityMcpScan::not_measured(why);
        };
        let address = Some(self.scan_address(&server.url));
        let found = tokio::time::timeout(TIME_LIMIT, self.find_stored_scan(&server)).await;
        let found = found.unwrap_or(Err(McpError::BUSY));
        match found {
            Ok(Some(found)) => CapabilityMcpScan { address, ..found },
            Ok(None) => CapabilityMcpScan {
                address,
                ..CapabilityMcpScan::not_measured("No scan of this server is stored.")
            },
            Err(error) => {
                tracing::warn!(%error, "a stored scan of a declared MCP server cannot be read");
                let why = "What is stored of this server could not be read.";
                CapabilityMcpScan { address, ..CapabilityMcpScan::not_measured(why) }
            }
        }
    }

    async fn find_stored_scan(
        &self,
        server: &McpUrl,
    ) -> Result<Option<CapabilityMcpScan>, McpError> {
        let Some(stored) = self.store.latest_mcp_scan(&server.url).await? else { return Ok(None) };
        let scan = parse_scan(&stored.document)?;
        Ok(Some(CapabilityMcpScan {
            state: stored.state,
            why: None,
            scanned_at: Some(stored.observed_at.whole_seconds()),
            scan_sha256: Some(stored.scan_sha256.to_string()),
            surface_sha256: stored.surface_sha256.map(|digest| digest.to_string()),
            connect: Some(scan.connect.decision),
            address: None,
        }))
    }
}
