-- What is kept beside answers. Fingerprints are over the other columns, uncompressed.

-- The newest answer of each domain, found by the first digits of the domain's SHA-256.
CREATE TABLE newest_answers (
    domain_sha256 BLOB    NOT NULL PRIMARY KEY CHECK (length(domain_sha256) = 32),
    answered_at   INTEGER NOT NULL,
    sha256        BLOB    NOT NULL CHECK (length(sha256) = 32)
) STRICT, WITHOUT ROWID;

CREATE TABLE readings (
    id          TEXT    NOT NULL PRIMARY KEY,
    domain      TEXT    NOT NULL,
    observed_at INTEGER NOT NULL,
    network     TEXT    NOT NULL,
    basis       TEXT    NOT NULL,
    scan_id     TEXT,
    completed   INTEGER NOT NULL CHECK (completed IN (0, 1)),
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- Zstd frames.
    fields      BLOB    NOT NULL,
    record      BLOB    NOT NULL
) STRICT;
CREATE INDEX readings_by_domain ON readings (domain, observed_at, id);

CREATE TABLE changes (
    seq         INTEGER NOT NULL PRIMARY KEY,
    domain      TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    section     TEXT    NOT NULL,
    direction   TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- A zstd frame.
    body        BLOB    NOT NULL
) STRICT;
CREATE INDEX changes_by_domain ON changes (domain, seq);

-- A chain: every entry has the digest of the one before it. Words are kept between spaces.
CREATE TABLE revocations (
    seq            INTEGER NOT NULL PRIMARY KEY,
    prev           BLOB    UNIQUE CHECK (length(prev) = 32),
    -- Over all other columns as they are served: it is the fingerprint as well.
    entry_sha256   BLOB    NOT NULL UNIQUE CHECK (length(entry_sha256) = 32),
    at             INTEGER NOT NULL,
    effective_from INTEGER NOT NULL,
    kind           TEXT    NOT NULL,
    target_kind    TEXT    NOT NULL,
    target_id      TEXT    NOT NULL,
    domain         TEXT,
    actions        TEXT    NOT NULL,
    reason         TEXT    NOT NULL,
    why            TEXT    NOT NULL,
    replaced_by    BLOB    CHECK (length(replaced_by) = 32),
    CHECK ((seq = 1) = (prev IS NULL))
) STRICT;
CREATE INDEX revocations_by_target ON revocations (target_kind, target_id, seq);
CREATE INDEX revocations_by_domain ON revocations (domain, seq) WHERE domain IS NOT NULL;
CREATE INDEX revocations_by_time ON revocations (at, seq);

CREATE TABLE standings (
    domain      TEXT    NOT NULL PRIMARY KEY,
    actions     TEXT    NOT NULL,
    -- Empty where nothing is withheld any more.
    causes      TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32)
) STRICT, WITHOUT ROWID;
CREATE INDEX standings_in_force ON standings (domain) WHERE causes <> '';
CREATE INDEX standings_by_update ON standings (updated_at);

-- Receipts. What they say is encrypted; whoever has the receipt's digest can open them.
CREATE TABLE decisions (
    lookup        BLOB    NOT NULL PRIMARY KEY CHECK (length(lookup) = 32),
    domain        TEXT    NOT NULL,
    action        TEXT    NOT NULL,
    decision      TEXT    NOT NULL,
    answer_sha256 BLOB    NOT NULL CHECK (length(answer_sha256) = 32),
    decided_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    fingerprint   BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    sealed        BLOB    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_by_end ON decisions (expires_at);
