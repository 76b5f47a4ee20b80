package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Everybody at once. No retry stands here: a deadlock or a busy database fails the test. */
abstract class ContentionContract {
    abstract StoreFixture fixture();

    @Test
    void readersStagersAndRenewersDoNotDisturbTheFlusherNorItThem() throws Exception {
        StoreFixture f = fixture();
        AddressRow topic = f.topic("orders", 1);
        SubscriptionRow subscription = f.subscription(topic, 0);
        AtomicLong committed = new AtomicLong();
        AtomicLong released = new AtomicLong(); // the next gate, told before anything below it is settled
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Long>> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                others.add(threads.submit(reader(f, topic, committed, released, done, i)));
            }
            others.add(threads.submit(stager(f, done)));
            others.add(threads.submit(repeat(done, () -> f.store.renew(f.epoch))));
            others.add(threads.submit(repeat(
                    done, () -> f.store.readBacklog(topic.addressId(), 0, subscription.bit(), -1, 50, 1 << 20))));

            for (int i = 0; f.model.next < 3L * f.model.capacity; i++) {
                f.batch().publish(topic, 200).flush();
                committed.set(f.model.next);
                if (f.model.next > f.model.gate + f.model.capacity - 2048) {
                    released.set(f.model.gate + 1024);
                    // Every third stretch is left to the backlog.
                    if (i % 3 > 0) {
                        f.settleAll(f.model.gate, f.model.gate + 1024);
                    }
                    f.reclaim(f.model.gate + 1024);
                }
            }
            done.set(true);
            for (Future<Long> other : others) {
                assertThat(other.get(60, TimeUnit.SECONDS)).isPositive();
            }
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
        assertThat(f.store.orphanedBodies()).isEmpty();
        f.agrees();
    }

    @Test
    void anOwnerThatIsReplacedInFullFlightIsFencedAndNothingIsLost() throws Exception {
        StoreFixture f = fixture();
        AddressRow topic = f.topic("orders", 1);
        AtomicLong flushed = new AtomicLong();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<StoreFailure> former = threads.submit(() -> {
                try {
                    while (!Thread.currentThread().isInterrupted()) {
                        if (f.model.next + 7 > f.model.gate + f.model.capacity) {
                            f.settleAll(f.model.gate, f.model.gate + 1024);
                            f.reclaim(f.model.gate + 1024);
                        }
                        f.batch().publish(topic, 7).flush();
                        flushed.set(f.model.next);
                    }
                    return null;
                } catch (StoreFailure failure) {
                    return failure;
                }
            });
            org.awaitility.Awaitility.await().until(() -> flushed.get() > 70);
            RingStore successor = f.store.limits().exclusiveFile() ? f.store : f.database.open();
            // The same node id: it need not wait for the lease.
            Ownership.Owned owned = (Ownership.Owned)
                    successor.acquire(StoreFixture.NODE, "successor", StoreFixture.LEASE, StoreFixture.GEOMETRY);
            StoreFailure failure = former.get(60, TimeUnit.SECONDS);
            assertThat(failure).isNotNull();
            assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.FENCED);
            if (successor != f.store) {
                f.store.close();
                f.store = successor;
            }
            f.epoch = owned.epoch();
            f.agrees();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Reads while others write: each committed message is in the ring, or the gate has passed it meanwhile. */
    private static Callable<Long> reader(
            StoreFixture f,
            AddressRow topic,
            AtomicLong committed,
            AtomicLong released,
            AtomicBoolean done,
            long seed) {
        Random random = new Random(seed);
        return repeat(done, () -> {
            long next = committed.get();
            if (next > 0) {
                long from = Math.max(0, next - 1 - random.nextInt(100));
                long[] sequences = {from, next - 1};
                for (StoredMessage m : f.store.readRing(sequences)) {
                    assertThat(m.addressId()).isEqualTo(topic.addressId());
                    assertThat(new String(m.body(), java.nio.charset.StandardCharsets.UTF_8))
                            .startsWith("message " + m.sequence() + " ");
                }
                boolean there = f.store.readRing(new long[] {next - 1}).size() == 1;
                // A thread that was kept waiting between the two may find the ring a lap on.
                assertThat(there || released.get() >= next)
                        .as("message %d, committed and not yet released, is in the ring", next - 1)
                        .isTrue();
            }
        });
    }

    private static Callable<Long> stager(StoreFixture f, AtomicBoolean done) {
        AtomicLong bodyId = new AtomicLong();
        return repeat(done, () -> {
            byte[] body = new byte[1_500_000];
            long id = bodyId.incrementAndGet();
            f.store.stage(f.epoch, id, body);
            assertThat(f.store.readBody(id)).hasSize(body.length);
            f.store.unstage(f.epoch, new long[] {id});
        });
    }

    private static Callable<Long> repeat(AtomicBoolean done, Runnable work) {
        return () -> {
            long times = 0;
            while (!done.get()) {
                work.run();
                times++;
            }
            return times;
        };
    }
}
