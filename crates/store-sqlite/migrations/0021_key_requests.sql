-- Links to free keys that were sent. Of a token only its SHA-256 is kept.
CREATE TABLE key_requests (
    token_sha256 BLOB    NOT NULL PRIMARY KEY CHECK (length(token_sha256) = 32),
    -- A digest of the mailbox.
    mailbox      BLOB    NOT NULL CHECK (length(mailbox) = 32),
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX key_requests_by_mailbox ON key_requests (mailbox, created_at);
CREATE INDEX key_requests_by_end ON key_requests (expires_at);
