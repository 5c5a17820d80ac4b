-- What agents say of their visits. Days are whole days since 1970; who reported is kept under a
-- digest of that day alone.
CREATE TABLE outcomes (
    seq          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    domain       TEXT    NOT NULL,
    day          INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    action       TEXT    NOT NULL,
    outcome      TEXT    NOT NULL CHECK (outcome IN ('ok', 'blocked', 'challenged', 'error')),
    agent        TEXT,
    status       INTEGER,
    resolve_said TEXT,
    disagree     INTEGER NOT NULL CHECK (disagree IN (0, 1)),
    reporter     BLOB    NOT NULL CHECK (length(reporter) = 32)
) STRICT;
CREATE INDEX outcomes_by_domain ON outcomes (domain, day, seq);
CREATE INDEX outcomes_by_day ON outcomes (day, domain);

-- Work to be done, one of a kind and key. Numbers are never used twice, so that whoever lost a job
-- cannot end the one that came after it.
CREATE TABLE jobs (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind         TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    queued_at    INTEGER NOT NULL,
    due_at       INTEGER NOT NULL,
    -- Null while nobody has it.
    leased_until INTEGER,
    tries        INTEGER NOT NULL,
    body         BLOB    NOT NULL,
    last_error   TEXT,
    UNIQUE (kind, key)
) STRICT;
CREATE INDEX jobs_due ON jobs (kind, due_at, id);

-- Requests that are to be done once. Without a status the first one is still under way.
CREATE TABLE once (
    key          BLOB    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    request      BLOB    NOT NULL CHECK (length(request) = 32),
    until        INTEGER NOT NULL,
    status       INTEGER,
    content_type TEXT,
    -- A zstd frame.
    reply        BLOB,
    CHECK ((status IS NULL) = (reply IS NULL) AND (status IS NULL) = (content_type IS NULL))
) STRICT;
CREATE INDEX once_by_end ON once (until);

-- Pages that are watched for a while.
CREATE TABLE clocks (
    url             TEXT    NOT NULL PRIMARY KEY,
    domain          TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    why             TEXT,
    started_at      INTEGER NOT NULL,
    checks          INTEGER NOT NULL,
    last_checked_at INTEGER,
    next_check_at   INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    declared        BLOB    NOT NULL
) STRICT;
CREATE INDEX clocks_due ON clocks (next_check_at);
CREATE INDEX clocks_by_end ON clocks (expires_at);
CREATE INDEX clocks_by_domain ON clocks (domain, url);

CREATE TABLE clock_versions (
    url           TEXT    NOT NULL REFERENCES clocks (url) ON DELETE CASCADE,
    n             INTEGER NOT NULL,
    seen_from     INTEGER NOT NULL,
    seen_to       INTEGER NOT NULL,
    status        INTEGER,
    bytes         INTEGER,
    body_sha256   BLOB    CHECK (length(body_sha256) = 32),
    text_sha256   BLOB    CHECK (length(text_sha256) = 32),
    etag          TEXT,
    last_modified TEXT,
    change        BLOB    NOT NULL,
    PRIMARY KEY (url, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE census_runs (
    run         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER,
    frame       BLOB    NOT NULL,
    method      TEXT    NOT NULL,
    version_id  TEXT    NOT NULL
) STRICT;

CREATE TABLE census_rows (
    run           INTEGER NOT NULL REFERENCES census_runs (run),
    rank          INTEGER NOT NULL,
    domain        TEXT    NOT NULL,
    status        TEXT    NOT NULL,
    measured_at   INTEGER,
    answer_sha256 BLOB    CHECK (length(answer_sha256) = 32),
    body          BLOB    NOT NULL,
    UNIQUE (run, rank)
) STRICT;
CREATE INDEX census_rows_by_domain ON census_rows (domain, run, rank);
