package io.ringtable.broker.dispatch;

/**
 * Says from which shard to which a queue moves.
 *
 * @param queue its name
 * @param from number of the shard that it leaves
 * @param to number of the shard that publishers reach already
 */
public record AddressMove(String queue, int from, int to) {}
