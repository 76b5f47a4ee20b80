-- read_inbox: committed messages of the inbox, lowest ids first.
-- Called by:   SqlserverReader.readInbox, every few milliseconds: the table is nearly empty.
-- Locks:       none that outlasts a row; waits for no open transaction.
-- Access path: inbox_pk, from its beginning; see procedures/read_inbox.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_inbox @shard_id = ?, @left_out = ?, @messages_max = ?, @bytes_max = ?;
