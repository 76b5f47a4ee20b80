package io.ringtable.acceptance.freeze;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.SubscriptionOptions;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Runs once: freezes the active of two nodes again and again, at random moments and for random times around the lease.
 * Clients publish and consume at both meanwhile; then every message is accounted for. Kinds, moments and times come
 * from the seed.
 */
final class FreezeRun {
    static final String QUEUE = "work";
    static final String TOPIC = "events";

    private static final int READERS = 4; // the queue and three subscriptions
    private static final int TRAPPED = 30; // messages of each trap
    private static final int BEFORE_MS = 300; // at most, from the traps to the freeze
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final int TRIES = 5;
    private static final int CREDIT = 50;
    private static final int REPORT_EVERY = 10;
    private static final Duration COMPLETE = Duration.ofMinutes(2);

    /** One lap of kinds, drawn in another order each time. */
    private static final List<Freeze> LAP = List.of(
            Freeze.NODE,
            Freeze.NODE,
            Freeze.NODE,
            Freeze.COLLECTOR,
            Freeze.NETWORK,
            Freeze.NETWORK_CUT,
            Freeze.BACKENDS,
            Freeze.DATABASE,
            Freeze.NETWORK_AND_NODE,
            Freeze.BACKENDS_AND_NODE);

    private final Bench bench;
    private final Random random;
    private final int freezes;
    private final Account account = new Account();
    private final Nodes nodes;
    private final List<Worker> publishers = new ArrayList<>();
    private final List<Worker> consumers = new ArrayList<>();
    private final List<Freeze> lap = new ArrayList<>();
    private final Map<Freeze, Integer> done = new EnumMap<>(Freeze.class);
    private int takeovers;
    private int lostBefore; // how often the active node had lost its shard before it was frozen
    private int lasts;

    FreezeRun(Bench bench, int freezes, long seed) {
        this.bench = bench;
        this.freezes = freezes;
        this.random = new Random(seed);
        this.nodes = new Nodes(bench, bench.postgres());
    }

    Account account() {
        return account;
    }

    /** @return the line that sums it up */
    String run() {
        startClients();
        int struck = 0;
        while (struck < freezes) {
            account.event(struck + 1);
            struck += strike(struck + 1) ? 1 : 0;
            if (lostBefore > freezes + TRIES) {
                throw new AssertionError(
                        "the active node loses its shard before it is frozen, " + lostBefore + " times");
            }
            if (struck % REPORT_EVERY == 0) {
                System.out.println("freezes " + struck + " of " + freezes + ", " + account.summary());
            }
        }
        publishers.forEach(Worker::end);
        publishers.forEach(Worker::join);
        awaitComplete();
        consumers.forEach(Worker::end);
        consumers.forEach(Worker::join);
        lookForMore();
        return "freezes " + freezes + ", takeovers " + takeovers + " " + done + ", " + account.summary();
    }

    private void startClients() {
        List<Integer> ports = nodes.ports();
        account.reads(QUEUE, QUEUE); // it is made at the start
        consumers.add(new JmsWorkers.IndividualConsumer(ports, account, QUEUE));
        consumers.add(new JmsWorkers.TransactedSubscriber(ports, account, TOPIC, "jms-subscriber"));
        consumers.add(new SdkWorkers.PushConsumer(ports, account, "sdk-consumer", SubscriptionOptions.queue(QUEUE)));
        consumers.add(new SdkWorkers.PushConsumer(
                ports,
                account,
                "sdk-subscriber",
                SubscriptionOptions.topic(TOPIC).durable("sdk-subscriber")));
        for (boolean leaves : new boolean[] {true, false}) {
            String name = "raw-consumer-that-" + (leaves ? "leaves" : "stays");
            consumers.add(new RawWorkers.ConfirmingConsumer(
                    name, ports, leaves, (port, credit) -> RawReceiver.ofQueue(port, account, QUEUE, name, credit)));
        }
        consumers.add(new RawWorkers.ConfirmingConsumer(
                "raw-subscriber",
                ports,
                true,
                (port, credit) -> RawReceiver.ofTopic(port, account, TOPIC, "raw-subscriber", credit)));
        consumers.forEach(Worker::start);
        await("the subscriptions")
                .atMost(COMPLETE)
                .untilAsserted(() ->
                        assertThat(account.readers()).as(consumers.toString()).hasSize(READERS));
        publishers.add(new JmsWorkers.FailoverPublisher(ports, account, QUEUE, false));
        publishers.add(new JmsWorkers.FailoverPublisher(ports, account, TOPIC, true));
        publishers.add(new SdkWorkers.WaitingPublisher(ports, account, PublisherOptions.queue(QUEUE)));
        publishers.add(new SdkWorkers.WaitingPublisher(ports, account, PublisherOptions.topic(TOPIC)));
        publishers.add(new RawWorkers.StayingPublisher(ports, account, "queue", QUEUE));
        publishers.add(new RawWorkers.StayingPublisher(ports, account, "topic", TOPIC));
        publishers.forEach(Worker::start);
    }

    /** @return false if the active node lost its shard before it was frozen, as it may on a busy machine */
    private boolean strike(int number) {
        Nodes.Node active = nodes.awaitActive();
        String name = number + "-" + lostBefore;
        List<Trap> traps = new ArrayList<>();
        try {
            traps.add(new LateSubscription(active.broker(), account, name, TRAPPED));
            traps.add(new HeldBacklog(active.broker(), account, name, TRAPPED));
            freeze(active, traps);
        } catch (UncheckedIOException | IllegalStateException lost) {
            lostBefore++;
            return false;
        } finally {
            traps.forEach(Trap::close);
        }
        return true;
    }

    private void freeze(Nodes.Node active, List<Trap> traps) {
        Freeze kind = nextKind();
        BrokerProcess other = nodes.other(active).broker();
        Pace.pass(Duration.ofMillis(random.nextInt(BEFORE_MS)));
        long end = System.nanoTime() + lasting();
        boolean sprung;
        Freeze.Thaw thaw = kind.begin(active, nodes.server(), bench.directory());
        try {
            sprung = isReadyBefore(end, other);
            if (sprung) {
                consumers.forEach(Worker::leave);
                traps.forEach(trap -> spring(trap, other));
            }
            Pace.until(end);
        } finally {
            thaw.end();
        }
        if (sprung) {
            takeovers++;
            traps.forEach(Trap::hearOut);
        }
        traps.forEach(trap -> persist(trap::settle));
        done.merge(kind, 1, Integer::sum);
    }

    private static boolean isReadyBefore(long end, BrokerProcess broker) {
        // A busy machine may have taken all the time for the freeze itself.
        long left = Math.max(end - System.nanoTime(), LOOK.multipliedBy(2).toNanos());
        try {
            await().atMost(Duration.ofNanos(left)).pollInterval(LOOK).until(broker::isReady);
            return true;
        } catch (ConditionTimeoutException late) {
            return false;
        }
    }

    private static void spring(Trap trap, BrokerProcess other) {
        try {
            trap.spring(other);
        } catch (UncheckedIOException | IllegalStateException lost) {
            // The other node has lost the shard as well: what is left is settled afterwards.
        }
    }

    private Freeze nextKind() {
        if (lap.isEmpty()) {
            lap.addAll(LAP);
            Collections.shuffle(lap, random);
        }
        return lap.remove(0);
    }

    /** @return ns; a quarter of them shorter than the lease, a few much longer */
    private long lasting() {
        double kind = random.nextDouble();
        double part = random.nextDouble();
        double leases;
        if (kind < 0.25) {
            leases = 0.5 + 0.45 * part;
        } else if (kind < 0.7) {
            leases = 0.95 + 0.65 * part;
        } else if (kind < 0.95) {
            leases = 1.6 + 1.4 * part;
        } else {
            leases = 5;
        }
        return (long) (leases * Nodes.LEASE.toNanos());
    }

    private void awaitComplete() {
        try {
            await("everything that is owed").atMost(COMPLETE).until(() -> owedToClients() == 0);
        } catch (ConditionTimeoutException missing) {
            // It is asked for once more at the end: late is not lost, but is to be seen.
            System.out.println("late by " + COMPLETE + ": " + account.lacking() + ", " + consumers);
        }
    }

    private int owedToClients() {
        return account.readers().stream()
                .limit(READERS)
                .mapToInt(reader -> account.undelivered(reader.name()))
                .sum();
    }

    /** Sends a last message to each address and reads up to it: no settled message may come before. */
    private void lookForMore() {
        List<Account.Owed> readers = account.readers();
        Set<String> addresses = new HashSet<>();
        for (Account.Owed reader : readers) {
            if (addresses.add(reader.address())) {
                persist(active -> RawPublisher.sendLast(
                        active.amqpPort(),
                        account,
                        reader.kind(),
                        reader.address(),
                        reader.address() + "/last-of-all-" + lasts++));
            }
        }
        readers.forEach(reader -> persist(active -> receiveTheLast(active, reader)));
    }

    private void receiveTheLast(BrokerProcess active, Account.Owed reader) {
        int port = active.amqpPort();
        try (RawReceiver receiver = reader.isQueue()
                ? RawReceiver.ofQueue(port, account, reader.name(), "the-last", CREDIT)
                : RawReceiver.ofTopic(port, account, reader.address(), reader.name(), CREDIT)) {
            receiver.takeAll();
        }
    }

    /** Again at whatever node serves, when the one that did is lost on the way. */
    private void persist(Consumer<BrokerProcess> work) {
        for (int tried = 1; ; tried++) {
            try {
                work.accept(nodes.awaitActive().broker());
                return;
            } catch (UncheckedIOException | IllegalStateException lost) {
                if (tried == TRIES) {
                    throw lost;
                }
            }
        }
    }
}
