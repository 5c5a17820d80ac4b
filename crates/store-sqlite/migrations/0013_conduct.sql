-- What agents did on the service's own site, counted by agent: one row for each UTC day. No addresses.
CREATE TABLE conduct_days (
    -- Whole days since 1970.
    day         INTEGER NOT NULL PRIMARY KEY,
    -- Since when requests were counted for this day.
    since       INTEGER NOT NULL,
    -- Over the other columns (ConductDay::fingerprint).
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    -- The counts by agent, as JSON.
    counts      BLOB    NOT NULL
) STRICT;
