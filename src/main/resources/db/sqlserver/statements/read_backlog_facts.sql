-- read_backlog_facts: messages of an address in the backlog that named a bit when they were moved, without bodies.
-- Called by:   SqlserverReader.readBacklogFacts.
-- Locks:       none that outlasts a row.
-- Access path: see procedures/read_backlog_facts.sql.
-- Changes:     nothing.
EXECUTE ringtable.read_backlog_facts
    @shard_id = ?, @address_id = ?, @group_no = ?, @bit = ?, @after = ?, @rows_max = ?;
