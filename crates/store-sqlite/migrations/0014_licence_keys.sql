-- A licence has a plan and several keys; before, it had one key and no plan.
ALTER TABLE licences RENAME TO old_licences;

CREATE TABLE licences (
    id         TEXT    NOT NULL PRIMARY KEY,
    plan       TEXT    NOT NULL,
    -- Names between spaces; null for all domains.
    domains    TEXT,
    label      TEXT,
    -- A digest of the mailbox that asked for it.
    mailbox    BLOB    CHECK (length(mailbox) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    -- The last day of use, as whole days since 1970.
    last_used  INTEGER
) STRICT;
CREATE INDEX licences_by_age ON licences (created_at, id);
CREATE INDEX licences_by_mailbox ON licences (mailbox) WHERE mailbox IS NOT NULL;

-- Of a key only its SHA-256 is kept, and its first characters to recognise it.
CREATE TABLE licence_keys (
    key_sha256 BLOB    NOT NULL PRIMARY KEY CHECK (length(key_sha256) = 32),
    licence_id TEXT    NOT NULL REFERENCES licences (id),
    prefix     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE INDEX licence_keys_by_licence ON licence_keys (licence_id, created_at);

-- Nothing limited the old ones, and their first characters are not known.
INSERT INTO licences (id, plan, domains, label, created_at, revoked_at)
    SELECT id, 'unlimited', domains, label, created_at, revoked_at FROM old_licences;
INSERT INTO licence_keys (key_sha256, licence_id, prefix, created_at)
    SELECT key_sha256, id, '', created_at FROM old_licences;
DROP TABLE old_licences;
