-- What AI engines say about claimed businesses: one record for each domain, engine and day. Their position is the order
-- in which they were stored.
CREATE TABLE accuracy_records (
    position        INTEGER NOT NULL PRIMARY KEY,
    domain          TEXT    NOT NULL,
    engine          TEXT    NOT NULL,
    -- The UTC day of `checked_at`.
    day             INTEGER NOT NULL,
    checked_at      INTEGER NOT NULL,
    -- Of the signed record, as it is sealed.
    sha256          BLOB    NOT NULL UNIQUE CHECK (length(sha256) = 32),
    -- Over the evidence, uncompressed, so that a record is compared without reading it.
    evidence_sha256 BLOB    NOT NULL CHECK (length(evidence_sha256) = 32),
    -- Over every column but the evidence (StoredAccuracy::fingerprint): damage is found when read.
    fingerprint     BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- Last, so that reading the columns above touches none of their pages. zstd frames.
    record          BLOB    NOT NULL,
    evidence        BLOB    NOT NULL,
    UNIQUE (domain, engine, day)
) STRICT;

CREATE INDEX accuracy_records_by_domain ON accuracy_records (domain, checked_at);
CREATE INDEX accuracy_records_by_day ON accuracy_records (day, sha256);
