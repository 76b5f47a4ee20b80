-- Which nodes there are: each writes its row by timer, so that people and other nodes see it, also while it stands by.

CREATE TABLE ringtable.node (
    node_id     NVARCHAR(100)  NOT NULL, -- id that the node keeps in its data directory
    run_id      VARCHAR(36)    NOT NULL, -- of the process: two with one node_id have copies of one data directory
    description NVARCHAR(400)  NOT NULL, -- for people: host and process
    version     NVARCHAR(100)  NOT NULL, -- of the broker
    state       VARCHAR(20)    NOT NULL, -- what the node said of itself: ACTIVE, STANDBY, FAILED and so on
    url         NVARCHAR(1000) NULL,     -- where clients reach it; NULL while it has no port
    seen_at     DATETIME2(3)   NOT NULL, -- when it last wrote this row, by the clock of this server
    lease_ms    BIGINT         NOT NULL, -- its lease: it counts as lost when it was not seen for longer
    CONSTRAINT node_pk PRIMARY KEY CLUSTERED (node_id),
    CONSTRAINT node_lease_is_positive CHECK (lease_ms > 0)
);
GO
