package io.ringtable.acceptance.patroni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ringtable.acceptance.freeze.Account;
import io.ringtable.acceptance.freeze.JmsWorkers;
import io.ringtable.acceptance.freeze.SdkWorkers;
import io.ringtable.acceptance.freeze.Worker;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.PostgresServer;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.SubscriptionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Runs once: a broker serves three shards, each in a database of its own, and Patroni runs the second one. Its primary
 * fails over again and again while clients publish and consume in all three. Then every message is accounted for.
 */
final class PatroniRun {
    private static final List<String> SDK = List.of("sdk.0", "sdk.1", "sdk.2"); // who publishes there
    private static final List<String> JMS = List.of("jms.0", "jms.1", "jms.2");
    private static final int SHARD = 1; // behind Patroni
    private static final int WORK = 5; // outcomes of each publisher after a fail-over
    private static final Duration CALM = Duration.ofSeconds(5); // whose rate the others' is compared with
    private static final Duration MOST = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(50); // each asks the account

    private final int events;
    private final Random random;
    private final Account account = new Account();
    private final List<FailOver> lap = new ArrayList<>();
    private final List<Worker> publishers = new ArrayList<>();
    private final List<Worker> consumers = new ArrayList<>();
    private final PatroniCluster cluster;
    private final BrokerProcess broker;
    private final Report report = new Report();
    private final Set<String> behind = new TreeSet<>(); // producers
    private final Set<String> beside = new TreeSet<>();

    PatroniRun(Bench bench, int events, long seed) throws Exception {
        this.events = events;
        this.random = new Random(seed);
        this.cluster = PatroniCluster.start(bench);
        ServerDatabase patroni = cluster.database("ringtable");
        PostgresServer plain = bench.postgres();
        String queues = String.join(",", SDK) + "," + String.join(",", JMS);
        this.broker = bench.broker(settings -> settings.store(
                                plain.createDatabase(), plain.username(), plain.password())
                        .with("ringtable.shards", 3)
                        .with("ringtable.stores[0].name", "patroni")
                        .with("ringtable.stores[0].url", patroni.url())
                        .with("ringtable.stores[0].username", patroni.username())
                        .with("ringtable.stores[0].password", patroni.password())
                        .with("ringtable.stores[0].shards[0]", SHARD)
                        .with("ringtable.stores[1].name", "third")
                        .with("ringtable.stores[1].url", plain.createDatabase())
                        .with("ringtable.stores[1].username", plain.username())
                        .with("ringtable.stores[1].password", plain.password())
                        .with("ringtable.stores[1].shards[0]", SHARD + 1)
                        .with("ringtable.lease", "60s") // longer than a fail-over: clients see a pause, and no more
                        .with("ringtable.dispatch.deliveries-max", 1_000_000)
                        .with("ringtable.queues", queues))
                .start();
    }

    Account account() {
        return account;
    }

    Report report() {
        return report;
    }

    BrokerProcess broker() {
        return broker;
    }

    /** @return the tables of what happened */
    String run() throws Exception {
        Map<String, Integer> homes = homes();
        List<Integer> ports = List.of(broker.amqpPort());
        for (String queue : SDK) {
            account.readsInOrder(queue, queue);
            consumers.add(new JmsWorkers.IndividualConsumer(ports, account, queue));
            publishers.add(new SdkWorkers.NumberedPublisher(ports, account, PublisherOptions.queue(queue)));
            (homes.get(queue) == SHARD ? behind : beside).add("sdk-numbered/" + queue);
        }
        for (String queue : JMS) {
            account.readsInOrder(queue, queue);
            consumers.add(new SdkWorkers.PushConsumer(ports, account, "to-" + queue, SubscriptionOptions.queue(queue)));
            publishers.add(new JmsWorkers.FailoverPublisher(ports, account, queue, false));
            (homes.get(queue) == SHARD ? behind : beside).add("jms/" + queue);
        }
        assertThat(behind).as("homes %s", homes).hasSize(2);
        consumers.forEach(Worker::start);
        publishers.forEach(Worker::start);
        awaitWork();
        for (int number = 1; number <= events; number++) {
            strike(number);
        }
        publishers.forEach(Worker::end);
        publishers.forEach(Worker::join);
        try {
            await("everything that is owed").atMost(MOST).pollInterval(LOOK).until(() -> account.undelivered() == 0);
            await("that nothing is owed").atMost(MOST).pollInterval(LOOK).until(broker::owesNothing);
        } catch (ConditionTimeoutException late) {
            throw new AssertionError("late: " + account.lacking() + ", " + consumers, late);
        }
        consumers.forEach(Worker::end);
        consumers.forEach(Worker::join);
        return report.table() + account.table();
    }

    /** Returns the shard of each queue. */
    private Map<String, Integer> homes() throws Exception {
        Map<String, Integer> homes = new HashMap<>();
        JsonNode addresses =
                new ObjectMapper().readTree(broker.http("/api/v1/addresses").body());
        for (JsonNode address : addresses.path("items")) {
            homes.put(
                    address.path("name").asText(),
                    address.path("shards").path(0).asInt());
        }
        return homes;
    }

    private void strike(int number) throws Exception {
        if (lap.isEmpty()) {
            lap.addAll(List.of(FailOver.values()));
            Collections.shuffle(lap, random);
        }
        FailOver kind = lap.remove(0);
        PatroniMember former = cluster.awaitWhole();
        Rates calm = new Rates(account, beside);
        Pace.pass(CALM.plusMillis(random.nextInt(1_000)));
        double before = calm.median();
        account.event(number);
        long struckAt = System.nanoTime();
        Rates meanwhile = new Rates(account, beside);
        kind.strike(cluster, former);
        PatroniMember next = cluster.awaitOtherThan(former);
        double promotedMs = (System.nanoTime() - struckAt) / 1e6;
        awaitWork();
        double during = meanwhile.median();
        String line = report.take(kind, account.longestPausesNanos(), behind, beside, before, during);
        System.out.printf(
                "event %d: %s of %s, %s is known as the primary after %,.0f ms; %s%n",
                number, kind, former.name(), next.name(), promotedMs, line);
        kind.heal(former, random);
    }

    /** Until each publisher has gone on. A slow machine takes longer; a fail-over is always in the middle of work. */
    private void awaitWork() {
        Map<String, Long> before = account.outcomes();
        try {
            await("outcomes of all publishers")
                    .atMost(MOST)
                    .pollInterval(LOOK)
                    .until(() -> account.haveGoneOn(publishers.size(), before, WORK));
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(
                    "outcomes before " + before + ", now " + account.outcomes() + "; " + publishers + "\n"
                            + broker.logTail(),
                    late);
        }
    }
}
