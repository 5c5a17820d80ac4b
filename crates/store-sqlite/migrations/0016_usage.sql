-- The calls of licences in a month (whole months since January 1970), compared with their quota.
CREATE TABLE usage_months (
    licence_id TEXT    NOT NULL,
    month      INTEGER NOT NULL,
    calls      INTEGER NOT NULL CHECK (calls >= 0),
    PRIMARY KEY (licence_id, month)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_months_by_month ON usage_months (month);

-- The same calls by day (whole days since 1970) and operation.
CREATE TABLE usage_days (
    licence_id TEXT    NOT NULL,
    day        INTEGER NOT NULL,
    operation  TEXT    NOT NULL,
    calls      INTEGER NOT NULL CHECK (calls >= 0),
    PRIMARY KEY (licence_id, day, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_days_by_day ON usage_days (day);
