package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Dispatcher;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Settle;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random publishers, consumers, subscribers, store faults and crashes over many laps of the smallest ring, against
 * {@link Oracle}, whose header lists the invariants. Steps are taken by one thread, so a seed repeats exactly what it
 * did.
 * <p>
 * {@code -Dsimulation.seeds=N} runs N seeds; {@code -Dsimulation.first=S} begins with another one than 1.
 */
class SimulationTest extends SimulatedConsumers {
    private static final String POISON = "poison";
    private final List<List<Enlisted>> transactions = new ArrayList<>(); // open
    private int published;
    private boolean faults;

    static LongStream seeds() {
        long first = Long.getLong("simulation.first", 1);
        return LongStream.range(first, first + Long.getLong("simulation.seeds", 3));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nothingIsLostAndNothingComesBack(long chosen) {
        seed = chosen;
        random = new Random(seed);
        oracle = new Oracle();
        try {
            simulate();
        } catch (RuntimeException | Error failure) {
            throw new AssertionError("seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
        } finally {
            if (shard != null) {
                shard.close();
            }
        }
    }

    private void simulate() {
        shard = new SteppedShard(directory);
        mixed = random.nextBoolean();
        oracle.inOneOrder = !mixed;
        AddressPolicies policies = mixed
                ? new AddressPolicies(List.of(), new AddressPolicy(3, "DLQ", "", 30, 2, 100, false))
                : SteppedSettings.PLAIN;
        shard.dispatch = SteppedSettings.dispatch(1 << 20, 16 << random.nextInt(7), 64 << 10, 1_000);
        shard.policies = policies;
        shard.sliceSteps = random.nextBoolean() ? Dispatcher.SLICE_STEPS : 1 + random.nextInt(20);
        shard.oracle = oracle;
        shard.open();
        for (int i = 0; i < 3; i++) {
            shard.queue("q" + i);
            shard.topic("t" + i);
        }
        for (int i = 0; i < 5; i++) {
            subscribe("t0");
        }
        subscribe("t1");
        if (random.nextInt(3) == 0) {
            for (int i = 0; i < 66; i++) {
                subscribe("t2"); // more than one group
            }
        }
        for (step = 1; step <= STEPS; step++) {
            step();
        }
        finish();
    }

    private void step() {
        faults = random.nextInt(4) == 0;
        shard.now += mixed ? random.nextInt(30) : 0;
        shard.store.plan = this::fault;
        try {
            for (int actions = random.nextInt(4); actions >= 0; actions--) {
                act();
            }
            turns();
        } catch (FaultyStore.Crash crash) {
            restart(false);
        }
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        if (random.nextInt(8) == 0) {
            rest();
        }
        if (random.nextInt(60) == 0) {
            restart(random.nextBoolean());
        }
    }

    private void turns() {
        for (int turns = random.nextInt(12); turns > 0; turns--) {
            switch (random.nextInt(3)) {
                case 0 -> shard.commitTurn();
                case 1 -> shard.dispatchTurn();
                default -> shard.readTurn();
            }
        }
    }

    private void rest() {
        shard.run();
        oracle.checkAtRest(shard);
        if (random.nextInt(4) == 0) {
            oracle.checkTables(shard);
        }
    }

    // ---- faults

    private Fault fault(String verb, Flush flush) {
        if (flush != null && isPoisoned(flush)) {
            return Fault.before(Kind.REFUSED);
        }
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

    private static boolean isPoisoned(Flush flush) {
        for (StoredMessage claim : flush.claims()) {
            if (claim.body() != null
                    && new String(claim.body(), java.nio.charset.StandardCharsets.UTF_8).startsWith(POISON)) {
                return true;
            }
        }
        return false;
    }

    // ---- actions

    private void act() {
        int dice = random.nextInt(100);
        if (dice < 40) {
            publish();
        } else if (dice < 63) {
            settle();
        } else if (dice < 64) {
            remove();
        } else if (dice < 70) {
            transact();
        } else if (dice < 80) {
            attach();
        } else if (dice < 86) {
            detach();
        } else if (dice < 94) {
            credit();
        } else if (dice < 97) {
            subscribe("t" + random.nextInt(2));
        } else {
            unsubscribe();
        }
    }

    private void publish() {
        String name = (random.nextBoolean() ? "q" : "t") + random.nextInt(3);
        Address address = shard.address(name);
        int works = name.equals("t2") ? 3 : 1 + random.nextInt(80);
        for (int i = 0; i < works; i++) {
            List<Message> messages = new ArrayList<>();
            for (int n = random.nextInt(5); n >= 0; n--) {
                if (address.quota().reserve(1) == 1) {
                    messages.add(message(address));
                    address.quota()
                            .occupied(0, messages.get(messages.size() - 1).bytes());
                }
            }
            List<String> texts = messages.stream()
                    .map(message -> new String(message.encoded(), java.nio.charset.StandardCharsets.UTF_8))
                    .toList();
            oracle.submitted.addAll(texts);
            if (!shard.doors.committer().trySubmit(Work.publish(messages, new Published(texts)))) {
                oracle.submitted.removeAll(texts);
                messages.forEach(message -> address.quota().release(1, message.bytes()));
            }
        }
    }

    /** In a mixed run some have another priority, some are for later. */
    private Message message(Address address) {
        byte[] body = SteppedShard.bytes(text());
        long deliverAt = mixed && random.nextInt(10) == 0 ? shard.now + random.nextInt(400) : 0;
        int priority = mixed ? 3 + random.nextInt(3) : Message.PRIORITY_NORMAL;
        return shard.message(address, priority, deliverAt, body, loginOf(body));
    }

    private String text() {
        String kind = random.nextBoolean() ? "m" : "n";
        String text = (random.nextInt(2_000) == 0 ? POISON : kind) + seed + "-" + published++ + "-";
        int dice = random.nextInt(1_500);
        return text + "x".repeat(dice == 0 ? 40_000 : dice < 30 ? 2_000 : random.nextInt(60));
    }

    private final class Published implements Completion {
        private final List<String> texts;

        Published(List<String> texts) {
            this.texts = texts;
        }

        @Override
        public void accepted() {
            assertThat(oracle.committed.containsAll(texts))
                    .as("accepted after the commit")
                    .isTrue();
            oracle.submitted.removeAll(texts);
        }

        @Override
        public void refused(Refusal refusal) {
            if (!refusal.code().equals("RT-0000")) {
                oracle.submitted.removeAll(texts);
                assertThat(Collections.disjoint(oracle.committed, texts))
                        .as("refused before the commit")
                        .isTrue();
            }
        }

        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }
    }

    // ---- transactions

    private void transact() {
        if (transactions.size() < 3 && !clients.isEmpty() && random.nextBoolean()) {
            enlist(clients.get(random.nextInt(clients.size())));
        } else if (!transactions.isEmpty()) {
            discharge(transactions.remove(random.nextInt(transactions.size())));
        }
    }

    private void enlist(Client client) {
        List<Enlisted> transaction = new ArrayList<>();
        int most = random.nextInt(100);
        for (Delivery delivery : List.copyOf(client.unsettled.subList(0, Math.min(most, client.unsettled.size())))) {
            client.unsettled.remove(delivery);
            Enlisted enlisted = shard.dispatcher.mailbox().enlist(client, delivery);
            assertThat(enlisted).as("it is the consumer's").isNotNull();
            transaction.add(enlisted);
        }
        transactions.add(transaction);
    }

    private void discharge(List<Enlisted> transaction) {
        if (random.nextInt(3) == 0) {
            rollBack(transaction);
            return;
        }
        Address address = shard.address("q" + random.nextInt(3));
        List<Message> messages = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            if (address.quota().reserve(1) == 1) {
                messages.add(message(address));
                address.quota().occupied(0, messages.get(messages.size() - 1).bytes());
            }
        }
        List<String> texts = messages.stream()
                .map(message -> new String(message.encoded(), java.nio.charset.StandardCharsets.UTF_8))
                .toList();
        List<Settle> settlements =
                transaction.stream().map(Enlisted::settlement).toList();
        oracle.submitted.addAll(texts);
        transaction.forEach(enlisted -> oracle.accepted(enlisted.delivery()));
        Oracle.Discharging discharging = oracle.discharging(
                texts, transaction.stream().map(Enlisted::delivery).toList());
        Published published = new Published(texts);
        boolean taken = shard.doors.committer().trySubmit(new Work(messages, settlements, new Completion() {
            @Override
            public void accepted() {
                published.accepted();
                oracle.discharged(discharging, true);
                transaction.forEach(shard.dispatcher.mailbox()::committed);
            }

            @Override
            public void refused(Refusal refusal) {
                published.refused(refusal);
                if (!refusal.code().equals("RT-0000")) { // a crash: whether it is durable is read from the tables
                    oracle.discharged(discharging, false);
                    rollBack(transaction);
                }
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        }));
        assertThat(taken).as("there is room for a work").isTrue();
    }

    private void rollBack(List<Enlisted> transaction) {
        boolean failed = random.nextInt(4) > 0;
        for (Enlisted enlisted : transaction) {
            Delivery delivery = enlisted.delivery();
            if (failed && delivery.failures() == 2 && !isDeadLetterQueue(delivery)) {
                oracle.rejected(delivery);
            } else {
                oracle.cameBack(delivery, true, failed);
            }
            shard.dispatcher.mailbox().rolledBack(enlisted, failed);
        }
    }

    // ---- ends

    private void restart(boolean graceful) {
        if (graceful) {
            clients.forEach(client -> detach(client, false));
            shard.stop();
            shard.store.close();
            shard.open();
        } else {
            shard.crash();
            shard.store.plan = FaultyStore.NOTHING_FAILS;
            shard.begin();
        }
        clients.forEach(client -> client.detached = true);
        clients.clear();
        transactions.clear();
        oracle.restarted(shard);
    }

    /** Everybody reads: everything that is owed comes, once, and nothing is left. */
    private void finish() {
        clients.forEach(client -> detach(client, random.nextBoolean()));
        clients.clear();
        transactions.forEach(this::rollBack);
        transactions.clear();
        step = STEPS + 1; // nobody selects any more
        rest();
        shard.now += 1_000; // whatever rests or is for later is due
        for (Subscription subscription : allSubscriptions()) {
            attach(subscription, 1_000_000);
        }
        boolean more = true;
        while (more) {
            shard.run();
            more = false;
            for (Client client : clients) {
                more |= !client.unsettled.isEmpty();
                List.copyOf(client.unsettled).forEach(delivery -> accept(client, delivery));
                client.unsettled.clear();
            }
        }
        for (OwedModel reading : oracle.readings.values()) {
            assertThat(reading.owed)
                    .as("owed by %s and never delivered", reading)
                    .isEmpty();
        }
        rest();
        oracle.checkTables(shard);
        restart(false);
        rest();
        assertThat(shard.state.backlogMessages()).as("rows left in the backlog").isZero();
        assertThat(shard.state.ring().next()).as("several laps").isGreaterThan(2L * SteppedShard.GEOMETRY.capacity());
    }
}
