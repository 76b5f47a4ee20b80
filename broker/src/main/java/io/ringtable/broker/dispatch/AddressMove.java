package io.ringtable.broker.dispatch;

/**
 * Says from which shard to which a queue or a topic moves.
 *
 * @param name of the address
 * @param from number of the shard that it leaves
 * @param to number of the shard that publishers reach already
 */
public record AddressMove(String name, int from, int to) {
    /** The code of a refusal by a node that has one of the two shards, and cannot take the other one. */
    public static final String CANNOT_COME = "RT-4650";

    /** The code of a refusal by a node that had one of the two shards, and has it no more. */
    public static final String GONE = "RT-4651";
}
