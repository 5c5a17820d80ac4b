-- Scans of MCP servers. Their position is the order in which they were stored.
CREATE TABLE mcp_scans (
    position       INTEGER NOT NULL PRIMARY KEY,
    scan_sha256    BLOB    NOT NULL UNIQUE CHECK (length(scan_sha256) = 32),
    url            TEXT    NOT NULL,
    domain         TEXT    NOT NULL,
    observed_at    INTEGER NOT NULL,
    state          TEXT    NOT NULL,
    -- Null if the lists were not read completely.
    surface_sha256 BLOB    CHECK (length(surface_sha256) = 32),
    -- The bytes of document and lists below, as they are stored.
    stored_bytes   INTEGER NOT NULL,
    -- Over document and lists, uncompressed (StoredMcpScan::content_digest).
    content_sha256 BLOB    NOT NULL CHECK (length(content_sha256) = 32),
    -- Over every column but the bytes (McpScanSummary::fingerprint): damage is found when read.
    fingerprint    BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- Last, so that reading the columns above touches none of their pages. zstd frames.
    document       BLOB    NOT NULL,
    lists          BLOB    NOT NULL
) STRICT;

CREATE INDEX mcp_scans_by_url ON mcp_scans (url, position);
CREATE INDEX mcp_scans_by_domain ON mcp_scans (domain, position);
-- How much is stored is summed up from this index alone.
CREATE INDEX mcp_scans_by_size ON mcp_scans (stored_bytes);

-- The surfaces that a server had, in the order in which they began. A position that has become old is renewed
-- when the surface is seen again, so that what goes first is what was not seen for long.
CREATE TABLE mcp_surfaces (
    position       INTEGER NOT NULL PRIMARY KEY,
    url            TEXT    NOT NULL,
    surface_sha256 BLOB    NOT NULL CHECK (length(surface_sha256) = 32),
    first_seen     INTEGER NOT NULL,
    last_seen      INTEGER NOT NULL,
    -- Over every other column (McpSurface::fingerprint).
    fingerprint    BLOB    NOT NULL CHECK (length(fingerprint) = 32)
) STRICT;

CREATE INDEX mcp_surfaces_by_url ON mcp_surfaces (url, position);

-- The locks that were issued, in the order in which they were stored.
CREATE TABLE mcp_locks (
    position       INTEGER NOT NULL PRIMARY KEY,
    lock_sha256    BLOB    NOT NULL UNIQUE CHECK (length(lock_sha256) = 32),
    url            TEXT    NOT NULL,
    domain         TEXT    NOT NULL,
    surface_sha256 BLOB    NOT NULL CHECK (length(surface_sha256) = 32),
    -- Null if the caller supplied the lists.
    scan_sha256    BLOB    CHECK (length(scan_sha256) = 32),
    issued_at      INTEGER NOT NULL,
    -- Over every other column (IssuedMcpLock::fingerprint).
    fingerprint    BLOB    NOT NULL CHECK (length(fingerprint) = 32)
) STRICT;
