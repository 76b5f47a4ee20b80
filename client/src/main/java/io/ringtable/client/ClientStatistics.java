package io.ringtable.client;

/**
 * Counts the work of a client since it was created. The counts agree with each other only when nothing is under way.
 *
 * @param published messages handed in
 * @param accepted messages that the broker has stored
 * @param rejected messages whose future failed
 * @param publishTransfers AMQP deliveries used for them; accepted / publishTransfers = messages per batch
 * @param received messages that have arrived @param acknowledged messages received and acknowledged @param
 *     notAcknowledged messages rejected, released or failed by the application
 * @param settlementsLost settlements that were void because their connection was lost
 * @param dispositionsSent AMQP frames used for settlements; fewer than messages, because neighbours share one @param
 *     connections connections opened, the first one included
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
