package io.ringtable.benchmarks.endtoend.naive;

import io.ringtable.benchmarks.endtoend.driver.Destination;
import io.ringtable.benchmarks.endtoend.driver.Driver;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.function.Consumer;

/** Opens the clients of a naive queue, as many connections as clients. Thread: main. */
final class NaiveDriver implements Driver {
    private final NaiveQueue queue;
    private final int batchMax;
    private final Duration poll;
    private final Consumer<Throwable> failed;
    private int subscribers;

    NaiveDriver(NaiveQueue queue, int batchMax, Duration poll, Consumer<Throwable> failed) {
        this.queue = queue;
        this.batchMax = batchMax;
        this.poll = poll;
        this.failed = failed;
    }

    @Override
    public Sender sender(Destination to) {
        String push = queue.sql(to.topic() ? QueueStatement.TOPIC_PUSH : QueueStatement.QUEUE_PUSH);
        return new NaiveSender(queue.open(batchMax == 1), push, batchMax);
    }

    @Override
    public Receiver receiver(Destination from, String durableName, Consumer<byte[]> onMessage) {
        int subscriber = durableName == null ? NaiveReceiver.QUEUE : subscribe();
        String pop = queue.sql(durableName == null ? QueueStatement.QUEUE_POP : QueueStatement.TOPIC_POP);
        return NaiveReceiver.start(
                queue.open(false), new NaiveReceiver.Pop(pop, subscriber, batchMax), poll, onMessage, failed);
    }

    @Override
    public Receiver stalled(Destination from, String durableName) {
        subscribe();
        return () -> {}; // without a connection: its rows pile up
    }

    private int subscribe() {
        int subscriber = ++subscribers;
        try (NaiveSession session = queue.open(true)) {
            PreparedStatement subscribe = session.prepare(queue.sql(QueueStatement.TOPIC_SUBSCRIBE));
            session.transact(() -> {
                subscribe.setInt(1, subscriber);
                return subscribe.executeUpdate();
            });
        }
        return subscriber;
    }
}
