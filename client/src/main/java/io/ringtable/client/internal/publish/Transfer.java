package io.ringtable.client.internal.publish;

import java.util.List;

/** Holds one AMQP delivery to the broker, with one or more messages, until its outcome. Thread: the I/O thread. */
final class Transfer {

    private final List<Outgoing> messages;
    private final long bytes;
    private boolean answered;
    private boolean outOfOrder;

    Transfer(List<Outgoing> messages, long bytes) {
        this.messages = messages;
        this.bytes = bytes;
    }

    List<Outgoing> messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

    boolean isAnswered() {
        return answered;
    }

    void answered() {
        answered = true;
    }

    /** Returns the number of the last message; 0 = the publisher has no producer id. */
    long lastNumber() {
        return messages.get(messages.size() - 1).number();
    }

    /** Tells whether the broker refused it because it had refused one before it; then it is sent again. */
    boolean isOutOfOrder() {
        return outOfOrder;
    }

    void outOfOrder() {
        outOfOrder = true;
    }
}
