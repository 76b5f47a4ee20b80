-- read_inbox: what applications have committed in the inbox, lowest ids first.
-- Called by:   PostgresqlReader.readInbox, every few milliseconds: the table is nearly empty.
-- Locks:       none.
-- Access path: inbox_pk, from its beginning; of a settlement also subscription_pk and backlog_pk.
-- Changes:     nothing.
SELECT inbox_id, address, kind, content, body, properties, age_ms, published_by,
       subscription_id, sequence, address_id, place, pending, body_bytes, body_id
FROM ringtable.read_inbox(p_shard_id => ?, p_left_out => ?, p_rows_max => ?, p_bytes_max => ?);
