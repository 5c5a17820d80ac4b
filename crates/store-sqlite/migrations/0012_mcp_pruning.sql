-- What is past its retention is found through these.
CREATE INDEX mcp_scans_by_time ON mcp_scans (observed_at);
CREATE INDEX mcp_surfaces_by_time ON mcp_surfaces (last_seen);
-- Whether a lock refers to a server, to one of its surfaces, or to a scan of it.
CREATE INDEX mcp_locks_by_url ON mcp_locks (url, surface_sha256, scan_sha256);
