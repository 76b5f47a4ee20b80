package io.ringtable.acceptance.flights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Runs once: rows go to a topic with three durable subscriptions while blows fall (the broker is killed, or its
 * database is stopped). Then the broker is stopped in order and started once more, after which nothing may come back.
 * Moments are chosen by progress, from a seed, so that all blows fall while there is something to lose.
 */
final class FlightRun {
    private static final int PUBLISHERS = 2;
    private static final int SUBSCRIPTIONS = 3;
    private static final int DELAY_MS = 30; // at most, from the chosen progress to the blow
    private static final Duration LOOK = Duration.ofMillis(1); // for the chosen progress

    private final BrokerProcess broker;
    private final FlightAccounts accounts;
    private final FlightClients clients;
    private final Random random;
    private final Blow blow;
    private final int blows;
    private final Duration most;
    private volatile int struck;
    private volatile boolean struckAll;
    private volatile boolean over;

    /** Makes the clients of a run. */
    interface Clients {
        FlightClients of(FlightAccounts accounts, FlightRows rows, String url);
    }

    /** Strikes the broker; at its return the broker serves again. */
    interface Blow {
        /** @return how many blows it was */
        int strike(Random random, int before) throws Exception;
    }

    FlightRun(BrokerProcess broker, FlightRows rows, Clients clients, Blow blow, int blows, long seed, Duration most) {
        this.broker = broker;
        this.accounts = new FlightAccounts(rows, PUBLISHERS, SUBSCRIPTIONS);
        this.clients = clients.of(accounts, rows, broker.amqpUrl());
        this.random = new Random(seed);
        this.blow = blow;
        this.blows = blows;
        this.most = most;
    }

    FlightAccounts accounts() {
        return accounts;
    }

    int struck() {
        return struck;
    }

    /** @return the table of what happened */
    String run() throws Exception {
        long began = System.nanoTime();
        broker.start();
        for (int s = 0; s < SUBSCRIPTIONS; s++) {
            clients.subscribe(s);
        }
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            publishReceiveAndStrike(threads);
            broker.stop();
            accounts.everythingIsSettled();
            broker.start();
            afterwards(threads);
        } finally {
            over = true;
            threads.shutdownNow();
        }
        return String.format("%-36s %12d%n", "kills, or stops of the database", struck)
                + String.format("%-36s %10.1f s%n", "time", (System.nanoTime() - began) / 1e9)
                + accounts.summary();
    }

    private void publishReceiveAndStrike(ExecutorService threads) throws Exception {
        List<Work> work = new ArrayList<>();
        for (int p = 0; p < PUBLISHERS; p++) {
            int publisher = p;
            work.add(() -> clients.publish(publisher, accounts.first(publisher), accounts.rowsUntilEnd()));
        }
        for (int s = 0; s < SUBSCRIPTIONS; s++) {
            int subscription = s;
            work.add(() -> clients.receive(subscription, () -> over || isReceivedAndSettled(subscription)));
        }
        work.add(this::strike);
        finish(threads, work);
    }

    /** A blow may bring back what had arrived: only when the broker knows of nothing owed is the subscription done. */
    private boolean isReceivedAndSettled(int subscription) {
        return struckAll && accounts.isComplete(subscription) && broker.owesNothing();
    }

    private void afterwards(ExecutorService threads) throws Exception {
        List<Work> work = new ArrayList<>();
        for (int p = 0; p < PUBLISHERS; p++) {
            int publisher = p;
            int row = accounts.lastRow(publisher);
            work.add(() -> clients.publish(publisher, row, row + 1));
        }
        for (int s = 0; s < SUBSCRIPTIONS; s++) {
            int subscription = s;
            work.add(() -> clients.receive(subscription, () -> over || accounts.isOver(subscription)));
        }
        finish(threads, work);
    }

    private void strike() throws Exception {
        long[] moments = random.longs(blows, 0, accounts.progressAtEnd() * 95 / 100)
                .sorted()
                .toArray();
        for (long moment : moments) {
            await().forever().pollInterval(LOOK).until(() -> accounts.progress() >= moment || over);
            Pace.pass(Duration.ofMillis(random.nextInt(DELAY_MS)));
            if (over) {
                return;
            }
            struck += blow.strike(random, struck);
        }
        struckAll = true;
    }

    /** Work of one thread that may fail. */
    private interface Work {
        void run() throws Exception;
    }

    /** Waits for all, and ends all as soon as one has failed. */
    private void finish(ExecutorService threads, List<Work> work) throws Exception {
        long until = System.nanoTime() + most.toNanos();
        CompletionService<Void> ended = new ExecutorCompletionService<>(threads);
        for (Work one : work) {
            ended.submit(() -> {
                one.run();
                return null;
            });
        }
        for (int left = work.size(); left > 0; left--) {
            Future<Void> one = ended.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            assertThat(one)
                    .as(() -> "the run is not over after " + most + ", at " + accounts.progress() + " of "
                            + accounts.progressAtEnd() + "\n" + accounts.summary() + "\n"
                            + String.join("\n", accounts.violations()) + "\n" + broker.logTail())
                    .isNotNull();
            try {
                one.get();
            } catch (ExecutionException failure) {
                throw new AssertionError(accounts.summary() + "\n" + broker.logTail(), failure.getCause());
            }
        }
    }
}
