-- Days are whole days since 1970.
CREATE TABLE seals (
    day         INTEGER NOT NULL PRIMARY KEY,
    sha256      BLOB    NOT NULL CHECK (length(sha256) = 32),
    root        BLOB    NOT NULL CHECK (length(root) = 32),
    leaves      INTEGER NOT NULL,
    sealed_at   INTEGER NOT NULL,
    -- Over every other column, uncompressed (KeptSeal::fingerprint): damage is found when read.
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- A zstd frame.
    statement   BLOB    NOT NULL,
    -- The digests one after the other, 32 bytes each, in the order of their leaves.
    digests     BLOB    NOT NULL CHECK (length(digests) = 32 * leaves)
) STRICT;

-- Which day a record's digest was first sealed in.
CREATE TABLE sealed_digests (
    digest BLOB    NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    day    INTEGER NOT NULL,
    leaf   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE anchors (
    day          INTEGER NOT NULL,
    calendar     TEXT    NOT NULL,
    stage        TEXT    NOT NULL
                 CHECK (stage IN ('waiting', 'pending', 'upgraded', 'verified', 'failed')),
    submitted_at INTEGER,
    upgraded_at  INTEGER,
    verified_at  INTEGER,
    block_height INTEGER,
    timestamp    BLOB    NOT NULL,
    tries        INTEGER NOT NULL,
    next_try_at  INTEGER NOT NULL,
    last_error   TEXT,
    PRIMARY KEY (day, calendar)
) STRICT, WITHOUT ROWID;

CREATE INDEX anchors_due ON anchors (stage, next_try_at);
