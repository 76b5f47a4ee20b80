-- ring_overview: who owns the ring, how full it is, and how much lies in the backlog and in overflow.
-- Called by:   people; also on a running broker's file, best on a copy (see db/README.md).
-- Locks:       none; reads one snapshot of the log.
-- Access path: slot, backlog_summary and overflow, each read once.
-- Changes:     nothing.
SELECT h.next_id >> 40 AS shard_id,
       h.node,
       h.epoch,
       datetime(h.acquired_at / 1000, 'unixepoch') AS owned_since,
       h.capacity,
       h.gate,
       r.next,
       h.gate + h.capacity - r.next AS room,
       (SELECT count(*) FROM address) AS addresses,
       (SELECT count(*) FROM subscription) AS subscriptions,
       coalesce((SELECT sum(messages) FROM backlog_summary), 0) AS backlog_messages,
       coalesce((SELECT sum(bytes) FROM backlog_summary), 0) AS backlog_bytes,
       (SELECT count(DISTINCT body_id) FROM overflow) AS bodies_in_overflow
FROM shard AS h
CROSS JOIN (SELECT max(max(m.sequence) + 1, s.gate) AS next FROM slot AS m CROSS JOIN shard AS s) AS r;
