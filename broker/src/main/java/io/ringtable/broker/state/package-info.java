/**
 * What the committer knows of its shard, equal to what the tables say: the ring with its references and ledger, and the
 * backlogs. It is told what has become durable, and draws the consequences.
 * <p>
 * Thread: {@code committer} (before it starts: whoever recovers). Must not know: how anything becomes durable, SQL, AMQP,
 * Spring.
 */
package io.ringtable.broker.state;
