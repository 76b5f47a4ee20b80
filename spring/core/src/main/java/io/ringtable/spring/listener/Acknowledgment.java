package io.ringtable.spring.listener;

/**
 * Settles what a method of a listener in mode {@link AckMode#MANUAL} was given: its message, or every message of its
 * batch. The first settlement of a message counts. May be called from any thread, also after the method has returned.
 * <p>
 * Each method returns false if a message was settled before or its connection is lost, as
 * {@link io.ringtable.client.ReceivedMessage} says.
 */
public interface Acknowledgment {

    /** Settles as dealt with. */
    boolean acknowledge();

    /** Settles as tried and failed: comes again, counted, until it goes to the dead-letter queue. */
    boolean fail();

    /** Gives back as not wanted here and now: comes again, not counted. */
    boolean release();

    /**
     * Settles as never acceptable: goes to the dead-letter queue.
     *
     * @param reason for the people who will look there
     */
    boolean reject(String reason);
}
