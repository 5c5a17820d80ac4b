//! Artefacts: their bytes are files, their uses are in the database.

use std::sync::Arc;

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::{OptionalExtension, params};
use store::{ArtifactRow, Artifacts, BoxFuture, Digest, StoreError, SweepReport};

use crate::SqliteStore;
use crate::deleted_bodies::remove_deleted_bodies;
use crate::error::store_error;
use crate::sqlite_store::run_blocking;

impl Artifacts for SqliteStore {
    fn put_artifact(
        &self,
        sha256: Digest,
        bytes: Bytes,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let files = Arc::clone(&self.files);
        Box::pin(async move {
            run_blocking("storing an artefact", move || files.put(sha256, &bytes, at)).await?
        })
    }

    fn artifact(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        let files = Arc::clone(&self.files);
        Box::pin(
            async move { run_blocking("reading an artefact", move || files.get(sha256)).await? },
        )
    }

    fn sweep_artifacts(
        &self,
        older_than: Timestamp,
    ) -> BoxFuture<'_, Result<SweepReport, StoreError>> {
        Box::pin(async move {
            let mut total = SweepReport::default();
            // In 256 parts, so that no reading connection is occupied for the whole sweep.
            for first in 0..=u8::MAX {
                let part = self.sweep_part(first, older_than).await?;
                total.removed += part.removed;
                total.removed_bytes += part.removed_bytes;
                total.kept += part.kept;
                total.kept_bytes += part.kept_bytes;
            }
            Ok(total)
        })
    }

    fn remove_deleted_bodies(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(remove_deleted_bodies(&self.database, &self.files))
    }

    fn artifact_bytes_written(&self) -> u64 {
        self.files.bytes_written()
    }

    fn export_artifacts(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<ArtifactRow>, StoreError>> {
        let files = Arc::clone(&self.files);
        Box::pin(async move {
            run_blocking("listing the artefacts", move || files.list(after, limit)).await?
        })
    }
}

impl SqliteStore {
    async fn sweep_part(
        &self,
        first: u8,
        older_than: Timestamp,
    ) -> Result<SweepReport, StoreError> {
        const DOING: &str = "sweeping the artefacts";
        let files = Arc::clone(&self.files);
        let border = older_than.as_millis();
        let swept = self
            .database
            .readers
            .read(DOING, move |connection| {
                let mut uses = connection.prepare_cached(
                    "SELECT 1 FROM artifact_uses WHERE sha256 = ?1 AND last_used_at >= ?2",
                )?;
                let mut in_use = |sha256: Digest| {
                    let found = uses.query_row(params![sha256.as_bytes(), border], |_| Ok(()));
                    Ok(found.optional().map_err(|e| store_error(DOING, &e))?.is_some())
                };
                Ok(files.sweep(first, older_than, &mut in_use)?)
            })
            .await?;
        if !swept.removed.is_empty() {
            self.database
                .writer
                .write(DOING, 64 * swept.removed.len(), move |connection| {
                    let mut forget = connection.prepare_cached(
                        "DELETE FROM artifact_uses WHERE sha256 = ?1 AND last_used_at < ?2",
                    )?;
                    for sha256 in &swept.removed {
                        forget.execute(params![sha256.as_bytes(), border])?;
                    }
                    Ok(())
                })
                .await?;
        }
        Ok(swept.report)
    }
}
