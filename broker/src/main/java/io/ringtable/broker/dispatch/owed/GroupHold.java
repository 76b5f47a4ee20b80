package io.ringtable.broker.dispatch.owed;

/**
 * Tells what of its group keeps a message from a consumer.
 *
 * @param group id of the group, or its digest
 * @param owner the consumer that has the group; null if an earlier message of the group holds this one up
 * @param earlier that message, which rests or is in a transaction; {@link #NO_MESSAGE} if there is an owner
 */
public record GroupHold(String group, Recipient owner, long earlier) {
    public static final long NO_MESSAGE = -1;
}
