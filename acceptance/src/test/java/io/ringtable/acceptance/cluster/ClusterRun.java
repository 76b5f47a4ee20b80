package io.ringtable.acceptance.cluster;

import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.freeze.Account;
import io.ringtable.acceptance.freeze.JmsWorkers;
import io.ringtable.acceptance.freeze.SdkWorkers;
import io.ringtable.acceptance.freeze.Worker;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.SubscriptionOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Runs once: blows fall on nodes of a cluster while clients publish and consume at all of them, then every message is
 * accounted for. Kinds, moments, nodes and the nodes that clients know come from the seed.
 */
final class ClusterRun {
    private static final String SDK = "sdk";
    private static final String JMS = "jms";
    private static final String PARTED = "parted";
    private static final String EVENTS = "events";
    private static final String SUBSCRIPTION = "subscriber";
    private static final int WORK = 5; // outcomes of each publisher between two blows
    private static final int BEFORE_MS = 500; // at most, from there to the blow
    private static final Duration MOST = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofMillis(50); // each asks the account

    private final Random random;
    private final int blows;
    private final Account account = new Account();
    private final Pauses pauses = new Pauses();
    private final List<Language> languages;
    private final ClusterNodes nodes;
    private final Bench bench;
    private final List<Worker> publishers = new ArrayList<>();
    private final List<Worker> consumers = new ArrayList<>();
    private final List<Blow> lap = new ArrayList<>();

    ClusterRun(Bench bench, List<Language> languages, int blows, long seed) {
        this.bench = bench;
        this.languages = languages;
        this.blows = blows;
        this.random = new Random(seed);
        List<String> queues = new ArrayList<>(List.of(SDK, JMS, PARTED));
        languages.forEach(language -> queues.add(language.word()));
        this.nodes = new ClusterNodes(bench, String.join(",", queues), EVENTS, PARTED);
    }

    Account account() {
        return account;
    }

    /** @return the tables of what happened */
    String run() throws IOException {
        startConsumers();
        startPublishers();
        for (int number = 1; number <= blows; number++) {
            strike(number);
        }
        publishers.forEach(Worker::end);
        publishers.forEach(Worker::join);
        awaitNothingUndelivered();
        nodes.awaitBalance();
        nodes.awaitNothingOwed();
        consumers.forEach(Worker::end);
        consumers.forEach(Worker::join);
        return pauses.table() + account.table();
    }

    /** Waits for as long as less and less is owed: the slowest reader may have a long backlog. */
    private void awaitNothingUndelivered() {
        for (int owed = account.undelivered(); owed > 0; owed = account.undelivered()) {
            int before = owed;
            try {
                await("that less is owed").atMost(MOST).pollInterval(LOOK).until(() -> account.undelivered() < before);
            } catch (ConditionTimeoutException late) {
                throw new AssertionError(
                        "late: " + account.lacking() + ", " + consumers + "; " + account.violations() + "\n"
                                + pauses.table() + account.table(),
                        late);
            }
        }
    }

    /** One consumer for each queue, so that order is to be seen; one at each node for the queue with parts. */
    private void startConsumers() throws IOException {
        List<Integer> ports = nodes.ports();
        account.readsInOrder(SDK, SDK);
        account.readsInOrder(JMS, JMS);
        account.reads(PARTED, PARTED);
        consumers.add(new JmsWorkers.IndividualConsumer(some(ports), account, SDK));
        consumers.add(new SdkWorkers.PushConsumer(ports, account, "sdk-consumer", SubscriptionOptions.queue(JMS)));
        for (int port : ports) {
            consumers.add(new SdkWorkers.PushConsumer(
                    List.of(port), account, "parted-consumer-" + port, SubscriptionOptions.queue(PARTED)));
        }
        consumers.add(new JmsWorkers.TransactedSubscriber(ports, account, EVENTS, SUBSCRIPTION));
        for (int i = 0; i < languages.size(); i++) {
            String queue = languages.get(i).word();
            account.readsInOrder(queue, queue, ProcessWorkers.CREDIT);
            Language reading = languages.get((i + 1) % languages.size());
            consumers.add(new ProcessWorkers.Consumer(reading, bench, ports, account, queue, random.nextLong()));
        }
        consumers.forEach(Worker::start);
        try {
            await("the subscription").atMost(MOST).until(() -> account.isRead(SUBSCRIPTION));
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(consumers.toString(), late);
        }
        account.readsInOrder(SUBSCRIPTION, EVENTS);
    }

    private void startPublishers() throws IOException {
        List<Integer> ports = nodes.ports();
        publishers.add(new SdkWorkers.NumberedPublisher(ports, account, PublisherOptions.queue(SDK)));
        publishers.add(new SdkWorkers.NumberedPublisher(ports, account, PublisherOptions.topic(EVENTS)));
        publishers.add(new JmsWorkers.FailoverPublisher(some(ports), account, JMS, false));
        publishers.add(new JmsWorkers.FailoverPublisher(some(ports), account, EVENTS, true));
        publishers.add(new JmsWorkers.ResendingPublisher(ports, account, PARTED));
        for (Language language : languages) {
            publishers.add(
                    new ProcessWorkers.Publisher(language, bench, ports, account, language.word(), random.nextLong()));
        }
        publishers.forEach(Worker::start);
        awaitWork();
    }

    /** One, two or all of the nodes, in any order. */
    private List<Integer> some(List<Integer> ports) {
        List<Integer> shuffled = new ArrayList<>(ports);
        Collections.shuffle(shuffled, random);
        return shuffled.subList(0, 1 + random.nextInt(shuffled.size()));
    }

    private void strike(int number) {
        if (lap.isEmpty()) {
            lap.addAll(List.of(Blow.values()));
            Collections.shuffle(lap, random);
        }
        Blow blow = lap.remove(0);
        BrokerProcess node = nodes.brokers().get(random.nextInt(nodes.brokers().size()));
        if (random.nextInt(4) > 0) { // else in the middle of what the last one has left
            nodes.awaitBalance();
        }
        Pace.pass(Duration.ofMillis(random.nextInt(BEFORE_MS)));
        account.event(number);
        System.out.printf("event %d: %s of %s%n", number, blow, node.amqpUrl());
        if (blow == Blow.FREEZE) {
            account.nodeStandsStill();
        }
        blow.strike(nodes, node, random);
        awaitWork();
        pauses.take(blow, account);
    }

    /** Until each publisher has gone on. A slow machine takes longer; a blow is always in the middle of work. */
    private void awaitWork() {
        Map<String, Long> before = account.outcomes();
        try {
            await("outcomes of all publishers")
                    .atMost(MOST)
                    .pollInterval(LOOK)
                    .until(() -> account.haveGoneOn(publishers.size(), before, WORK));
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(
                    "outcomes before " + before + ", now " + account.outcomes() + "; " + publishers, late);
        }
    }
}
