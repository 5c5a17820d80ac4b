-- Sessions of licence holders. Of a token only its SHA-256 is kept.
CREATE TABLE sessions (
    token_sha256 BLOB    NOT NULL PRIMARY KEY CHECK (length(token_sha256) = 32),
    licence_id   TEXT    NOT NULL,
    key_sha256   BLOB    NOT NULL CHECK (length(key_sha256) = 32),
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    idle_until   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    client       TEXT    NOT NULL
) STRICT;
CREATE INDEX sessions_by_licence ON sessions (licence_id, created_at);
CREATE INDEX sessions_by_end ON sessions (min(idle_until, expires_at));
