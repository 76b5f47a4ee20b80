package io.ringtable.client;

/**
 * What a client has done since it was created. A consistent picture only when nothing is under way.
 *
 * @param published messages handed in
 * @param accepted messages that the broker has stored
 * @param rejected messages whose future failed
 * @param publishTransfers AMQP deliveries used for them; accepted / publishTransfers = messages per batch
 * @param received messages that have arrived
 * @param acknowledged of them
 * @param notAcknowledged rejected, released or failed by the application
 * @param settlementsLost settlements that were void because their connection was lost
 * @param dispositionsSent AMQP frames used for settlements; fewer than messages, because neighbours share one
 * @param connections opened, the first one included
 */
public record ClientStatistics(
        long published,
        long accepted,
        long rejected,
        long publishTransfers,
        long received,
        long acknowledged,
        long notAcknowledged,
        long settlementsLost,
        long dispositionsSent,
        long connections) {}
