package io.ringtable.benchmarks.endtoend;

import java.util.function.Consumer;

/** A client library under load. Thread: any; each sender and each receiver has a connection of its own. */
interface Driver {

    Sender sender(Destination to);

    /**
     * Hands each message's body to the consumer and acknowledges it when that returns.
     *
     * @param durableName of a durable subscription; null = none (a queue needs none)
     */
    Receiver receiver(Destination from, String durableName, Consumer<byte[]> onMessage);

    /** Publishes persistent messages. Thread: one at a time. */
    interface Sender extends AutoCloseable {

        /** Returns as soon as there is room among those under way. @param accepted called when the broker has stored it */
        void send(byte[] body, Runnable accepted);

        /** Returns when the broker has stored it. */
        void sendAndWait(byte[] body);

        @Override
        void close();
    }

    /** Receives until it is closed. */
    interface Receiver extends AutoCloseable {
        @Override
        void close();
    }
}
