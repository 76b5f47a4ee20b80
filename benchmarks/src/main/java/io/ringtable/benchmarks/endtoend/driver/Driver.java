package io.ringtable.benchmarks.endtoend.driver;

import java.util.function.Consumer;

/** Drives a client library. Thread: any; each sender and each receiver has a connection of its own. */
public interface Driver {

    Sender sender(Destination to);

    /**
     * Hands each message's body to the consumer and acknowledges it when that returns.
     *
     * @param durableName of a durable subscription; null for none (a queue needs none)
     */
    Receiver receiver(Destination from, String durableName, Consumer<byte[]> onMessage);

    /** Subscribes to a topic and takes nothing, like a subscriber whose application hangs. */
    Receiver stalled(Destination from, String durableName);

    /** Publishes persistent messages. Thread: one at a time. */
    interface Sender extends AutoCloseable {

        /**
         * Sends a message and returns without its outcome; waits while too many are under way.
         *
         * @param accepted called when the broker has stored the message
         */
        void send(byte[] body, Runnable accepted);

        /** Sends a message and returns when the broker has stored it. */
        void sendAndWait(byte[] body);

        /** Tells the sender that no other message follows for a while, so that it waits for none to make a batch. */
        default void flush() {}

        @Override
        void close();
    }

    /** Receives until it is closed. */
    interface Receiver extends AutoCloseable {
        @Override
        void close();
    }
}
