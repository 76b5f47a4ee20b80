package io.ringtable.broker.dispatch;

/**
 * Says from which shard to which a queue or a topic moves.
 *
 * @param name of the address
 * @param from number of the shard that it leaves
 * @param to number of the shard that publishers reach already
 */
public record AddressMove(String name, int from, int to) {}
