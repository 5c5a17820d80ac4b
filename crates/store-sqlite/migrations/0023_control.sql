-- Claims of control over domains. Of a claimant's secret only its SHA-256 is kept.
CREATE TABLE claims (
    id            TEXT    NOT NULL PRIMARY KEY,
    domain        TEXT    NOT NULL,
    secret_sha256 BLOB    NOT NULL CHECK (length(secret_sha256) = 32),
    -- Null for a claim that is not checked any more.
    next_check_at INTEGER,
    fingerprint   BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    body          BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX claims_by_secret ON claims (secret_sha256);
CREATE INDEX claims_by_domain ON claims (domain, id);
CREATE INDEX claims_due ON claims (next_check_at) WHERE next_check_at IS NOT NULL;

-- What happened to claims. The events of a claim stay when it is removed.
CREATE TABLE control_events (
    seq         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    domain      TEXT    NOT NULL,
    claim_id    TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    body        BLOB    NOT NULL
) STRICT;
CREATE INDEX control_events_by_domain ON control_events (domain, seq);

-- What owners report about their domains.
CREATE TABLE incidents (
    id          TEXT    NOT NULL PRIMARY KEY,
    domain      TEXT    NOT NULL,
    claim_id    TEXT    NOT NULL,
    what        TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    reported_at INTEGER NOT NULL,
    ends_at     INTEGER NOT NULL,
    ended_at    INTEGER,
    ended_by    TEXT,
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32)
) STRICT;
CREATE INDEX incidents_by_domain ON incidents (domain, reported_at);
CREATE INDEX incidents_open ON incidents (ends_at) WHERE ended_at IS NULL;

-- Readings that owners object to, and the readings that were made because of it.
CREATE TABLE disputes (
    id            TEXT    NOT NULL PRIMARY KEY,
    domain        TEXT    NOT NULL,
    claim_id      TEXT    NOT NULL,
    scan_id       TEXT    NOT NULL,
    reason        TEXT    NOT NULL,
    filed_at      INTEGER NOT NULL,
    fresh_scan_id TEXT,
    closed_at     INTEGER,
    changed       INTEGER,
    outcome       TEXT,
    fingerprint   BLOB    NOT NULL CHECK (length(fingerprint) = 32)
) STRICT;
CREATE INDEX disputes_by_domain ON disputes (domain, filed_at);
CREATE INDEX disputes_by_scan ON disputes (scan_id);
CREATE INDEX disputes_by_fresh_scan ON disputes (fresh_scan_id) WHERE fresh_scan_id IS NOT NULL;
CREATE INDEX disputes_open ON disputes (filed_at) WHERE closed_at IS NULL;
