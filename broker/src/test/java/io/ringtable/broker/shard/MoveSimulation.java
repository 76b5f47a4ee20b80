package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.DuplicateId;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.work.Deduplication;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Moves an address between three shards on real files, stepped by one thread. A numbered producer with duplicate ids
 * publishes to the address. The process dies after each call to a shard or the directory, and again after the first
 * call of the start that follows. Or a call fails in another way.
 */
abstract class MoveSimulation {
    static final int SHARDS = 3;

    @TempDir
    Path files;

    final CallCount calls = new CallCount();
    final AddressKind kind;
    private final AddressPolicies policies;
    private int runs;
    SteppedHomes node;
    FaultyDirectory store;
    String name; // of this run's address

    /** @param policies of all shards */
    MoveSimulation(AddressKind kind, AddressPolicies policies) {
        this.kind = kind;
        this.policies = policies;
    }

    /** Makes all steps of one address, and judges what clients got. @return how many calls there were */
    abstract int run(int call, DirectoryFault fault, boolean twice);

    /** Returns what becomes of one call after the other, beside a late one. */
    abstract List<DirectoryFault> faults();

    /** One thing that a client or the mover does; done again after a crash, it is done if it is done already. */
    record Step(String text, Runnable action) {}

    @BeforeEach
    void open() {
        node = new SteppedHomes(files, SHARDS, policies);
        store = new FaultyDirectory(node.stored(), calls);
        start();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void whateverCallIsTheLastNothingIsLostOrDoubled() {
        int all = run(-1, DirectoryFault.NONE, false);
        assertThat(all).isGreaterThan(15);
        for (DirectoryFault fault : faults()) {
            for (int call = 0; call < all; call++) {
                run(call, fault, false);
            }
        }
    }

    @Test
    void aSecondCrashInTheStartThatFollowsDoesNoHarm() {
        int all = run(-1, DirectoryFault.NONE, false);
        for (int call = 0; call < all; call++) {
            run(call, DirectoryFault.CRASH_AFTER, true);
        }
    }

    @Test
    void aCallOfTheDirectoryThatComesAfterAnotherOwnerHasBeenAtWorkDoesNoHarm() {
        int all = run(-1, DirectoryFault.NONE, false);
        for (int call = 0; call < all; call++) {
            run(call, DirectoryFault.LATE, false);
        }
    }

    static String described(int call, DirectoryFault fault, boolean twice) {
        return "call " + call + " " + fault + (twice ? " and another crash" : "");
    }

    // ---- what clients and the mover do

    /** Makes the address of a run. */
    void begin() {
        name = "a" + ++runs;
        ensure();
    }

    void ensure() {
        node.await(node.homes.catalog().ensure(name, kind));
    }

    void take(Step step, String what, boolean twice) {
        for (int tries = 0; ; tries++) {
            try {
                step.action().run();
                return;
            } catch (FaultyStore.Crash crash) {
                assertThat(tries).as(what).isZero();
                restart(twice);
                store.arrive();
            }
        }
    }

    Address address() {
        return node.homes.lookup().find(name);
    }

    int home() {
        return ShardIds.shardOf(address().id());
    }

    void move(int to) {
        for (int tries = 0; tries < 2 && node.homes.moveOf(name) == null && home() != to; tries++) {
            node.await(node.homes.catalog().move(address(), to, false).exceptionally(refused -> null)); // not taken
        }
        assertThat(home()).isEqualTo(to);
    }

    void look() {
        node.homes.lookAtMoves();
        node.rest();
    }

    void endMove() {
        for (int looks = 0; node.homes.moveOf(name) != null && looks < 5; looks++) {
            look();
        }
    }

    private SteppedShard shardOf(Address address) {
        return node.shards.get(ShardIds.shardOf(address.id()));
    }

    private Producer attend(Address address) {
        return shardOf(address).attend(address, "p", 0, () -> {});
    }

    long lastNumber() {
        return attend(address()).lastNumber();
    }

    /** Publishes as the SDK does, which asks for the last number before it sends again. */
    void publish(int first, int last) {
        for (int number = first; number <= last; number++) {
            Address address = address();
            Producer producer = attend(address);
            if (producer.lastNumber() < number) {
                submit(address, new Deduplication(producer, number, number - 1, List.of(id(number))), number);
            }
        }
    }

    /** Publishes by the duplicate id alone. */
    void publishWithId(int number) {
        submit(address(), Deduplication.ids(List.of(id(number))), number);
    }

    private void submit(Address address, Deduplication once, int number) {
        SteppedShard shard = shardOf(address);
        Outcome outcome = shard.submit(once, shard.message(address, SteppedShard.bytes("m" + number)));
        node.rest();
        assertThat(outcome.refusal).isNull();
        assertThat(outcome.accepted).isTrue();
    }

    private static DuplicateId id(int number) {
        return DuplicateId.stored(("id " + number).getBytes(StandardCharsets.UTF_8));
    }

    static List<String> texts(int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(number -> "m" + number)
                .toList();
    }

    /** Returns the shards, the old home of an address that moves first. */
    List<SteppedShard> oldHomeFirst() {
        List<SteppedShard> all = new ArrayList<>(node.shards);
        if (node.homes.moveOf(name) != null) {
            SteppedShard old = node.shards.get(node.homes.moveOf(name).from());
            all.remove(old);
            all.add(0, old);
        }
        return all;
    }

    /** Receives all that a subscription owes in a shard. A crash leaves the rest to the next call. */
    void receive(SteppedShard shard, Subscription part, List<String> received) {
        Reader reader = shard.attach(part, 1_000);
        node.rest();
        received.addAll(reader.texts());
        reader.acceptAll();
        node.rest();
        reader.detach(false);
        node.rest();
    }

    // ---- starts

    void restart(boolean twice) {
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
    void start() {
        for (SteppedShard shard : node.shards) {
            shard.store.plan =
                    (verb, argument) -> verb.equals("alter") ? calls.next().ofShard() : null;
        }
        node.startWhole(store);
    }

    // ---- what there is

    CatalogLookup lookup(int shard) {
        return node.shards.get(shard).doors.lookup();
    }

    List<Integer> homes() {
        return IntStream.range(0, SHARDS)
                .filter(number -> lookup(number).find(name) != null)
                .boxed()
                .toList();
    }

    List<String> rows() {
        return node.rows(HomeRow.Scope.ADDRESS, name).stream()
                .map(row -> row.shard() + " " + row.next())
                .toList();
    }
}
