package io.ringtable.broker.amqp.publish;

/**
 * Counts the transfers that a link has taken, against the rate of its user as well, and knows their usual size.
 * <p>
 * Thread: the connection's event loop.
 */
final class TakenTransfers {
    /** The assumed size of a transfer before the first ones are seen. */
    private static final int SIZE_EXPECTED = 64 * 1024;

    private static final int SIZE_SHARE = 8; // weight of the newest size is 1/8

    private final FlowControl flow;
    private long messages;
    private int averageSize = SIZE_EXPECTED;

    TakenTransfers(FlowControl flow) {
        this.flow = flow;
    }

    /** Counts a transfer of one message or a batch. */
    void take(int count, int bytes) {
        messages += count;
        averageSize += (bytes - averageSize) / SIZE_SHARE;
        flow.published(count, bytes);
    }

    /** Counts a transfer that is refused before anybody counts its messages. */
    void refuse() {
        flow.published(1, 0);
    }

    /** Returns the number of messages since the link was attached. */
    long messages() {
        return messages;
    }

    /** Returns how many transfers may be on their way. @param most the bound without a rate */
    int window(int most) {
        return flow.window(most, averageSize);
    }
}
