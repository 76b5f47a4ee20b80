-- Which nodes there are: on SQLite the process that has the file, and perhaps rows of earlier ones.

CREATE TABLE node (
    node_id          TEXT    PRIMARY KEY, -- id that the node keeps in its data directory
    run_id           TEXT    NOT NULL,    -- of the process
    description      TEXT    NOT NULL,    -- host and process, for people
    version          TEXT    NOT NULL,    -- of the broker
    state            TEXT    NOT NULL,    -- what the node said of itself: ACTIVE, FAILED and so on
    url              TEXT,                -- where clients reach it; NULL while it has no port
    seen_at          INTEGER NOT NULL,    -- when it last wrote this row: on SQLite once a minute, or with a change
    lease_ms         INTEGER NOT NULL,    -- its lease
    CONSTRAINT lease_is_positive CHECK (lease_ms > 0)
) STRICT, WITHOUT ROWID;
