-- The transparency log. One row holds a batch: what is written together is read together.
CREATE TABLE log_batches (
    batch       INTEGER NOT NULL PRIMARY KEY,
    first_index INTEGER NOT NULL UNIQUE,
    sth_sha256  BLOB    NOT NULL CHECK (length(sth_sha256) = 32),
    -- Over the other columns but `contents` (KeptBatch::fingerprint).
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- 32 bytes each, in the order of the batch.
    leaves      BLOB    NOT NULL CHECK (length(leaves) > 0 AND length(leaves) % 32 = 0),
    sth         BLOB    NOT NULL,
    -- A zstd frame; each content is behind its length, and checked against its leaf.
    contents    BLOB    NOT NULL
) STRICT;

-- Every leaf once in the whole log.
CREATE TABLE log_leaves (
    leaf      BLOB    NOT NULL PRIMARY KEY CHECK (length(leaf) = 32),
    log_index INTEGER NOT NULL,
    kind      TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX log_leaves_by_kind ON log_leaves (kind, log_index) WHERE kind IS NOT NULL;

-- Complete tiles of the tree over all leaves.
CREATE TABLE log_tiles (
    level       INTEGER NOT NULL,
    tile        INTEGER NOT NULL,
    -- Over the other columns (LogTile::fingerprint).
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    hashes      BLOB    NOT NULL CHECK (length(hashes) = 8192),
    UNIQUE (level, tile)
) STRICT;

-- Who may extend the log.
CREATE TABLE log_lease (
    id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    holder TEXT,
    epoch  INTEGER NOT NULL,
    until  INTEGER NOT NULL
) STRICT;
INSERT INTO log_lease (id, holder, epoch, until) VALUES (1, NULL, 0, 0);

CREATE TABLE log_cosignatures (
    tree_size INTEGER NOT NULL,
    witness   TEXT    NOT NULL,
    line      TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (tree_size, witness)
) STRICT, WITHOUT ROWID;

-- Heads signed by our key that are not of our chain.
CREATE TABLE log_sightings (
    sth_sha256 BLOB    NOT NULL PRIMARY KEY CHECK (length(sth_sha256) = 32),
    batch      INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    sth        BLOB    NOT NULL,
    why        TEXT    NOT NULL
) STRICT;

-- Signed answers, put in one transaction with the batch they rest on.
CREATE TABLE answers (
    sha256      BLOB    NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
    domain      TEXT    NOT NULL,
    answered_at INTEGER NOT NULL,
    log_index   INTEGER NOT NULL,
    -- Over the other columns, uncompressed (KeptAnswer::fingerprint).
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    answer      BLOB    NOT NULL
) STRICT;
CREATE INDEX answers_by_domain ON answers (domain, answered_at, sha256);
CREATE INDEX answers_by_time ON answers (answered_at, sha256);
