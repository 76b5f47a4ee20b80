package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ReplayRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.CommitListener;
import io.ringtable.broker.work.Committed;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Publishers to topics with retention, subscriptions that begin now or at a time in the past, with selectors or without, consumers that come
 * and go, a clock that makes messages too old, beside a store that fails before and after its commits and processes that die. Seeded; the
 * failure names seed and step.
 * <p>
 * Invariants checked: a subscription gets every message that it wants of its topic from where it begins, on first delivery exactly once,
 * without a hole and in the order in which they were committed, whether they are copies or not; what is settled durably never comes back;
 * what may have been seen comes flagged; when everything is consumed and too old nothing is left, in the backlog or in a quota.
 * <p>
 * {@code -Dsimulation.seeds=N} runs N seeds; {@code -Dsimulation.first=S} begins with another one than 1.
 */
class RetentionSimulationTest {
    private static final int STEPS = 250;
    private static final long AGE_MS = 2_000;
    private static final List<String> TOPICS = List.of("t0", "t1");

    @TempDir
    Path directory;

    /** A message as it was published. */
    private record Original(long sequence, String text, long publishedAt) {}

    /** What a subscription is to get: from a sequence on what it wants. */
    private static final class Reading {
        private final String name;
        private final String topic;
        private final String prefix;
        private final long from;
        private final Set<String> seen = new HashSet<>();
        private final Set<String> flagged = new HashSet<>(); // must be, when they come again
        private final Set<String> settled = new HashSet<>(); // durably
        private int cursor; // among the originals of its topic: what lies before has been delivered or is not for it

        Reading(String name, String topic, String prefix, long from) {
            this.name = name;
            this.topic = topic;
            this.prefix = prefix;
            this.from = from;
        }

        boolean wants(Original original) {
            return original.sequence() >= from
                    && (prefix == null || original.text().startsWith(prefix));
        }

        @Override
        public String toString() {
            return "replay " + name + " subscription of " + topic + " from " + from
                    + (prefix == null ? "" : " of '" + prefix + "'");
        }
    }

    private Random random;
    private SteppedEngine engine;
    private boolean faults;
    private final Map<String, List<Original>> originals = new HashMap<>(); // by topic, committed
    private final Map<Long, Reading> readings = new HashMap<>();
    private final Map<String, Long> since = new HashMap<>(); // asked for, by name of the subscription
    private final List<Client> clients = new ArrayList<>();
    private int published;
    private int subscriptions;
    private int replays;

    static LongStream seeds() {
        long first = Long.getLong("simulation.first", 1);
        return LongStream.range(first, first + Long.getLong("simulation.seeds", 3));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everySubscriptionGetsEverythingFromWhereItBegins(long seed) {
        random = new Random(seed);
        engine = new SteppedEngine(directory);
        AddressPolicy plain = AddressPolicy.of(1_000, "DLQ");
        AddressPolicy keeping = plain.keeping(new Retention(AGE_MS, 0));
        engine.dispatch = SteppedEngine.dispatch(1 << 20, 16 << random.nextInt(7), 64 << 10, 1_000);
        engine.policies = new AddressPolicies(
                TOPICS.stream()
                        .map(topic -> new AddressPolicies.Rule(topic, keeping))
                        .toList(),
                plain);
        engine.oracle = new Hears();
        engine.open();
        int step = 0;
        try {
            TOPICS.forEach(topic -> originals.put(topic, new ArrayList<>()));
            TOPICS.forEach(engine::topic);
            engine.queue("q");
            while (step++ < STEPS) {
                step();
            }
            finish();
        } catch (RuntimeException | Error failure) {
            throw new AssertionError("seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
        } finally {
            engine.close();
        }
    }

    private void step() {
        faults = random.nextInt(4) == 0;
        engine.now += random.nextInt(40);
        engine.store.plan = this::fault;
        try {
            for (int actions = random.nextInt(4); actions >= 0; actions--) {
                act();
            }
            for (int turns = random.nextInt(12); turns > 0; turns--) {
                switch (random.nextInt(3)) {
                    case 0 -> engine.commitTurn();
                    case 1 -> engine.dispatchTurn();
                    default -> engine.readTurn();
                }
            }
        } catch (FaultyStore.Crash crash) {
            restart();
        }
        engine.store.plan = FaultyStore.NOTHING_FAILS;
        if (random.nextInt(8) == 0) {
            engine.run();
        }
        if (random.nextInt(60) == 0) {
            restart();
        }
    }

    private Fault fault(String verb, Flush flush) {
        if (!faults || random.nextInt(12) != 0) {
            return null;
        }
        return switch (random.nextInt(9)) {
            case 0, 1 -> Fault.before(Kind.OUTCOME_UNKNOWN);
            case 2, 3 -> Fault.after(Kind.OUTCOME_UNKNOWN);
            case 4 -> Fault.before(Kind.UNAVAILABLE);
            case 5 -> Fault.before(Kind.RETRYABLE);
            case 6 -> Fault.before(Kind.NOT_WRITABLE);
            case 7 -> Fault.crash(false);
            default -> Fault.crash(true);
        };
    }

    // ---- actions

    private void act() {
        int dice = random.nextInt(100);
        if (dice < 45) {
            publish();
        } else if (dice < 70) {
            settle();
        } else if (dice < 80) {
            attach();
        } else if (dice < 86) {
            detach();
        } else if (dice < 92) {
            credit();
        } else if (dice < 97) {
            subscribe();
        } else {
            unsubscribe();
        }
    }

    private void publish() {
        Address address = random.nextInt(4) == 0 ? engine.address("q") : engine.address(topic());
        for (int n = random.nextInt(250); n > 0; n--) {
            int dice = random.nextInt(1_500);
            String text = (random.nextBoolean() ? "m" : "n") + published++ + "-"
                    + "x".repeat(dice == 0 ? 40_000 : random.nextInt(60));
            engine.submit(engine.message(address, SteppedEngine.bytes(text)));
        }
    }

    private String topic() {
        return TOPICS.get(random.nextInt(TOPICS.size()));
    }

    private void subscribe() {
        Address topic = engine.address(topic());
        CatalogMailbox catalog = engine.doors.catalog();
        if (engine.doors.lookup().subscriptionsOf(topic).size() > 6) {
            return;
        }
        String name = "s" + ++subscriptions;
        Selector selector = random.nextInt(4) == 0 ? SteppedEngine.selector("m") : null;
        Instant from = null;
        if (random.nextInt(4) > 0) {
            long at = random.nextInt(3) == 0 ? 0 : engine.now - random.nextInt((int) AGE_MS * 3 / 2);
            since.put(name, at);
            from = Instant.ofEpochMilli(at);
        }
        catalog.subscribe(topic, "client", name, selector, false, true, from).thenAccept(catalog::leave);
    }

    private void unsubscribe() {
        List<Subscription> all = subscriptions();
        if (all.size() > 2) {
            engine.doors.catalog().unsubscribe(all.get(random.nextInt(all.size())));
        }
    }

    /** Those that somebody can read. */
    private List<Subscription> subscriptions() {
        List<Subscription> all = new ArrayList<>();
        for (String topic : TOPICS) {
            engine.doors.lookup().subscriptionsOf(engine.address(topic)).stream()
                    .filter(subscription -> !subscription.isRetention())
                    .forEach(all::add);
        }
        return all;
    }

    private void attach() {
        List<Subscription> all = subscriptions();
        all.add(engine.reader(engine.address("q")));
        if (clients.size() < 8) {
            attach(all.get(random.nextInt(all.size())), random.nextInt(2_000));
        }
    }

    private void attach(Subscription subscription, long credit) {
        Client client = new Client(subscription);
        engine.dispatcher.mailbox().attach(client, subscription);
        client.limit = credit;
        engine.dispatcher.mailbox().credit(client, credit, false);
        clients.add(client);
    }

    private void detach() {
        if (!clients.isEmpty()) {
            clients.remove(random.nextInt(clients.size())).detach(random.nextBoolean());
        }
    }

    private void credit() {
        if (!clients.isEmpty()) {
            Client client = clients.get(random.nextInt(clients.size()));
            client.limit += random.nextInt(3_000);
            engine.dispatcher.mailbox().credit(client, client.limit, false);
        }
    }

    private void settle() {
        if (!clients.isEmpty()) {
            Client client = clients.get(random.nextInt(clients.size()));
            int most = random.nextInt(800);
            client.accept(List.copyOf(client.unsettled.subList(0, Math.min(most, client.unsettled.size()))));
        }
    }

    // ---- what the committer says

    private final class Hears implements CommitListener {
        @Override
        public void committed(List<Committed> messages, List<Flush.DispatchBound> bounds, long epoch) {
            for (Committed message : messages) {
                List<Original> topic = originals.get(message.message().address().name());
                if (topic != null && message.first() && message.sequence() >= 0) {
                    topic.add(new Original(
                            message.sequence(),
                            new String(message.message().encoded(), StandardCharsets.UTF_8),
                            message.message().publishedAt()));
                }
            }
        }

        @Override
        public void subscribed(Subscription subscription) {
            if (!subscription.address().isQueue()) {
                Long at = since.get(subscription.name());
                assertThat(readings.put(
                                subscription.id(),
                                reading(
                                        subscription,
                                        at == null ? subscription.fromSequence() : first(subscription, at))))
                        .isNull();
            }
        }

        /** Of what is kept at this moment, the first that was published at that time or later. */
        private long first(Subscription subscription, long at) {
            replays++;
            long kept = keeper(subscription.address().name()).fromSequence();
            return originals.get(subscription.address().name()).stream()
                    .filter(original -> original.sequence() >= kept && original.publishedAt() >= at)
                    .mapToLong(Original::sequence)
                    .findFirst()
                    .orElse(subscription.fromSequence());
        }

        @Override
        public void unsubscribed(Subscription subscription) {
            readings.remove(subscription.id());
        }

        @Override
        public void settledElsewhere(List<Settle> settlements) {}

        @Override
        public void gateRaised(long gate) {}

        @Override
        public void created(Address address) {}

        @Override
        public void deleted(Address address) {}

        @Override
        public void fencePassed(Subscription subscription) {}
    }

    private static Reading reading(Subscription subscription, long from) {
        Selector selector = subscription.selector();
        return new Reading(
                subscription.name(), subscription.address().name(), selector == null ? null : selector.text(), from);
    }

    private Subscription keeper(String topic) {
        return engine.committer.entries().byName(topic).subscriptions().stream()
                .map(SubscriptionEntry::subscription)
                .filter(Subscription::isRetention)
                .findFirst()
                .orElseThrow();
    }

    // ---- what a subscription is to get

    /** The text of the next first delivery; null if there is none to come. */
    private String next(Reading reading) {
        List<Original> all = originals.get(reading.topic);
        while (reading.cursor < all.size() && !reading.wants(all.get(reading.cursor))) {
            reading.cursor++;
        }
        return reading.cursor < all.size() ? all.get(reading.cursor++).text() : null;
    }

    private void delivered(Reading reading, Delivery delivery) {
        String text = SteppedEngine.text(delivery);
        assertThat(reading.settled.contains(text))
                .as("%s came back to %s", text, reading)
                .isFalse();
        if (reading.seen.add(text)) {
            assertThat(text).as("first delivery of %s", reading).isEqualTo(next(reading));
        } else if (reading.flagged.contains(text)) {
            assertThat(delivery.redelivered())
                    .as("%s of %s is flagged", text, reading)
                    .isTrue();
        }
    }

    // ---- ends

    /** Takes over from the tables what the crash left open. */
    private void restart() {
        engine.crashAndRestart();
        clients.forEach(client -> client.detached = true);
        clients.clear();
        List<StoredMessage> rows = new ArrayList<>();
        ShardState tables = engine.store.recover(engine.state.epoch(), row -> rows.add(row.message()));
        for (String topic : TOPICS) {
            addNotHeard(topic, rows);
        }
        Map<Long, Reading> before = new HashMap<>(readings);
        readings.clear();
        for (Subscription subscription : subscriptions()) {
            Reading known = before.get(subscription.id());
            readings.put(subscription.id(), known != null ? known : reading(subscription, begin(subscription, tables)));
        }
        readings.values().forEach(reading -> reading.flagged.addAll(reading.seen));
    }

    private void addNotHeard(String topic, List<StoredMessage> rows) {
        Subscription keeper = keeper(topic);
        List<Original> known = originals.get(topic);
        long last = known.isEmpty() ? -1 : known.get(known.size() - 1).sequence();
        long[] sequences = rows.stream()
                .filter(row -> row.addressId() == keeper.address().id()
                        && row.sequence() > last
                        && (row.pending() & keeper.mask()) != 0)
                .mapToLong(StoredMessage::sequence)
                .toArray();
        for (StoredMessage row : engine.store.readRing(sequences)) {
            byte[] body = row.body() != null ? row.body() : engine.store.readBody(row.bodyId());
            known.add(new Original(row.sequence(), new String(body, StandardCharsets.UTF_8), row.publishedAt()));
        }
    }

    /** Of one that was created by what was not heard of: nothing has been copied for it yet. */
    private long begin(Subscription subscription, ShardState tables) {
        Long at = since.get(subscription.name());
        if (at == null) {
            return subscription.fromSequence();
        }
        long position = tables.replays().stream()
                .filter(row -> row.subscriptionId() == subscription.id())
                .mapToLong(ReplayRow::position)
                .findFirst()
                .orElseThrow();
        originals.get(subscription.address().name()).stream()
                .filter(original -> original.sequence() >= position)
                .forEach(original -> assertThat(original.publishedAt()).isGreaterThanOrEqualTo(at));
        return position;
    }

    /** Everybody reads, then everything gets too old. */
    private void finish() {
        faults = false;
        clients.forEach(client -> client.detach(random.nextBoolean()));
        clients.clear();
        engine.now += 2_000;
        engine.run();
        subscriptions().forEach(subscription -> attach(subscription, 1_000_000));
        attach(engine.reader(engine.address("q")), 1_000_000);
        boolean more = true;
        while (more) {
            engine.run();
            more = false;
            for (Client client : clients) {
                more |= !client.unsettled.isEmpty();
                client.accept(List.copyOf(client.unsettled));
            }
        }
        for (Reading reading : readings.values()) {
            assertThat(next(reading)).as("never delivered to %s", reading).isNull();
        }
        engine.now += AGE_MS + 1_000;
        engine.run();
        restart();
        engine.run();
        engine.now += 1_000;
        engine.run();
        for (AddressEntry entry : engine.committer.entries().entries()) {
            assertThat(entry.address().quota().messages())
                    .as("places taken on %s", entry.address())
                    .isZero();
            assertThat(entry.address().quota().bytes()).isZero();
            entry.subscriptions()
                    .forEach(each -> assertThat(each.owedInRing() + each.owedInBacklog())
                            .as("owed by %s", each.subscription())
                            .isZero());
        }
        assertThat(engine.state.backlogMessages())
                .as("rows left in the backlog")
                .isZero();
        assertThat(replays).as("subscriptions that began in the past").isPositive();
        assertThat(engine.state.ring().next()).as("several laps").isGreaterThan(2L * SteppedEngine.GEOMETRY.capacity());
    }

    /** A link that receives. */
    private final class Client implements Consumer {
        private final Subscription subscription;
        private final List<Delivery> unsettled = new ArrayList<>();
        private long limit;
        private boolean detached;

        Client(Subscription subscription) {
            this.subscription = subscription;
        }

        void detach(boolean lost) {
            Reading reading = readings.get(subscription.id());
            if (reading != null && lost) {
                unsettled.forEach(delivery -> reading.flagged.add(SteppedEngine.text(delivery)));
            }
            engine.dispatcher.mailbox().detach(this, List.copyOf(unsettled), lost);
            unsettled.clear();
            detached = true;
        }

        void accept(List<Delivery> deliveries) {
            for (Delivery delivery : deliveries) {
                unsettled.remove(delivery);
                Reading reading = readings.get(subscription.id());
                engine.dispatcher.mailbox().accepted(this, delivery, new Completion() {
                    @Override
                    public void accepted() {
                        if (reading != null) {
                            reading.settled.add(SteppedEngine.text(delivery));
                        }
                    }

                    @Override
                    public void refused(Refusal refusal) {} // a crash: it comes again, or does not

                    @Override
                    public Mailbox mailbox() {
                        return Mailbox.NONE;
                    }
                });
            }
        }

        @Override
        public Selector selector() {
            return null;
        }

        @Override
        public void deliver(Delivery delivery) {
            Reading reading = readings.get(subscription.id());
            if (reading != null) {
                delivered(reading, delivery);
            }
            if (!detached) {
                unsettled.add(delivery);
            }
        }

        @Override
        public void drained(long atLimit) {
            throw new AssertionError("nobody drains");
        }

        @Override
        public void ended(Refusal refusal) {
            clients.remove(this);
            detached = true;
            unsettled.clear();
        }

        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }
    }
}
