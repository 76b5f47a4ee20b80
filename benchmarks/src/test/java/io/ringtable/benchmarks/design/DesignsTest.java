package io.ringtable.benchmarks.design;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every design on every engine that can run it, with sessions that push and pop at the same time. */
class DesignsTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int MESSAGES = 600;
    private static final Designs DESIGNS = Designs.ofTheBuild();

    private static Databases databases;

    @BeforeAll
    static void open() {
        databases = TestEngines.inMemory();
    }

    @AfterAll
    static void close() {
        databases.close();
    }

    static Stream<Arguments> designs() {
        return TestEngines.all().stream()
                .flatMap(engine -> DESIGNS.all().stream()
                        .filter(design -> design.whyNot(engine).isEmpty())
                        .map(design -> Arguments.of(engine, design.name())));
    }

    static Stream<Arguments> designsForSeveralSubscribers() {
        return designs().filter(one -> !List.of("ring_skip", "ring_production").contains((String) one.get()[1]));
    }

    @ParameterizedTest
    @MethodSource("designs")
    void whatIsPushedIsPoppedOnce(String engine, String design) throws Exception {
        TestEngines.require(databases, engine);
        QueueShape shape = new QueueShape(1, 300, 1, 2 * MESSAGES); // one lap: a pusher may be late by as many messages

        try (DesignDatabase database =
                DesignDatabase.create(databases.create(engine), DESIGNS.of(design), shape, false)) {
            List<Tally> tallies = together(List.of(
                    () -> moved(database.pusher(null), MESSAGES, 1),
                    () -> moved(database.pusher(null), MESSAGES, 7),
                    () -> moved(database.popper(0, null), 2 * MESSAGES, 3)));

            long ids = LongStream.rangeClosed(1, 2 * MESSAGES).sum();
            assertThat(tallies.get(0).ids() + tallies.get(1).ids()).isEqualTo(ids);
            assertThat(tallies.get(2).moved()).isEqualTo(2 * MESSAGES);
            assertThat(tallies.get(2).ids()).isEqualTo(ids);
            assertThat(database.accounts()).isEqualTo(new DesignDatabase.Accounts(2 * MESSAGES, 2 * MESSAGES, 0));
        }
    }

    @ParameterizedTest
    @MethodSource("designsForSeveralSubscribers")
    void everySubscriberPopsEveryMessage(String engine, String design) throws Exception {
        TestEngines.require(databases, engine);
        QueueShape shape = new QueueShape(1, 300, 3, 50); // several laps

        try (DesignDatabase database =
                DesignDatabase.create(databases.create(engine), DESIGNS.of(design), shape, false)) {
            List<Tally> tallies = together(List.of(
                    () -> moved(database.pusher(null), MESSAGES, 5),
                    () -> moved(database.popper(0, null), MESSAGES, 1),
                    () -> moved(database.popper(1, null), MESSAGES, 3),
                    () -> moved(database.popper(2, null), MESSAGES, 5)));

            assertThat(tallies).extracting(Tally::moved).containsOnly((long) MESSAGES);
            assertThat(tallies)
                    .extracting(Tally::ids)
                    .containsOnly(LongStream.rangeClosed(1, MESSAGES).sum());
            assertThat(database.accounts().owed()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("designs")
    void theTimeEndsASessionAndTheNextOneTakesUpItsNumber(String engine, String design) {
        TestEngines.require(databases, engine);
        QueueShape shape = new QueueShape(1, 300, 1, 20);

        try (DesignDatabase database =
                DesignDatabase.create(databases.create(engine), DESIGNS.of(design), shape, false)) {
            Session popper = database.popper(0, null);
            Tally nothing = lookedInVain(popper);
            Long pending = popper.pending();
            popper.close();
            Session pusher = database.pusher(null);
            Tally pushed = pusher.move(20, LONG, 10);
            pusher.close();
            Tally popped = moved(database.popper(0, pending), 20, 1);

            assertThat(nothing.moved()).isZero();
            assertThat(pushed.moved()).isEqualTo(20);
            assertThat(popped.ids()).isEqualTo(pushed.ids());
        }
    }

    /** The articles do not see it: the number alone does not keep the slot for its message. */
    @ParameterizedTest
    @MethodSource("rings")
    void aPusherThatIsLateByALapStopsTheRingForEver(String engine) {
        TestEngines.require(databases, engine);
        QueueShape shape = new QueueShape(1, 300, 1, 10);

        try (DesignDatabase database =
                        DesignDatabase.create(databases.create(engine), DESIGNS.of("ring"), shape, false);
                Session late = database.pusher(null);
                Session other = database.pusher(null);
                Session popper = database.popper(0, null)) {
            late.move(10, LONG, 1);
            lookedInVain(late);
            assertThat(late.pending()).as("waits for the first slot").isEqualTo(11);
            popper.move(10, LONG, 1);
            other.move(10, LONG, 1);

            assertThat(lookedInVain(popper).moved()).isZero();
            assertThat(popper.pending()).isEqualTo(11);
            assertThat(lookedInVain(late).moved()).isZero();
            assertThat(database.accounts().owed()).isEqualTo(10);
        }
    }

    /** Lets the time of a session end, again if the session did not get to look before it was over. */
    private static Tally lookedInVain(Session session) {
        Tally tally;
        do {
            tally = session.move(1, Duration.ofMillis(20), 1);
        } while (tally.missed() == 0 && tally.moved() == 0);
        return tally;
    }

    static List<String> rings() {
        return TestEngines.all();
    }

    @Test
    void anEngineWithoutADesignSaysWhy() {
        assertThatThrownBy(() -> DESIGNS.of("ring_in_memory").parts("sqlite"))
                .hasMessageContaining("no memory-optimised tables");
        assertThatThrownBy(() -> DESIGNS.of("heap")).hasMessageContaining("design=heap is none of [naive, ");
        assertThat(DESIGNS.all())
                .allSatisfy(design -> assertThat(List.of(Databases.SQLITE, Databases.POSTGRESQL, Databases.SQLSERVER))
                        .allSatisfy(engine -> assertThat(design.parts().containsKey(engine)
                                        ^ design.whyNot(engine).isPresent())
                                .as(design.name() + " on " + engine)
                                .isTrue()));
    }

    @Test
    void slotsStayApart() {
        assertThat(LongStream.range(0, 100)
                        .map(SlotKey.SLOTS_SCATTERED::of)
                        .distinct()
                        .count())
                .isEqualTo(100);
        assertThat(SlotKey.SLOTS_SCATTERED.of(11)).isEqualTo(5_000_000_011L);
        assertThat(SlotKey.SLOTS_REVERSED.of(1)).isEqualTo(1L << 31);
    }

    private static Tally moved(Session session, int messages, int batch) {
        try (session) {
            return session.move(messages, LONG, batch);
        }
    }

    private static List<Tally> together(List<Callable<Tally>> sessions) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(sessions.size());
        try {
            List<Tally> tallies = new ArrayList<>();
            for (Future<Tally> session : threads.invokeAll(sessions)) {
                tallies.add(session.get());
            }
            return tallies;
        } finally {
            threads.shutdownNow();
        }
    }
}
