-- read_inbox: committed messages of the inbox, lowest ids first.
-- Called by:   PostgresqlReader.readInbox, every few milliseconds: the table is nearly empty.
-- Locks:       none.
-- Access path: inbox_pk, from its beginning.
-- Changes:     nothing.
SELECT inbox_id, address, kind, content, body, properties, age_ms
FROM ringtable.read_inbox(?, ?, ?, ?);
