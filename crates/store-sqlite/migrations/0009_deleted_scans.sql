-- What stays of a scan that the operator deleted: enough to say so, and to find its digest in the seals.
CREATE TABLE deleted_scans (
    id            TEXT    NOT NULL PRIMARY KEY,
    -- The digest of its record; null if the record could no longer be read.
    record_sha256 BLOB    CHECK (length(record_sha256) = 32),
    -- The day whose seal has this digest, as whole days since 1970; null for a private scan, which is in
    -- no seal.
    day           INTEGER,
    deleted_at    INTEGER NOT NULL,
    reason        TEXT,
    -- Over the other columns (DeletedScan::fingerprint).
    fingerprint   BLOB    NOT NULL CHECK (length(fingerprint) = 32)
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_scans_by_day ON deleted_scans (day) WHERE day IS NOT NULL;

-- Bodies of deleted scans whose files are still to be removed, and when the scan received them. Those that
-- something else refers to are only taken off this list.
CREATE TABLE deleted_bodies (
    sha256      BLOB    NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
    received_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
