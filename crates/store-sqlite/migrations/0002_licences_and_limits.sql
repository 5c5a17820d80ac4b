-- Of a key only its SHA-256 is kept.
CREATE TABLE licences (
    id         TEXT    NOT NULL PRIMARY KEY,
    key_sha256 BLOB    NOT NULL UNIQUE CHECK (length(key_sha256) = 32),
    -- Names between spaces; null for all domains.
    domains    TEXT,
    label      TEXT,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

-- Allowances by the day (days since 1970), counted under digests. Earlier days are removed.
CREATE TABLE day_counts (
    day   INTEGER NOT NULL,
    what  BLOB    NOT NULL CHECK (length(what) = 32),
    taken INTEGER NOT NULL CHECK (taken > 0),
    PRIMARY KEY (day, what)
) STRICT, WITHOUT ROWID;

CREATE TABLE switches (
    name       TEXT    NOT NULL PRIMARY KEY,
    is_on      INTEGER NOT NULL CHECK (is_on IN (0, 1)),
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
