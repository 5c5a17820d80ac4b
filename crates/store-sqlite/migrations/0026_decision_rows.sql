-- Receipts get rows of their own. As members of the index by `lookup` they were read whole, with their 4 KB, for every
-- comparison when another one was inserted.
ALTER TABLE decisions RENAME TO decisions_in_index;
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
) STRICT;
INSERT INTO decisions (lookup, domain, action, decision, answer_sha256, decided_at, expires_at, fingerprint, sealed)
SELECT lookup, domain, action, decision, answer_sha256, decided_at, expires_at, fingerprint, sealed
FROM decisions_in_index;
DROP TABLE decisions_in_index;
CREATE INDEX decisions_by_end ON decisions (expires_at);
