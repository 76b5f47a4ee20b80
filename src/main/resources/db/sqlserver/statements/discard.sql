-- discard: deletes what nobody owes any more from the backlog of an address.
-- Called by:   SqlserverWriter.discard.
-- Locks:       the owner row, then the deleted rows; see procedures/discard.sql.
-- Access path: see procedures/discard.sql.
-- Changes:     backlog, its ledger and its summary; answers the summary.
EXECUTE ringtable.discard @shard_id = ?, @epoch = ?, @address_id = ?, @from_sequence = ?, @to_sequence = ?;
