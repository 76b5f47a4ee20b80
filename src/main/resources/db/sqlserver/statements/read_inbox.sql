-- read_inbox: committed messages of the inbox, lowest ids first.
-- Called by:   SqlserverReader.readInbox, every few milliseconds: the table is nearly empty.
-- Locks:       none that outlasts a row; waits for no open transaction.
-- Access path: inbox_pk, from its beginning; a procedure of V003__inbox.sql, which says it at its head.
-- Changes:     nothing.
EXECUTE ringtable.read_inbox ?, ?, ?, ?;
