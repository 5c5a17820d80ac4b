//! Writing a scan of an MCP server: all of it in one transaction.

use rusqlite::{Connection, params};
use store::mcp_scans::{MAX_MCP_LISTS_BYTES, MCP_LISTS};
use store::{Digest, McpScanExtras, NewRevocation, StoreError, StoredMcpScan};

use super::room::ScanLimits;
use super::surfaces::SurfaceLimits;
use super::{read, room, surfaces};
use crate::changes::PackedChange;
use crate::columns::{digest_bytes, sql_limit, unsigned};
use crate::error::DatabaseError;
use crate::position::next_position;
use crate::revocations;
use store::compression::compress;

/// A scan ready to be written: hashing and compression are done.
pub(super) struct PackedScan {
    scan: StoredMcpScan,
    content_sha256: Digest,
    document: Vec<u8>,
    lists: Vec<u8>,
    changes: Vec<PackedChange>,
    revocations: Vec<NewRevocation>,
}

impl PackedScan {
    pub(super) fn new(scan: StoredMcpScan, extras: McpScanExtras) -> Result<Self, StoreError> {
        scan.check_size()?;
        extras.check()?;
        let failed = |e: std::io::Error| StoreError::Failed {
            doing: "compressing a scan of an MCP server",
            why: e.to_string(),
        };
        let lists = compress(&scan.lists).map_err(failed)?;
        if lists.len() > MAX_MCP_LISTS_BYTES {
            let (bytes, limit) = (lists.len(), MAX_MCP_LISTS_BYTES);
            return Err(StoreError::TooLarge { what: MCP_LISTS, bytes, limit });
        }
        Ok(Self {
            content_sha256: scan.content_digest(),
            document: compress(&scan.document).map_err(failed)?,
            lists,
            changes: extras.changes.into_iter().map(PackedChange::new).collect::<Result<_, _>>()?,
            revocations: extras.revocations,
            scan,
        })
    }

    pub(super) fn bytes(&self) -> usize {
        let changes = self.changes.iter().map(PackedChange::bytes).sum::<usize>();
        self.stored_bytes() + changes + 512 * self.revocations.len()
    }

    fn stored_bytes(&self) -> usize {
        self.document.len() + self.lists.len()
    }

    /// Whether it changes what is revoked.
    pub(super) fn revokes(&self) -> bool {
        !self.revocations.is_empty()
    }

    /// Writes the scan with everything that belongs to it, unless it is stored already.
    pub(super) fn put(&self, connection: &Connection) -> Result<(), DatabaseError> {
        self.put_within(connection, &ScanLimits::DEFAULT, &SurfaceLimits::DEFAULT)
    }

    pub(super) fn put_within(
        &self,
        connection: &Connection,
        scans: &ScanLimits,
        surfaces: &SurfaceLimits,
    ) -> Result<(), DatabaseError> {
        if !self.store_scan(connection, scans)? {
            return Ok(());
        }
        let StoredMcpScan { url, surface_sha256, observed_at, .. } = &self.scan;
        if let Some(surface) = surface_sha256 {
            surfaces::see_surface(connection, url, *surface, *observed_at, surfaces)?;
        }
        self.changes.iter().try_for_each(|change| change.insert(connection))?;
        revocations::append_entries(connection, &self.revocations)?;
        Ok(())
    }

    /// Writes only the scan, unless it is stored already.
    pub(super) fn import(&self, connection: &Connection) -> Result<(), DatabaseError> {
        self.store_scan(connection, &ScanLimits::DEFAULT).map(drop)
    }

    /// Inserts the scan, replacing a damaged one, and makes room. False if the same scan is stored already.
    fn store_scan(
        &self,
        connection: &Connection,
        limits: &ScanLimits,
    ) -> Result<bool, DatabaseError> {
        let sha256 = self.scan.scan_sha256;
        match read::find_scan(connection, read::BY_DIGEST, params![sha256.as_bytes()]) {
            Ok(None) => {}
            Ok(Some(stored)) if stored == self.scan => return Ok(false),
            Ok(Some(_)) => {
                let (what, id) = ("scan of an MCP server", sha256.to_string());
                return Err(StoreError::Duplicate { what, id }.into());
            }
            Err(DatabaseError::Store(StoreError::Damaged { .. })) => {
                let sql = "DELETE FROM mcp_scans WHERE scan_sha256 = ?1";
                connection.prepare_cached(sql)?.execute(params![sha256.as_bytes()])?;
            }
            Err(other) => return Err(other),
        }
        self.insert(connection)?;
        room::make_room(connection, &self.scan.url, limits)?;
        Ok(true)
    }

    fn insert(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let scan = &self.scan;
        let next = next_position(connection, "SELECT max(position) FROM mcp_scans")?;
        let at = unsigned(next, "the next position")?;
        let fingerprint = scan.summary().fingerprint(&scan.domain, at, &self.content_sha256);
        let sql = "INSERT INTO mcp_scans (position, scan_sha256, url, domain, observed_at, state,
                       surface_sha256, stored_bytes, content_sha256, fingerprint, document, lists)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        connection.prepare_cached(sql)?.execute(params![
            next,
            scan.scan_sha256.as_bytes(),
            scan.url,
            scan.domain.as_str(),
            scan.observed_at.as_millis(),
            scan.state,
            digest_bytes(scan.surface_sha256.as_ref()),
            sql_limit(self.stored_bytes()),
            self.content_sha256.as_bytes(),
            fingerprint.as_bytes(),
            self.document,
            self.lists,
        ])?;
        Ok(())
    }
}
