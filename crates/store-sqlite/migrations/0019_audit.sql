-- What operators did. The triggers refuse every change of what is recorded.
CREATE TABLE audit (
    seq         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    actor       TEXT    NOT NULL,
    action      TEXT    NOT NULL,
    subject     TEXT    NOT NULL,
    -- JSON.
    detail      TEXT    NOT NULL,
    -- Over the other columns (AuditEntry::fingerprint).
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32)
) STRICT;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'entries of the audit log are never changed'); END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'entries of the audit log are never removed'); END;
-- INSERT OR REPLACE would remove a row without the trigger above.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
BEGIN SELECT raise(ABORT, 'entries of the audit log are never replaced'); END;
