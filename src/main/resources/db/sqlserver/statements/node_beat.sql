-- node_beat: says that the node is there, and what it does.
-- Called by:   ServerNodeTable, by timer, on a connection of its own.
-- Locks:       exclusive on the row of the node; waits for no flush and no renewal.
-- Access path: see procedures/node_beat.sql.
-- Changes:     exactly one row. Two processes with one new id: the second one fails, and beats again.
EXECUTE ringtable.node_beat @node_id = ?, @run_id = ?, @description = ?, @version = ?, @state = ?,
                            @url = ?, @lease_ms = ?;
