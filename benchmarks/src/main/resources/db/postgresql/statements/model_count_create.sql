-- model_count_create: lets a settlement find its message.
-- Called by:   PostgresModel, once, after model_create.
-- Locks:       none that matter.
-- Access path: none.
-- Changes:     the schema.
ALTER TABLE model_slot SET (fillfactor = 50);
ALTER TABLE model_slot ADD PRIMARY KEY (sequence);
