-- flush_once: makes one batch durable with messages that are stored once, and what says so.
-- Called by:   PostgresqlFlush, for such a batch in place of flush, in auto-commit: one round trip, commit included.
-- Locks:       READ COMMITTED; as flush and flush_inbox, then the rows of producers and ids.
-- Access path: as flush and flush_inbox; producer_pk, duplicate_id_pk.
-- Changes:     as flush and flush_inbox, and one row per producer and id, or nothing.
SELECT ringtable.flush_once(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                            ?, ?, ?, ?, ?, ?, ?, ?);
