-- Allowances of a day or a month, counted under digests; before, they were of a day. The end of the period
-- is enough to tell it from others of its kind, and finds those that are over.
CREATE TABLE period_counts (
    ends_at INTEGER NOT NULL,
    kind    TEXT    NOT NULL CHECK (kind IN ('day', 'month')),
    what    BLOB    NOT NULL CHECK (length(what) = 32),
    taken   INTEGER NOT NULL CHECK (taken > 0),
    PRIMARY KEY (ends_at, kind, what)
) STRICT, WITHOUT ROWID;

INSERT INTO period_counts (ends_at, kind, what, taken)
    SELECT (day + 1) * 86400000, 'day', what, taken FROM day_counts;
DROP TABLE day_counts;
