package io.ringtable.broker.dispatch.readback;

import io.ringtable.broker.catalog.LoginIds;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.dispatch.owed.Reading;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads messages back for subscriptions that fell behind memory: by sequence from the ring, by address and range from
 * the backlog.
 * <p>
 * Thread: that of its executor; results are called back on it.
 * <p>
 * Failure: a read that fails is tried again until it succeeds, whether the store is away or memory is short. A message
 * that is damaged, or that makes no sense, comes with the result, after those before it.
 */
public final class StoreReader {
    private static final Logger LOG = LoggerFactory.getLogger(StoreReader.class);

    /** Bounds the bytes of bodies per read; only a first body that is larger goes beyond. */
    public static final long BYTES_MAX = 1L << 20;

    private static final long RETRY_MS = 200;
    private static final int TRIES_PER_LINE = 150; // one line of the log every 30 s

    private final RingReads store;
    private final LoginIds logins;
    private final MessageFormat format;
    private final Executor executor;
    private final Executor later;

    /** Names a message that cannot be read. */
    public record Damage(long sequence, String reason) {}

    /**
     * Holds what one read found, in order.
     *
     * @param exhausted whether there was nothing more at all
     * @param cut whether the bodies are enough for one read: nothing after the last one was looked at
     * @param damage of the message after the last one found; null if none
     */
    public record Found(List<Ready> messages, boolean exhausted, boolean cut, Damage damage) {
        static Found damaged(List<Ready> before, Damage damage) {
            return new Found(before, false, false, damage);
        }
    }

    /** @param later runs the next try of a read that failed, see {@link #later} */
    public StoreReader(RingReads store, LoginIds logins, MessageFormat format, Executor executor, Executor later) {
        this.store = store;
        this.logins = logins;
        this.format = format;
        this.executor = executor;
        this.later = later;
    }

    /** Returns what lets the time until the next try pass, and then runs it on the executor. */
    public static Executor later(Executor executor) {
        return CompletableFuture.delayedExecutor(RETRY_MS, TimeUnit.MILLISECONDS, executor);
    }

    /** @param delayed told each time the read fails and will be tried again */
    public void backlog(Subscription subscription, long after, Consumer<Found> result, Runnable delayed) {
        executor.execute(() -> read(
                subscription,
                after + 1,
                () -> store.readBacklog(
                        subscription.address().id(),
                        subscription.group(),
                        subscription.bit(),
                        after,
                        Reading.MESSAGES_MAX,
                        BYTES_MAX),
                result,
                delayed,
                1));
    }

    /**
     * Reads rows of the ring by sequence. The result leaves out messages that have just left the ring.
     *
     * @param delayed told each time the read fails and will be tried again
     */
    public void ring(Subscription subscription, long[] sequences, Consumer<Found> result, Runnable delayed) {
        executor.execute(() -> read(subscription, sequences[0], () -> store.readRing(sequences), result, delayed, 1));
    }

    private void read(
            Subscription subscription,
            long first,
            Supplier<List<StoredMessage>> rows,
            Consumer<Found> result,
            Runnable delayed,
            int tries) {
        Found found;
        try {
            found = messages(subscription, rows.get());
        } catch (StoreFailure failure) {
            if (failure.kind() == StoreFailure.Kind.CORRUPT) {
                found = Found.damaged(List.of(), new Damage(first, failure.getMessage()));
            } else {
                if (tries % TRIES_PER_LINE == 1) {
                    LOG.warn(
                            "{} cannot be read back; the broker tries again until it can: {}",
                            subscription,
                            failure.getMessage());
                }
                again(subscription, first, rows, result, delayed, tries);
                return;
            }
        } catch (Throwable failure) { // else the thread would end, and no other would read on
            LOG.warn("RT-2315 {} cannot be read back; the broker tries again until it can", subscription, failure);
            again(subscription, first, rows, result, delayed, tries);
            return;
        }
        result.accept(found);
    }

    private void again(
            Subscription subscription,
            long first,
            Supplier<List<StoredMessage>> rows,
            Consumer<Found> result,
            Runnable delayed,
            int tries) {
        delayed.run();
        later.execute(() -> read(subscription, first, rows, result, delayed, tries + 1));
    }

    private Found messages(Subscription subscription, List<StoredMessage> rows) {
        List<Ready> messages = new ArrayList<>(rows.size());
        long bytes = 0;
        for (StoredMessage row : rows) {
            if (bytes > 0 && bytes + row.bodyBytes() > BYTES_MAX) {
                return new Found(messages, false, true, null);
            }
            bytes += row.bodyBytes();
            byte[] body;
            try {
                body = row.body() != null ? row.body() : store.readBody(row.bodyId());
            } catch (StoreFailure failure) {
                if (failure.kind() == StoreFailure.Kind.CORRUPT) {
                    return Found.damaged(messages, new Damage(row.sequence(), failure.getMessage()));
                }
                throw failure;
            }
            MessageFormat.Facts facts;
            try {
                facts = format.facts(body);
            } catch (RuntimeException failure) { // of this message alone: those before it are served
                return Found.damaged(
                        messages, new Damage(row.sequence(), "RT-2316 its group cannot be read: " + failure));
            }
            Message message = new Message(
                    subscription.address(),
                    row.publishedAt(),
                    row.priority(),
                    row.expiresAt(),
                    row.deliverAt(),
                    body,
                    row.bodyId(),
                    facts.group(),
                    null,
                    logins.of(row.loginId()),
                    facts.traceAt());
            messages.add(new Ready(message, row.sequence(), row.group(), row.pending(), 0, false, null));
        }
        return new Found(messages, rows.isEmpty(), false, null);
    }
}
