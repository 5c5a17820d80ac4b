-- The address ranges that operators of agents publish: the last good content of each feed, and the state of
-- the attempts to fetch it.
CREATE TABLE feeds (
    id              TEXT    NOT NULL PRIMARY KEY,
    url             TEXT    NOT NULL,
    -- Null if it was never fetched.
    fetched_at      INTEGER,
    changed_at      INTEGER,
    etag            TEXT,
    last_modified   TEXT,
    prefix_count    INTEGER NOT NULL,
    attempted_at    INTEGER NOT NULL,
    failures        INTEGER NOT NULL,
    last_fault      TEXT,
    next_attempt_at INTEGER NOT NULL,
    -- Over every other column, uncompressed (StoredFeed::fingerprint): damage is found when read.
    fingerprint     BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- A zstd frame of the prefixes, one a line.
    prefixes        BLOB    NOT NULL
) STRICT;
