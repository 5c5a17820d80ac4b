-- Which scans were made for which licence, in the order of storing. A row goes with its scan.
CREATE TABLE licence_scans (
    seq        INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    licence_id TEXT    NOT NULL,
    scan_id    TEXT    NOT NULL UNIQUE REFERENCES scans (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX licence_scans_by_licence ON licence_scans (licence_id, seq);
