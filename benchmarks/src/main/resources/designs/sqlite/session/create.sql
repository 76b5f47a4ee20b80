-- Statistics of pushes and pops.
-- Source: Adkin, "Super Scaling Queues Using the LMax Disruptor Pattern": PushStats and PopStats.
CREATE TABLE push_stats (session integer NOT NULL, messages integer NOT NULL);
CREATE TABLE pop_stats (session integer NOT NULL, subscriber integer NOT NULL, messages integer NOT NULL);
