package io.ringtable.broker.shard;

import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.commit.FlushDelays;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.dispatch.Dispatcher;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.recovery.RecoveredShard;
import io.ringtable.broker.recovery.Recovery;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitterDoors;
import io.ringtable.broker.work.Deduplication;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Holds committer and dispatcher of one shard on a real SQLite file, stepped by the test's thread. No turn is taken
 * unless the test takes it, and nothing sleeps.
 */
final class SteppedShard implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(10);
    static final RingGeometry GEOMETRY = new RingGeometry(RingGeometry.CAPACITY_STEP);

    final Path directory;
    CommitProperties commit = SteppedSettings.COMMIT.commit();
    AddressCreation creation = AddressCreation.ANY;
    DispatchProperties dispatch = SteppedSettings.dispatch(64L << 20, 1_000, 16 << 20, 1_000);
    AddressPolicies policies = SteppedSettings.PLAIN;
    int sliceSteps = Dispatcher.SLICE_STEPS;
    long now = 1_800_000_000_000L;
    FaultyStore store;
    Dispatcher dispatcher;
    Committer committer;
    CommitterDoors doors;
    Deduplicator deduplicator;
    RingState state;
    boolean committerIsBlind; // looks at no clock
    boolean dispatcherIsBlind;
    String nodeId = "node-1";
    LongSupplier nanoClock; // null = its lease has no end
    Lease lease;
    CommitListener oracle; // hears everything before the dispatcher does
    boolean deadLettersFail;
    private final Deque<Runnable> reads = new ArrayDeque<>();
    private StoreLimits limits;

    SteppedShard(Path directory) {
        this.directory = directory;
    }

    /** Opens the file and recovers. */
    SteppedShard open() {
        SqliteTestDatabase.layMigrated(directory, 0);
        return open(RingStores.open(StoreSettings.embedded(directory)));
    }

    /** Recovers from a store that is open, and perhaps another node's as well. */
    SteppedShard open(RingStore shared) {
        store = new FaultyStore(shared);
        limits = store.limits();
        return begin();
    }

    /** Takes the next epoch and recovers, on the store that is open. */
    SteppedShard begin() {
        Reconciler.Node node = new Reconciler.Node(nodeId, "test", LEASE, GEOMETRY);
        long asked = nanoClock == null ? 0 : nanoClock.getAsLong();
        Ownership.Owned owned =
                (Ownership.Owned) store.acquire(node.id(), node.description(), node.lease(), node.geometry());
        lease = nanoClock == null ? Lease.withoutEnd() : Lease.begun(LEASE, nanoClock, asked);
        reads.clear();
        dispatcher = new Dispatcher(
                dispatch,
                policies,
                sliceSteps,
                new Doorbell(),
                new Texts(() -> deadLettersFail),
                () -> now,
                dispatcherIsBlind ? Lease.withoutEnd() : lease);
        RecoveredShard recovered = new Recovery(
                        store,
                        dispatcher,
                        SteppedShard::selector,
                        () -> new AddressQuota(
                                commit.quotaMessages(), commit.quotaBytes().toBytes()))
                .recover(owned.epoch());
        state = recovered.state();
        deduplicator = recovered.deduplicator();
        Reconciler reconciler = new Reconciler(store, node, lease, CommitMonitor.NONE, () -> false);
        committer = new Committer(
                new CommitSettings(commit, creation, topic -> policies.retention(topic), FlushDelays.NONE),
                () -> now,
                store,
                state,
                deduplicator,
                reconciler,
                committerIsBlind ? Lease.withoutEnd() : lease,
                oracle == null ? dispatcher : new InTurn(oracle, dispatcher),
                CommitMonitor.NONE,
                new Doorbell());
        doors = committer.doors();
        dispatcher.begin(doors, store, owned.epoch(), state.ring().gate(), reads::add, reads::add);
        return this;
    }

    /** Wants the texts that begin with its own. */
    static Selector selector(String prefix) {
        return new Texts.Prefix(prefix);
    }

    // ---- turns

    int commitTurn() {
        return committer.doWork();
    }

    int dispatchTurn() {
        return dispatcher.doWork();
    }

    /** Runs what was asked of the store so far. A read that fails has its next try in the next turn. */
    int readTurn() {
        int asked = reads.size();
        for (int i = 0; i < asked; i++) {
            reads.poll().run();
        }
        return asked;
    }

    /** Turns until nobody has anything to do. @return whether there was something */
    boolean run() {
        boolean worked = false;
        int idle = 0;
        for (int turns = 0; idle < 2; turns++) {
            if (turns > 100_000) {
                throw new AssertionError("the shard does not come to rest");
            }
            int done = commitTurn() + dispatchTurn() + readTurn();
            idle = done == 0 ? idle + 1 : 0;
            worked |= done > 0;
        }
        return worked;
    }

    // ---- ends

    /** The process dies: nothing is flushed, whatever memory knew is gone. */
    void crash() {
        committer.end(new Refusal(Refusal.Reason.UNAVAILABLE, "RT-0000", "crashed"));
    }

    void crashAndRestart() {
        crash();
        store.plan = FaultyStore.NOTHING_FAILS;
        begin();
    }

    /** As the broker stops: consumers are gone by now. */
    void stop() {
        run();
        committer.onClose();
        dispatchTurn();
    }

    void stopAndRestart() {
        stop();
        store.close();
        open();
    }

    @Override
    public void close() {
        crash();
        store.close();
    }

    // ---- what clients do

    <T> T await(CompletionStage<T> stage) {
        run();
        return stage.toCompletableFuture().join();
    }

    Address queue(String name) {
        return await(doors.catalog().ensure(name, AddressKind.QUEUE));
    }

    Address topic(String name) {
        return await(doors.catalog().ensure(name, AddressKind.TOPIC));
    }

    Subscription reader(Address queue) {
        return doors.lookup().readerOf(queue);
    }

    /** Nobody attends it. */
    Subscription subscribe(Address topic, String name) {
        Subscription subscription = await(doors.catalog().subscribe(topic, "client", name, null, false, true));
        doors.catalog().leave(subscription);
        return subscription;
    }

    /** As the catalogue has it now, after a restart. */
    Address address(String name) {
        return doors.lookup().find(name);
    }

    Subscription subscription(String name) {
        return doors.lookup().find("client", name);
    }

    SubscriptionEntry entry(Subscription subscription) {
        return committer.entries().entry(subscription.address().id()).subscriptions().stream()
                .filter(entry -> entry.subscription().equals(subscription))
                .findFirst()
                .orElseThrow();
    }

    Message message(Address address, byte[] body) {
        return message(address, Message.PRIORITY_NORMAL, 0, body, PublisherLogin.UNKNOWN);
    }

    Message message(Address address, int priority, long deliverAt, byte[] body, PublisherLogin login) {
        long bodyId = 0;
        if (body.length > limits.inlineBytesMax()) {
            bodyId = doors.bodyIds().nextBodyId();
            stage(bodyId, body);
        }
        return new Message(
                address,
                now,
                priority,
                0,
                deliverAt,
                body,
                bodyId,
                new Texts(() -> deadLettersFail).facts(body).group(),
                login);
    }

    void stage(long bodyId, byte[] body) {
        CountDownLatch staged = new CountDownLatch(1);
        List<Refusal> refused = new ArrayList<>();
        doors.stager().stage(bodyId, body, refusal -> {
            if (refusal != null) {
                refused.add(refusal);
            }
            staged.countDown();
        });
        try {
            if (!staged.await(60, TimeUnit.SECONDS) || !refused.isEmpty()) {
                throw new AssertionError("not staged: " + refused);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A link attends the producer, in the order of requests. @param incarnation 0 = it is opened anew */
    Producer attend(Address address, String name, long incarnation, Runnable fenced) {
        return await(doors.catalog().attend(address, name, incarnation, "owner of " + name, fenced));
    }

    /** Hands in one work whose messages are stored once, its places reserved. */
    Outcome submit(Deduplication once, Message... messages) {
        return submit(once, List.of(), messages);
    }

    /** The same with settlements: a transaction. */
    Outcome submit(Deduplication once, List<Settle> settlements, Message... messages) {
        for (Message message : messages) {
            if (!message.address().quota().tryReserve(1, message.bytes())) {
                throw new AssertionError(message.address() + " is full");
            }
        }
        Outcome outcome = new Outcome();
        if (!doors.committer().trySubmit(new Work(List.of(messages), settlements, once, outcome))) {
            throw new AssertionError("the mailbox is full");
        }
        return outcome;
    }

    /** Hands in one work, its places reserved. */
    Outcome submit(Message... messages) {
        return submit(Deduplication.NONE, messages);
    }

    Outcome publish(Address address, String text) {
        return submit(message(address, bytes(text)));
    }

    /** So many messages, numbered, durable when it returns. */
    void publish(Address address, int from, int to) {
        for (int i = from; i < to; i++) {
            publish(address, Integer.toString(i));
            if (i % 1_000 == 999) {
                run();
            }
        }
        run();
    }

    Reader attach(Subscription subscription, long credit) {
        return attach(subscription, null, credit);
    }

    /** @param prefix it wants the texts that begin so; null = every one */
    Reader attach(Subscription subscription, String prefix, long credit) {
        Reader reader = new Reader(this, subscription, prefix == null ? null : selector(prefix));
        dispatcher.mailbox().attach(reader, subscription);
        reader.credit(credit);
        return reader;
    }

    Reader attachOf(Mailbox connection, Subscription subscription, long credit) {
        Reader reader = new Reader(this, subscription, null);
        reader.connection = connection;
        dispatcher.mailbox().attach(reader, subscription);
        reader.credit(credit);
        return reader;
    }

    /** @param prefix it wants to see the texts that begin so; null = every one */
    Reader browse(Subscription subscription, String prefix, long credit) {
        Reader reader = new Reader(this, subscription, prefix == null ? null : selector(prefix));
        dispatcher.mailbox().browse(reader, subscription);
        reader.credit(credit);
        return reader;
    }

    /** So much goes through the ring that everything before, if it is owed, lies in the backlog. */
    void passALap() {
        Address other = queue("another");
        Reader reader = attach(reader(other), 1_000_000);
        for (int i = 0; i < 2 * GEOMETRY.capacity(); i += 1_000) {
            publish(other, i, i + 1_000);
            reader.acceptAll();
            run();
        }
        reader.detach(false);
        run();
        if (state.ring().gate() <= GEOMETRY.capacity()) {
            throw new AssertionError("the gate is at " + state.ring().gate());
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(Delivery delivery) {
        return new String(delivery.message().encoded(), StandardCharsets.UTF_8);
    }
}
