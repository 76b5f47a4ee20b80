-- flush: makes one batch of claims and settlements durable.
-- Called by:   PostgresqlFlush, once per batch, in auto-commit: one round trip, commit included.
-- Locks:       READ COMMITTED; the owner row, the rows of the ledger; nothing else.
-- Access path: appends to the segment of each sequence; settlement_pk.
-- Changes:     one row per message, block and bit, or nothing.
SELECT ringtable.flush(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
