//! Scans of MCP servers in the database, with the surfaces that they saw and the locks that were issued
//! (implements `store::McpScans`).

mod locks;
mod old;
mod read;
mod room;
mod surfaces;
mod write;

use contract::Domain;
use rusqlite::{Connection, params};
use store::mcp_scans::check_imported_surfaces;
use store::{
    BoxFuture, Digest, IssuedMcpLock, McpPosition, McpScanExtras, McpScanSummary, McpScans,
    McpSurface, StoreError, StoredMcpScan,
};

pub(crate) use self::old::{OLD_SCANS, OLD_SURFACES};
use self::write::PackedScan;
use crate::SqliteStore;
use crate::columns::{sql_integer, sql_limit};
use crate::error::DatabaseError;
use crate::sqlite_store::run_blocking;

impl McpScans for SqliteStore {
    fn put_mcp_scan(
        &self,
        scan: StoredMcpScan,
        extras: McpScanExtras,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "storing a scan of an MCP server";
        Box::pin(async move {
            let packed = run_blocking(DOING, move || PackedScan::new(scan, extras)).await??;
            let change = packed.revokes().then(|| self.revocation_cache.begin_change());
            let bytes = packed.bytes();
            let write = move |connection: &Connection| {
                let _ends_with_the_write = &change;
                packed.put(connection)
            };
            self.database.writer.write(DOING, bytes, write).await
        })
    }

    fn latest_mcp_scan<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredMcpScan>, StoreError>> {
        let url = url.to_owned();
        Box::pin(self.database.readers.read("reading a scan of an MCP server", move |connection| {
            read::find_scan(connection, read::LATEST, params![url])
        }))
    }

    fn latest_complete_mcp_scan<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredMcpScan>, StoreError>> {
        let url = url.to_owned();
        Box::pin(self.database.readers.read("reading a scan of an MCP server", move |connection| {
            read::find_scan(connection, read::LATEST_COMPLETE, params![url])
        }))
    }

    fn mcp_scan(
        &self,
        scan_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredMcpScan>, StoreError>> {
        Box::pin(self.database.readers.read("reading a scan of an MCP server", move |connection| {
            read::find_scan(connection, read::BY_DIGEST, params![scan_sha256.as_bytes()])
        }))
    }

    fn mcp_surfaces<'a>(
        &'a self,
        url: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<McpSurface>, StoreError>> {
        let url = url.to_owned();
        Box::pin(
            self.database.readers.read("reading surfaces of an MCP server", move |connection| {
                surfaces::find_surfaces(connection, &url, limit)
            }),
        )
    }

    fn mcp_scans_of_domain<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<McpScanSummary>, StoreError>> {
        let domain = domain.clone();
        Box::pin(self.database.readers.read("listing scans of MCP servers", move |connection| {
            read::scans_of_domain(connection, &domain, limit)
        }))
    }

    fn put_mcp_lock(&self, lock: IssuedMcpLock) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            lock.check_size()?;
            let write = move |connection: &Connection| {
                locks::put_lock(connection, &lock, store::mcp_scans::MAX_MCP_LOCKS)
            };
            self.database.writer.write("storing a lock of an MCP server", 0, write).await
        })
    }

    fn mcp_lock(
        &self,
        lock_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<IssuedMcpLock>, StoreError>> {
        Box::pin(self.database.readers.read("reading a lock of an MCP server", move |connection| {
            locks::find_lock(connection, &lock_sha256)
        }))
    }

    fn list_mcp_scans(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<McpPosition>, StoreError>> {
        Box::pin(self.database.readers.read("listing scans of MCP servers", move |connection| {
            let sql = "SELECT position, scan_sha256 FROM mcp_scans WHERE position > ?1
                       ORDER BY position LIMIT ?2";
            list_positions(connection, sql, after, limit)
        }))
    }

    fn import_mcp_scan(&self, scan: StoredMcpScan) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "copying a scan of an MCP server";
        Box::pin(async move {
            let pack = move || PackedScan::new(scan, McpScanExtras::default());
            let packed = run_blocking(DOING, pack).await??;
            self.database.writer.write(DOING, packed.bytes(), move |c| packed.import(c)).await
        })
    }

    fn list_mcp_surface_urls(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(self.database.readers.read("listing surfaces of MCP servers", move |connection| {
            surfaces::list_urls(connection, after.as_deref(), limit)
        }))
    }

    fn import_mcp_surfaces(
        &self,
        url: String,
        surfaces: Vec<McpSurface>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        const DOING: &str = "copying surfaces of an MCP server";
        Box::pin(async move {
            check_imported_surfaces(&url, &surfaces)?;
            let bytes = surfaces.len() * (url.len() + 128);
            let write = move |connection: &Connection| {
                surfaces::replace_surfaces(connection, &url, &surfaces)
            };
            self.database.writer.write(DOING, bytes, write).await
        })
    }

    fn list_mcp_locks(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<McpPosition>, StoreError>> {
        Box::pin(self.database.readers.read("listing locks of MCP servers", move |connection| {
            let sql = "SELECT position, lock_sha256 FROM mcp_locks WHERE position > ?1
                       ORDER BY position LIMIT ?2";
            list_positions(connection, sql, after, limit)
        }))
    }
}

fn list_positions(
    connection: &Connection,
    sql: &str,
    after: Option<u64>,
    limit: usize,
) -> Result<Vec<McpPosition>, DatabaseError> {
    let mut statement = connection.prepare_cached(sql)?;
    // Without `after` also those below zero, which only damage explains: reading such a row is an error.
    let parameters = params![after.map_or(i64::MIN, sql_integer), sql_limit(limit)];
    let rows = statement.query_map(parameters, |row| {
        let position = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
        Ok(McpPosition { position, sha256: Digest(row.get(1)?) })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests;
