package io.ringtable.broker.status;

import java.time.Instant;

/**
 * Shows one open transaction of a client, as its connection's event loop saw it. Immutable.
 *
 * @param id such as {@code c17.t2}
 * @param connection id of its connection
 * @param since when the client declared the transaction
 * @param messages published in the transaction
 * @param bytes of messages, published and received
 * @param settlements of received messages
 * @param rolledBack why the transaction can only roll back; null while it can commit
 */
public record TransactionStatus(
        String id, String connection, Instant since, int messages, long bytes, int settlements, String rolledBack) {}
