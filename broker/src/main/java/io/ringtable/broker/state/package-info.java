/**
 * Holds the committer's picture of its shard, equal to the tables: the ring with its references and ledger, and the
 * backlogs. The committer reports what has become durable; the state draws the consequences.
 * <p>
 * Thread: {@code committer} (before it starts: the starter of the shard). Must not know: how anything becomes durable,
 * SQL, AMQP, Spring.
 */
package io.ringtable.broker.state;
