package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads messages back for subscriptions that fell behind memory: by sequence from the ring, by address and range from
 * the backlog.
 * <p>
 * Thread: {@code reader-1} and {@code reader-2}; results are called back on them. Failure: a store that is away is asked
 * again until it is back.
 */
final class ReadBack implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadBack.class);

    /** Messages per read: enough that a read costs little per message, few enough that memory is bounded. */
    static final int MESSAGES = 512;

    private static final long BYTES = 4L << 20;
    private static final long RETRY_MS = 200;

    private final RingStore store;
    private final ScheduledExecutorService executor;

    ReadBack(RingStore store) {
        this.store = store;
        int[] number = {0};
        this.executor = Executors.newScheduledThreadPool(2, task -> new Thread(task, "reader-" + ++number[0]));
    }

    /**
     * @param result called with what was found in order, and whether there is nothing more; the list is null if a message
     *     is damaged, as logged
     */
    void backlog(Subscription subscription, long after, BiConsumer<List<Ready>, Boolean> result) {
        ask(subscription, result, () -> {
            List<StoredMessage> rows = store.readBacklog(
                    subscription.address().id(), subscription.group(), subscription.bit(), after, MESSAGES, BYTES);
            return new Result(messages(subscription, rows), rows.isEmpty());
        });
    }

    void ring(Subscription subscription, long[] sequences, BiConsumer<List<Ready>, Boolean> result) {
        ask(subscription, result, () -> {
            List<StoredMessage> rows = store.readRing(sequences);
            return new Result(messages(subscription, rows), false);
        });
    }

    private record Result(List<Ready> messages, boolean exhausted) {}

    private void ask(Subscription subscription, BiConsumer<List<Ready>, Boolean> result, Supplier<Result> read) {
        executor.execute(() -> read(subscription, result, read));
    }

    private void read(Subscription subscription, BiConsumer<List<Ready>, Boolean> result, Supplier<Result> read) {
        Result found;
        try {
            found = read.get();
        } catch (StoreFailure failure) {
            if (failure.kind() == StoreFailure.Kind.CORRUPT) {
                LOG.error("{} is parked, a message of it is damaged: {}", subscription, failure.getMessage());
                result.accept(null, false);
            } else {
                LOG.warn("reading {} back is tried again in {} ms: {}", subscription, RETRY_MS, failure.getMessage());
                retry(() -> read(subscription, result, read));
            }
            return;
        }
        result.accept(found.messages(), found.exhausted());
    }

    private void retry(Runnable task) {
        if (!executor.isShutdown()) {
            executor.schedule(task, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    private List<Ready> messages(Subscription subscription, List<StoredMessage> rows) {
        List<Ready> messages = new ArrayList<>(rows.size());
        for (StoredMessage row : rows) {
            byte[] body = row.body() != null ? row.body() : store.readBody(row.bodyId());
            Message message = new Message(
                    subscription.address(),
                    row.publishedAt(),
                    row.priority(),
                    row.expiresAt(),
                    row.deliverAt(),
                    body,
                    row.bodyId());
            messages.add(new Ready(message, row.sequence(), row.group(), row.pending(), 0, false, null));
        }
        return messages;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
