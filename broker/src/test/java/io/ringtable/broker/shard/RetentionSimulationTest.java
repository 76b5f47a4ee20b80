package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Publishes to topics with retention, for subscriptions that begin now or at a time in the past, with selectors or
 * without. Consumers come and go, a clock makes messages too old, the store fails before and after its commits, and
 * processes die. Seeded; the failure names seed and step.
 * <p>
 * Invariants checked:
 * <ul>
 *   <li>a subscription gets every message that it wants of its topic from where it begins, copies or not;
 *   <li>on first delivery they come exactly once, without a hole and in the order in which they were committed;
 *   <li>what is settled durably never comes back;
 *   <li>what may have been seen comes flagged;
 *   <li>when everything is consumed and too old nothing is left, in the backlog or in a quota.
 * </ul>
 * <p>
 * {@code -Dsimulation.seeds=N} runs N seeds; {@code -Dsimulation.first=S} begins with another one than 1.
 */
class RetentionSimulationTest {
    private static final int STEPS = 250;
    private static final long AGE_MS = 2_000;
    private static final List<String> TOPICS = List.of("t0", "t1");

    @TempDir
    Path directory;

    private Random random;
    private SteppedShard shard;
    private RetentionOracle oracle;
    private boolean faults;
    private final List<Client> clients = new ArrayList<>();
    private int published;
    private int subscriptions;

    static LongStream seeds() {
        long first = Long.getLong("simulation.first", 1);
        return LongStream.range(first, first + Long.getLong("simulation.seeds", 3));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everySubscriptionGetsEverythingFromWhereItBegins(long seed) {
        random = new Random(seed);
        shard = new SteppedShard(directory);
        AddressPolicy plain = AddressPolicy.of(1_000, "DLQ");
        AddressPolicy keeping = plain.keeping(new Retention(AGE_MS, 0));
        shard.dispatch = SteppedSettings.dispatch(1 << 20, 16 << random.nextInt(7), 64 << 10, 1_000);
        shard.policies = new AddressPolicies(
                TOPICS.stream()
                        .map(topic -> new AddressPolicies.Rule(topic, keeping))
                        .toList(),
                plain);
        oracle = new RetentionOracle(shard, TOPICS);
        shard.oracle = oracle;
        shard.open();
        int step = 0;
        try {
            TOPICS.forEach(shard::topic);
            shard.queue("q");
            while (step++ < STEPS) {
                step();
            }
            finish();
        } catch (RuntimeException | Error failure) {
            throw new AssertionError("seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
        } finally {
            shard.close();
        }
    }

    private void step() {
        faults = random.nextInt(4) == 0;
        shard.now += random.nextInt(40);
        shard.store.plan = this::fault;
        try {
            for (int actions = random.nextInt(4); actions >= 0; actions--) {
                act();
            }
            for (int turns = random.nextInt(12); turns > 0; turns--) {
                switch (random.nextInt(3)) {
                    case 0 -> shard.commitTurn();
                    case 1 -> shard.dispatchTurn();
                    default -> shard.readTurn();
                }
            }
        } catch (FaultyStore.Crash crash) {
            restart();
        }
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        if (random.nextInt(8) == 0) {
            shard.run();
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
        Address address = random.nextInt(4) == 0 ? shard.address("q") : shard.address(topic());
        for (int n = random.nextInt(250); n > 0; n--) {
            int dice = random.nextInt(1_500);
            String text = (random.nextBoolean() ? "m" : "n") + published++ + "-"
                    + "x".repeat(dice == 0 ? 40_000 : random.nextInt(60));
            shard.submit(shard.message(address, SteppedShard.bytes(text)));
        }
    }

    private String topic() {
        return TOPICS.get(random.nextInt(TOPICS.size()));
    }

    private void subscribe() {
        Address topic = shard.address(topic());
        CatalogMailbox catalog = shard.doors.catalog();
        if (shard.doors.lookup().subscriptionsOf(topic).size() > 6) {
            return;
        }
        String name = "s" + ++subscriptions;
        Selector selector = random.nextInt(4) == 0 ? SteppedShard.selector("m") : null;
        Instant from = null;
        if (random.nextInt(4) > 0) {
            long at = random.nextInt(3) == 0 ? 0 : shard.now - random.nextInt((int) AGE_MS * 3 / 2);
            oracle.asked(name, at);
            from = Instant.ofEpochMilli(at);
        }
        catalog.subscribe(topic, "client", name, selector, false, true, from).thenAccept(catalog::leave);
    }

    private void unsubscribe() {
        List<Subscription> all = subscriptions();
        if (all.size() > 2) {
            shard.doors.catalog().unsubscribe(all.get(random.nextInt(all.size())));
        }
    }

    /** Those that somebody can read. */
    private List<Subscription> subscriptions() {
        List<Subscription> all = new ArrayList<>();
        for (String topic : TOPICS) {
            shard.doors.lookup().subscriptionsOf(shard.address(topic)).stream()
                    .filter(subscription -> !subscription.isRetention())
                    .forEach(all::add);
        }
        return all;
    }

    private void attach() {
        List<Subscription> all = subscriptions();
        all.add(shard.reader(shard.address("q")));
        if (clients.size() < 8) {
            attach(all.get(random.nextInt(all.size())), random.nextInt(2_000));
        }
    }

    private void attach(Subscription subscription, long credit) {
        Client client = new Client(subscription);
        shard.dispatcher.mailbox().attach(client, subscription);
        client.limit = credit;
        shard.dispatcher.mailbox().credit(client, credit, false);
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
            shard.dispatcher.mailbox().credit(client, client.limit, false);
        }
    }

    private void settle() {
        if (!clients.isEmpty()) {
            Client client = clients.get(random.nextInt(clients.size()));
            int most = random.nextInt(800);
            client.accept(List.copyOf(client.unsettled.subList(0, Math.min(most, client.unsettled.size()))));
        }
    }

    // ---- ends

    /** Takes over from the tables what the crash left open. */
    private void restart() {
        shard.crashAndRestart();
        clients.forEach(client -> client.detached = true);
        clients.clear();
        oracle.restarted(subscriptions());
    }

    /** Everybody reads, then everything gets too old. */
    private void finish() {
        faults = false;
        clients.forEach(client -> client.detach(random.nextBoolean()));
        clients.clear();
        shard.now += 2_000;
        shard.run();
        subscriptions().forEach(subscription -> attach(subscription, 1_000_000));
        attach(shard.reader(shard.address("q")), 1_000_000);
        boolean more = true;
        while (more) {
            shard.run();
            more = false;
            for (Client client : clients) {
                more |= !client.unsettled.isEmpty();
                client.accept(List.copyOf(client.unsettled));
            }
        }
        oracle.requireNothingMissing();
        shard.now += AGE_MS + 1_000;
        shard.run();
        restart();
        shard.run();
        shard.now += 1_000;
        shard.run();
        for (AddressEntry entry : shard.committer.entries().entries()) {
            assertThat(entry.address().quota().messages())
                    .as("places taken on %s", entry.address())
                    .isZero();
            assertThat(entry.address().quota().bytes()).isZero();
            entry.subscriptions()
                    .forEach(each -> assertThat(each.owedInRing() + each.owedInBacklog())
                            .as("owed by %s", each.subscription())
                            .isZero());
        }
        assertThat(shard.state.backlogMessages()).as("rows left in the backlog").isZero();
        assertThat(oracle.replays()).as("subscriptions that began in the past").isPositive();
        assertThat(shard.state.ring().next()).as("several laps").isGreaterThan(2L * SteppedShard.GEOMETRY.capacity());
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
            RetentionOracle.Reading reading = oracle.reading(subscription);
            if (reading != null && lost) {
                unsettled.forEach(delivery -> reading.flagged.add(SteppedShard.text(delivery)));
            }
            shard.dispatcher.mailbox().detach(this, List.copyOf(unsettled), lost);
            unsettled.clear();
            detached = true;
        }

        void accept(List<Delivery> deliveries) {
            for (Delivery delivery : deliveries) {
                unsettled.remove(delivery);
                RetentionOracle.Reading reading = oracle.reading(subscription);
                shard.dispatcher.mailbox().accepted(this, delivery, new Completion() {
                    @Override
                    public void accepted() {
                        if (reading != null) {
                            reading.settled.add(SteppedShard.text(delivery));
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
            RetentionOracle.Reading reading = oracle.reading(subscription);
            if (reading != null) {
                oracle.delivered(reading, delivery);
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
