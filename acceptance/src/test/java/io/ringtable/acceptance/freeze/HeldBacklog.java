package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.BrokerProcess;
import java.io.UncheckedIOException;

/**
 * Fills a queue whose messages the active node holds in memory for a consumer without credit. While that node is
 * frozen, the other node delivers all of them and durably settles them. The consumer writes credit into the frozen
 * node's socket.
 */
final class HeldBacklog implements Trap {
    private static final int TAKEN_EARLY = 5;
    private static final int WINDOW = 500; // below a link's first credit

    private final Account account;
    private final String queue;
    private final int messages;
    private final RawReceiver early;
    private boolean isSettled; // by the other node, or at the end

    HeldBacklog(BrokerProcess active, Account account, String name, int messages) {
        this.account = account;
        this.queue = "held-" + name;
        this.messages = messages;
        this.early = RawReceiver.ofQueue(active.amqpPort(), account, queue, "early", TAKEN_EARLY);
        try (RawPublisher publisher =
                RawPublisher.to(active.amqpPort(), account, "queue", queue, "publisher-of-" + queue)) {
            for (int i = 0; i < messages; i++) {
                publisher.send(queue + "/" + i);
                if (publisher.pending() == WINDOW) {
                    publisher.awaitAccepted();
                }
            }
            publisher.awaitAccepted();
        }
        // Some go their whole way, so that the node may deliver the others without asking the database first.
        early.take(TAKEN_EARLY);
    }

    @Override
    public void spring(BrokerProcess other) {
        settleAll(other);
        try {
            early.grant(2L * messages);
        } catch (UncheckedIOException ended) {
            // A node that runs, cut off from its database, may have closed the connection already: it says nothing
            // then.
        }
    }

    @Override
    public void hearOut() {
        Patience.until("the end of the early consumer's connection", early::isEnded, () -> early.read(Patience.TICK));
    }

    @Override
    public void settle(BrokerProcess active) {
        if (!isSettled) {
            settleAll(active);
        }
    }

    private void settleAll(BrokerProcess node) {
        try (RawReceiver serving =
                RawReceiver.ofQueue(node.amqpPort(), account, queue, "at-" + node.amqpPort(), WINDOW)) {
            serving.takeAll();
        }
        isSettled = true;
    }

    @Override
    public void close() {
        early.close();
    }
}
