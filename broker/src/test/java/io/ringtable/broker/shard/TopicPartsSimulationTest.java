package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.directory.HomeRow;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Makes, changes, moves and deletes subscriptions of topics with parts, in three shards and their directory, on real
 * files, stepped by one thread. The process dies after each call that it makes to any of them, and once more after the
 * first call of the start that follows. Each call of the directory is held back once, until another owner has been at
 * work.
 * <p>
 * Invariants checked whenever nobody waits for an answer, and after each start:
 * <ul>
 *   <li>all parts of a topic have a subscription, with one selector, or none has;
 *   <li>each topic has its parts;
 *   <li>a subscription of which a client was told is there, unless the client has asked for another one since;
 *   <li>what is asked for again after a crash succeeds;
 *   <li>the directory says what the catalogues have, and nothing else.
 * </ul>
 */
class TopicPartsSimulationTest {
    private static final int SHARDS = 3;
    private static final SubscriptionUser ALICE = SubscriptionUser.of("alice");
    private static final Map<String, Integer> PARTS = Map.of("two.#", 2, "three.#", 3);

    @TempDir
    Path files;

    private final CallCount calls = new CallCount();
    private final Map<String, Wanted> told = new HashMap<>(); // what clients know, by the subscription's name
    private final Set<String> unanswered = new HashSet<>(); // names of which something is asked
    private SteppedHomes node;
    private FaultyDirectory store;
    private boolean isExact; // false while a late call may have left a row that the next start removes
    private int runs;

    /** Holds what a client was told of a subscription. */
    private record Wanted(String topic, Selector selector) {}

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, SHARDS, SteppedSettings.parts(PARTS));
        store = new FaultyDirectory(node.stored(), calls);
        start();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void whateverCallIsTheLastASubscriptionIsInAllPartsOrInNone() {
        int all = run(-1, DirectoryFault.NONE, false);
        assertThat(all).isGreaterThan(40);
        for (int call = 0; call < all; call++) {
            run(call, DirectoryFault.CRASH_AFTER, false);
        }
    }

    @Test
    void aSecondCrashWhileTheFirstOneIsMendedDoesNoHarm() {
        int all = run(-1, DirectoryFault.NONE, false);
        for (int call = 0; call < all; call++) {
            run(call, DirectoryFault.CRASH_AFTER, true);
        }
    }

    @Test
    void aCallThatComesAfterAnotherOwnerHasBeenAtWorkDoesNoHarm() {
        int all = run(-1, DirectoryFault.NONE, false);
        for (int call = 0; call < all; call++) {
            run(call, DirectoryFault.LATE, false);
        }
    }

    // ---- one run

    /**
     * Asks for one thing, as a client does; asked again, it is done if it is done already.
     *
     * @param about subscriptions that it changes
     * @param then what the client knows once it has its answer
     */
    private record Step(String text, Supplier<CompletionStage<?>> question, Set<String> about, Runnable then) {}

    /**
     * @param call that fails
     * @param twice whether the start that follows fails as well, after its first call
     * @return how many calls there were
     */
    private int run(int call, DirectoryFault fault, boolean twice) {
        String run = "call " + call + " " + fault + (twice ? " and another crash" : "");
        told.clear();
        calls.fail(call, fault);
        isExact = true;
        for (Step step : steps(++runs)) {
            String what = run + ": " + step.text();
            if (take(step, what, twice) && fault == DirectoryFault.LATE) {
                store.arrive();
                isExact = false;
                check(what + ", late call");
            }
        }
        int made = calls.made();
        calls.failNone();
        start();
        isExact = true;
        check(run + ": at the end");
        assertThat(rows()).as(run).isEmpty();
        return made;
    }

    /** @return whether the process died meanwhile */
    private boolean take(Step step, String what, boolean twice) {
        boolean restarted = false;
        unanswered.addAll(step.about());
        for (int tries = 0; ; tries++) {
            try {
                CompletableFuture<?> answer = step.question().get().toCompletableFuture();
                node.rest();
                assertThat(answer).as(what).isCompleted();
                unanswered.clear();
                step.about().forEach(told::remove);
                step.then().run();
                check(what);
                return restarted;
            } catch (FaultyStore.Crash crash) {
                assertThat(tries).as(what).isZero();
                restart(twice);
                restarted = true;
                check(what + ", after a restart");
            }
        }
    }

    private List<Step> steps(int run) {
        String two = "two." + run;
        String three = "three." + run;
        String plain = "plain." + run;
        String sub = "c" + run + "/s";
        String global = "/g" + run;
        Selector first = SteppedShard.selector("first");
        Selector second = SteppedShard.selector("second");
        return List.of(
                step("create topic", () -> ensure(two)),
                step("create another", () -> ensure(three)),
                step("create one without parts", () -> ensure(plain)),
                subscribe("subscribe", SubscriptionUser.NOBODY, two, sub, first),
                subscribe("subscribe again", SubscriptionUser.NOBODY, two, sub, first),
                subscribe("change the selector", SubscriptionUser.NOBODY, two, sub, second),
                subscribe("move to another topic", SubscriptionUser.NOBODY, three, sub, second),
                subscribe("move to one without parts", SubscriptionUser.NOBODY, plain, sub, null),
                subscribe("move back", SubscriptionUser.NOBODY, two, sub, null),
                new Step("unsubscribe", () -> unsubscribe(sub), Set.of(sub), () -> {}),
                subscribe("subscribe globally", ALICE, two, global, null),
                new Step("delete topic with its subscription", () -> delete(two), Set.of(global), () -> {}),
                step("delete another", () -> delete(three)),
                step("delete the last", () -> delete(plain)));
    }

    private static Step step(String text, Supplier<CompletionStage<?>> question) {
        return new Step(text, question, Set.of(), () -> {});
    }

    private Step subscribe(String text, SubscriptionUser user, String topic, String name, Selector selector) {
        String[] clientAndName = name.split("/");
        return new Step(
                text,
                () -> node.homes
                        .catalog()
                        .subscribe(
                                user,
                                node.homes.lookup().find(topic),
                                clientAndName[0],
                                clientAndName[1],
                                selector,
                                false,
                                true,
                                null)
                        .thenAccept(made -> node.homes.catalog().leave(made)),
                Set.of(name),
                () -> told.put(name, new Wanted(topic, selector)));
    }

    private CompletionStage<?> ensure(String topic) {
        return node.homes.catalog().ensure(topic, AddressKind.TOPIC);
    }

    private CompletionStage<?> unsubscribe(String name) {
        Subscription existing = node.homes.lookup().find(name.split("/")[0], name.split("/")[1]);
        return existing == null
                ? CompletableFuture.completedFuture(null)
                : node.homes.catalog().unsubscribe(SubscriptionUser.NOBODY, existing);
    }

    private CompletionStage<?> delete(String name) {
        Address existing = node.homes.lookup().find(name);
        return existing == null
                ? CompletableFuture.completedFuture(null)
                : node.homes.catalog().deleteStored(existing, true);
    }

    // ---- steps

    private void restart(boolean twice) {
        calls.fail(twice ? 0 : -1, DirectoryFault.CRASH_AFTER);
        try {
            node.shards.forEach(SteppedShard::crashAndRestart);
            start();
        } catch (FaultyStore.Crash again) {
            calls.failNone();
            node.shards.forEach(SteppedShard::crashAndRestart);
            start();
        }
        calls.failNone();
    }

    /** As a node starts that has taken all shards. */
    private void start() {
        for (SteppedShard shard : node.shards) {
            shard.store.plan =
                    (verb, argument) -> verb.equals("alter") ? calls.next().ofShard() : null;
        }
        node.startWhole(store);
    }

    // ---- invariants

    private void check(String what) {
        Map<String, List<Subscription>> byName = new TreeMap<>();
        Map<String, Integer> addresses = new TreeMap<>();
        for (SteppedShard shard : node.shards) {
            for (Address address : shard.doors.lookup().addresses()) {
                addresses.merge(address.name(), 1, Integer::sum);
                for (Subscription each : shard.doors.lookup().subscriptionsOf(address)) {
                    byName.computeIfAbsent(each.clientId() + "/" + each.name(), first -> new ArrayList<>())
                            .add(each);
                }
            }
        }
        addresses.forEach((name, parts) ->
                assertThat(parts).as(what + ": parts of " + name).isEqualTo(partsOf(name)));
        byName.forEach((name, parts) -> {
            assertThat(parts)
                    .as(what + ": " + name)
                    .extracting(each -> each.address().name())
                    .hasSize(partsOf(parts.get(0).address().name()))
                    .containsOnly(parts.get(0).address().name());
            assertThat(parts)
                    .as(what + ": selectors of " + name)
                    .extracting(Subscription::selector)
                    .containsOnly(parts.get(0).selector());
            if (!unanswered.contains(name)) {
                assertThat(new Wanted(
                                parts.get(0).address().name(), parts.get(0).selector()))
                        .as(what + ": " + name)
                        .isEqualTo(told.get(name));
            }
        });
        assertThat(byName.keySet())
                .as(what + ": what clients were told of")
                .containsAll(told.keySet().stream()
                        .filter(name -> !unanswered.contains(name))
                        .toList());
        checkDirectory(what);
    }

    private static int partsOf(String topic) {
        return PARTS.entrySet().stream()
                .filter(each -> topic.startsWith(each.getKey().replace("#", "")))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(1);
    }

    private void checkDirectory(String what) {
        if (isExact) {
            assertThat(rows()).as(what).isEqualTo(catalogues());
        } else {
            assertThat(rows().stream().map(row -> row.replace("GOING", "HERE")))
                    .as(what)
                    .containsAll(catalogues());
        }
    }

    private Set<String> rows() {
        Set<String> rows = new TreeSet<>();
        for (HomeRow row : store.changes(0).rows()) {
            if (row.scope() != HomeRow.Scope.CLIENT) {
                rows.add(row.name() + " " + row.shard() + " " + row.state());
            }
        }
        return rows;
    }

    private Set<String> catalogues() {
        Set<String> all = new TreeSet<>();
        for (int number = 0; number < SHARDS; number++) {
            for (Address address : node.shards.get(number).doors.lookup().addresses()) {
                all.add(address.name() + " " + number + " HERE");
                for (Subscription each : node.shards.get(number).doors.lookup().subscriptionsOf(address)) {
                    all.add(each.clientId().length() + "|" + each.clientId() + "|" + each.name() + " " + number
                            + " HERE");
                }
            }
        }
        return all;
    }
}
