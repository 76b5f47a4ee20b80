-- oldest_owed_message: for every subscription that owes anything, its oldest message and how many follow.
-- Called by:   people; also on a running broker's file, best on a copy (see db/README.md).
-- Locks:       none; reads one snapshot of the log, for as long as a large backlog takes.
-- Access path: the view owed: slot and backlog, each read once.
-- Changes:     nothing.
SELECT address,
       client_id,
       subscription,
       min(sequence) AS oldest_sequence,
       min(published) AS oldest_published,
       count(*) AS owed,
       sum(place = 'backlog') AS owed_in_backlog,
       sum(body_bytes) AS bytes
FROM owed
GROUP BY subscription_id
ORDER BY oldest_sequence;
