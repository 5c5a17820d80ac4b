-- Times are whole milliseconds since 1970. Bodies are zstd frames.
PRAGMA application_id = 0x5761796c;

CREATE TABLE scans (
    id            TEXT    NOT NULL PRIMARY KEY,
    domain        TEXT    NOT NULL,
    scanned_at    INTEGER NOT NULL,
    visibility    TEXT    NOT NULL CHECK (visibility IN ('public', 'unlisted', 'private')),
    score_version INTEGER NOT NULL,
    grade         TEXT,
    overall       INTEGER,
    -- Over every other column, uncompressed (Scan::fingerprint): damage is found when read.
    fingerprint   BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- The digests of the artefacts one after the other, 32 bytes each.
    artifacts     BLOB    NOT NULL CHECK (length(artifacts) % 32 = 0),
    -- Last, so that reading the columns above touches none of their pages.
    record        BLOB    NOT NULL,
    evidence      BLOB    NOT NULL
) STRICT;

CREATE INDEX scans_by_domain ON scans (domain, scanned_at, id);
-- What strangers ask for, found without stepping over what is hidden.
CREATE INDEX scans_listed ON scans (domain, scanned_at, id) WHERE visibility = 'public';
CREATE INDEX scans_by_time ON scans (scanned_at, id);

-- When the last scan that refers to an artefact was made: what a sweep must spare.
CREATE TABLE artifact_uses (
    sha256       BLOB    NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
    last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row that the health check counts up and reads back.
CREATE TABLE probe (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    count INTEGER NOT NULL
) STRICT;
INSERT INTO probe (id, count) VALUES (1, 0);
