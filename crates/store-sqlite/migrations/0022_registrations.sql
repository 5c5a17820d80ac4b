-- What registries say about domains, by the registered domain. Nothing about registrants.
CREATE TABLE registrations (
    domain          TEXT    NOT NULL PRIMARY KEY,
    -- Null if it was never read; then `registration` is empty.
    first_read_at   INTEGER,
    read_at         INTEGER,
    source          TEXT,
    registration    BLOB    NOT NULL,
    attempted_at    INTEGER NOT NULL,
    outcome         TEXT    NOT NULL,
    why             TEXT,
    next_attempt_at INTEGER NOT NULL,
    fingerprint     BLOB    NOT NULL CHECK (length(fingerprint) = 32)
) STRICT;
CREATE INDEX registrations_by_attempt ON registrations (attempted_at);
CREATE INDEX registrations_never_read ON registrations (attempted_at) WHERE read_at IS NULL;

-- What differed between two consecutive readings.
CREATE TABLE registration_changes (
    domain      TEXT    NOT NULL REFERENCES registrations (domain) ON DELETE CASCADE,
    at          INTEGER NOT NULL,
    field       TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    from_value  TEXT,
    to_value    TEXT,
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    PRIMARY KEY (domain, at, field)
) STRICT, WITHOUT ROWID;
CREATE INDEX registration_changes_by_time ON registration_changes (at);
