package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.directory.HomeRow;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Creates, moves and deletes names in three shards and their directory, on real files, stepped by one thread. The
 * process dies before and after each call that it makes to any of them, and the answer of each call is lost once. Each
 * call of the directory is held back once, until another owner has been at work for a while.
 * <p>
 * Invariants checked:
 * <ul>
 *   <li>no name is found in two shards, at any time;
 *   <li>what is asked for again after a crash succeeds: no name is stuck;
 *   <li>each name that a catalogue has, stands in the directory with its home;
 *   <li>at rest, and after each start, the directory says what the catalogues have, and nothing else.
 * </ul>
 */
class DirectorySimulationTest {
    private static final int SHARDS = 3;
    private static final SubscriptionUser ALICE = SubscriptionUser.of("alice");

    @TempDir
    Path files;

    private final CallCount calls = new CallCount();
    private SteppedHomes node;
    private FaultyDirectory store;
    private boolean isExact; // false while a late call may have left a row that the next start removes
    private int runs;

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, SHARDS);
        store = new FaultyDirectory(node.stored(), calls);
        start();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void whateverCallIsTheLastNoNameHasTwoHomesAndNoneIsStuck() {
        int all = run(-1, DirectoryFault.NONE, 0);
        assertThat(all).isGreaterThan(30);
        for (DirectoryFault fault : List.of(
                DirectoryFault.CRASH_BEFORE,
                DirectoryFault.CRASH_AFTER,
                DirectoryFault.ANSWER_LOST,
                DirectoryFault.FAILS)) {
            for (int call = 0; call < all; call++) {
                run(call, fault, 0);
            }
        }
    }

    @Test
    void aCallThatComesAfterAnotherOwnerHasBeenAtWorkDoesNoHarm() {
        runLate();
    }

    @Test
    void aDirectoryThatComparesNoVersionsIsFound() {
        store.comparesNoVersions = true;
        try {
            runLate();
        } catch (AssertionError found) {
            System.out.println(
                    "found: " + found.getMessage().lines().findFirst().orElse(""));
            return;
        }
        throw new AssertionError("a late call removed or overwrote a row, and nobody noticed");
    }

    private void runLate() {
        int all = run(-1, DirectoryFault.NONE, 0);
        for (int call = 0; call < all; call++) {
            for (int steps = 0; steps < 4; steps += 3) {
                run(call, DirectoryFault.LATE, steps);
            }
        }
    }

    // ---- one run

    /** One thing that a client asks for; asked again, it is done if it is done already. */
    private record Step(String text, Supplier<CompletionStage<?>> question) {}

    /**
     * @param call that fails
     * @param late how many further steps are taken before a call arrives that was held back
     * @return how many calls there were
     */
    private int run(int call, DirectoryFault fault, int late) {
        String run = "call " + call + " " + fault + " " + late;
        calls.fail(call, fault);
        isExact = true;
        int arrivesIn = -1;
        for (Step step : steps(++runs)) {
            String what = run + ": " + step.text();
            boolean restarted = take(step, what);
            if (restarted && fault == DirectoryFault.LATE) {
                arrivesIn = late;
            }
            if (arrivesIn-- == 0) {
                store.arrive();
                isExact = false;
                check(what + ", late call");
            }
        }
        store.arrive();
        int made = calls.made();
        calls.failNone();
        start();
        isExact = true;
        check(run + ": at the end");
        assertThat(rows()).as(run).isEmpty();
        return made;
    }

    /** @return whether the process died meanwhile */
    private boolean take(Step step, String what) {
        boolean restarted = false;
        for (int tries = 0; ; tries++) {
            try {
                CompletableFuture<?> answer = step.question().get().toCompletableFuture();
                node.rest();
                assertThat(answer).as(what).isCompleted();
                check(what);
                return restarted;
            } catch (FaultyStore.Crash crash) {
                assertThat(tries).as(what).isZero();
                restart();
                restarted = true;
                check(what + ", after a restart");
            }
        }
    }

    private List<Step> steps(int run) {
        String queue = "a" + run;
        String first = "t" + run;
        String second = "u" + run;
        String client = "c" + run;
        return List.of(
                new Step("create queue", () -> node.homes.catalog().ensure(queue, AddressKind.QUEUE)),
                new Step("create topic", () -> node.homes.catalog().create(first, AddressKind.TOPIC)),
                new Step("create another", () -> node.homes.catalog().ensure(second, AddressKind.TOPIC)),
                new Step("subscribe", () -> subscribe(first, client, "s")),
                new Step("subscribe globally", () -> subscribe(second, "", "g" + run)),
                new Step("move to another home", () -> subscribe(second, client, "s")),
                new Step("delete queue", () -> delete(queue)),
                new Step("create topic of that name", () -> node.homes.catalog().ensure(queue, AddressKind.TOPIC)),
                new Step("unsubscribe", () -> unsubscribe(client, "s")),
                new Step("subscribe again", () -> subscribe(first, client, "s")),
                new Step("delete topic with its subscription", () -> delete(first)),
                new Step("delete another", () -> delete(second)),
                new Step("create queue again", () -> node.homes.catalog().ensure(first, AddressKind.QUEUE)),
                new Step("delete it", () -> delete(first)),
                new Step("delete the last", () -> delete(queue)));
    }

    private CompletionStage<?> subscribe(String topic, String client, String name) {
        return node.homes
                .catalog()
                .subscribe(ALICE, node.homes.lookup().find(topic), client, name, null, false, true, null)
                .thenAccept(made -> node.homes.catalog().leave(made));
    }

    private CompletionStage<?> unsubscribe(String client, String name) {
        Subscription existing = node.homes.lookup().find(client, name);
        return existing == null
                ? CompletableFuture.completedFuture(null)
                : node.homes.catalog().unsubscribe(ALICE, existing);
    }

    private CompletionStage<?> delete(String name) {
        Address existing = node.homes.lookup().find(name);
        return existing == null
                ? CompletableFuture.completedFuture(null)
                : node.homes.catalog().deleteStored(existing, true);
    }

    // ---- steps

    private void restart() {
        calls.failNone();
        node.shards.forEach(SteppedShard::crashAndRestart);
        checkHomes("before the directory is compared");
        start();
    }

    /** As a node starts that has taken all shards. */
    private void start() {
        for (SteppedShard shard : node.shards) {
            shard.store.plan =
                    (verb, argument) -> verb.equals("alter") ? calls.next().ofShard() : null;
        }
        node.start(store);
    }

    // ---- invariants

    private void check(String what) {
        checkHomes(what);
        Set<String> catalogues = catalogues();
        if (isExact) {
            assertThat(rows()).as(what).isEqualTo(catalogues);
        } else {
            assertThat(rows().stream().map(row -> row.replace("GOING", "HERE")))
                    .as(what)
                    .containsAll(catalogues);
        }
    }

    private void checkHomes(String what) {
        Set<String> names = new TreeSet<>();
        for (SteppedShard shard : node.shards) {
            for (Address address : shard.doors.lookup().addresses()) {
                assertThat(names.add(address.name())).as(what + " " + address).isTrue();
                for (Subscription each : shard.doors.lookup().subscriptionsOf(address)) {
                    if (!address.isQueue()) {
                        assertThat(names.add(each.clientId() + "/" + each.name()))
                                .as(what + " " + each)
                                .isTrue();
                    }
                }
            }
        }
    }

    private Set<String> rows() {
        Set<String> rows = new TreeSet<>();
        for (HomeRow row : store.changes(0).rows()) {
            if (row.scope() != HomeRow.Scope.CLIENT) {
                rows.add(row.name() + " " + row.kind() + " " + row.shard() + " " + row.owner() + " " + row.state());
            }
        }
        return rows;
    }

    private Set<String> catalogues() {
        Set<String> all = new TreeSet<>();
        for (int number = 0; number < SHARDS; number++) {
            for (Address address : node.shards.get(number).doors.lookup().addresses()) {
                all.add(address.name() + " " + address.kind() + " " + number + "  HERE");
                for (Subscription each : node.shards.get(number).doors.lookup().subscriptionsOf(address)) {
                    if (!address.isQueue()) {
                        String owner = each.clientId().isEmpty() ? "alice" : "";
                        all.add(each.clientId().length() + "|" + each.clientId() + "|" + each.name() + " null " + number
                                + " " + owner + " HERE");
                    }
                }
            }
        }
        return all;
    }
}
