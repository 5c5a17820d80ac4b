-- Addresses of licence holders to which events are sent.
CREATE TABLE webhooks (
    id            TEXT    NOT NULL PRIMARY KEY,
    licence_id    TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    -- Names between spaces.
    events        TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    failing_since INTEGER,
    disabled_at   INTEGER,
    disabled_why  TEXT
) STRICT;
CREATE INDEX webhooks_by_licence ON webhooks (licence_id, created_at);
CREATE INDEX webhooks_active ON webhooks (id) WHERE disabled_at IS NULL;

-- How far a source of events was read.
CREATE TABLE fan_out_cursors (
    source TEXT    NOT NULL PRIMARY KEY,
    cursor INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Events on their way to a webhook.
CREATE TABLE deliveries (
    seq          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    webhook_id   TEXT    NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event        TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    next_try_at  INTEGER NOT NULL,
    -- Null while nobody has it.
    leased_until INTEGER,
    tries        INTEGER NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('waiting', 'delivered', 'dead')),
    last_status  INTEGER,
    last_error   TEXT,
    ended_at     INTEGER,
    body         BLOB    NOT NULL
) STRICT;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, seq);
CREATE INDEX deliveries_waiting ON deliveries (webhook_id, next_try_at, seq) WHERE state = 'waiting';
CREATE INDEX deliveries_leased ON deliveries (webhook_id, leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
