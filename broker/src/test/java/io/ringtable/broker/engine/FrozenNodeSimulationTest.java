package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two nodes, one shard, one clock. A node is frozen for a random time between two of its turns, or before or after any call
 * that it makes to the store; the other one goes on, takes over, is frozen itself. Clients of both publish, receive and
 * settle all the time. One thread takes every step, so that a seed repeats exactly what it did.
 * <p>
 * Invariants checked: whatever a client sees comes from the node that owns the shard at that moment; what was accepted
 * reaches every subscription that was there; what is durably settled never comes again; what comes again is flagged.
 * <p>
 * {@code -Dsimulation.seeds=N} runs N seeds; {@code -Dsimulation.first=S} begins with another one than 1.
 */
class FrozenNodeSimulationTest {
    private static final int STEPS = 120;
    private static final long LEASE = SteppedEngine.LEASE.toNanos();
    /** Seeds within which the simulation must find a node that leaves one check out. */
    private static final int SEEDS_TO_FIND_IT = 500;

    /** A check that a node leaves out: the simulation has to notice. */
    enum Omission {
        NONE,
        /** Outcomes leave whatever the clock says. */
        COMMITTER_LOOKS_AT_NO_CLOCK,
        /** Deliveries leave whatever the clock says. */
        DISPATCHER_LOOKS_AT_NO_CLOCK,
        /** What nobody owes is accepted without a question to the store, and outcomes whatever the clock says. */
        NOBODY_ASKS_THE_STORE,
        /** After a lost connection gate and next are compared, and not who owned the shard in between. */
        A_GAP_IN_EPOCHS_IS_OVERLOOKED
    }

    @TempDir
    Path directory;

    static LongStream seeds() {
        long first = Long.getLong("simulation.first", 1);
        return LongStream.range(first, first + Long.getLong("simulation.seeds", 10));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aFrozenNodeAnswersNobody(long seed) throws Exception {
        new World(seed, Omission.NONE).run();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aNodeThatLeavesACheckOutIsFound(Omission omission) throws Exception {
        for (long seed = 1; seed <= SEEDS_TO_FIND_IT; seed++) {
            try {
                new World(seed, omission).run();
            } catch (AssertionError found) {
                return;
            }
        }
        throw new AssertionError(omission + " went unnoticed in " + SEEDS_TO_FIND_IT + " seeds");
    }

    /** One seed: the shard, its two nodes, and what their clients know. */
    private final class World {
        private final long seed;
        private final Random random;
        private final Omission omission;
        private final RingStore tables;
        private final Node[] nodes = new Node[2];
        private final Map<String, Set<String>> mustReach =
                new HashMap<>(); // subscriptions by text of what was accepted
        private final Map<String, Set<String>> reached = new HashMap<>();
        private final Map<String, Set<String>> settled = new HashMap<>();
        private final Set<String> subscriptions = new HashSet<>(); // those that were answered
        private long nanos = 1;
        private Node owner; // whom the tables name
        private long leaseEnds;
        private int published;
        private int step;
        private boolean calm; // nobody is frozen any more

        World(long seed, Omission omission) throws Exception {
            this.seed = seed;
            this.omission = omission;
            this.random = new Random(seed);
            Path file = Files.createDirectories(directory.resolve(omission + "-" + seed));
            this.tables = RingStores.open(StoreSettings.embedded(file));
            for (int i = 0; i < nodes.length; i++) {
                nodes[i] = new Node(this, "node-" + i, file);
            }
        }

        void run() {
            try {
                for (step = 1; step <= STEPS; step++) {
                    nanos += random.nextInt(10) == 0 ? random.nextLong(LEASE * 2) : random.nextLong(LEASE / 50);
                    nodes[random.nextInt(nodes.length)].step();
                }
                settleEverything();
            } catch (RuntimeException | Error failure) {
                throw new AssertionError(
                        omission + ", seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
            } finally {
                tables.close();
            }
        }

        private void settleEverything() {
            calm = true;
            nodes[0].stop();
            nanos += 3 * LEASE;
            Node last = nodes[1];
            for (int turns = 0; turns < 40; turns++) {
                nanos += LEASE / 50;
                last.step();
                last.receiveEverything();
            }
            mustReach.forEach((text, names) -> assertThat(reached.getOrDefault(text, Set.of()))
                    .as("who was given %s, which was accepted", text)
                    .containsAll(names));
        }

        /** The clock goes on, and so does the other node. */
        private void freeze(Node frozen) {
            nanos += random.nextLong(LEASE * 3);
            Node other = frozen == nodes[0] ? nodes[1] : nodes[0];
            if (!other.isInside) {
                for (int steps = random.nextInt(20); steps > 0; steps--) {
                    nanos += random.nextLong(LEASE / 20);
                    other.step();
                }
            }
            if (random.nextInt(3) == 0) {
                other.stop(); // its lease ends without it
                nanos += 2 * LEASE;
            }
        }

        private void seenFrom(Node node, String what) {
            assertThat(owner)
                    .as("the owner while %s lets a client see %s", node.id, what)
                    .isSameAs(node);
        }
    }

    /** One broker and its clients. */
    private static final class Node {
        private final World world;
        private final String id;
        private final SteppedEngine engine;
        private final List<Client> clients = new ArrayList<>();
        private boolean isUp;
        private boolean isInside; // on its way through a call, perhaps frozen there
        private long previousEpoch; // of the last one that it was given

        Node(World world, String id, Path file) {
            this.world = world;
            this.id = id;
            this.engine = new SteppedEngine(file);
            engine.nodeId = id;
            engine.nanoClock = () -> world.nanos;
            engine.committerIsBlind = world.omission == Omission.COMMITTER_LOOKS_AT_NO_CLOCK
                    || world.omission == Omission.NOBODY_ASKS_THE_STORE;
            engine.dispatcherIsBlind = world.omission == Omission.DISPATCHER_LOOKS_AT_NO_CLOCK;
        }

        // ---- what the node does

        void step() {
            if (isInside) {
                return;
            }
            inside(() -> {
                if (!isUp) {
                    start();
                } else {
                    act();
                    turn();
                }
            });
        }

        /** It may find out that it is not the owner any more, as the broker does. */
        private void inside(Runnable turns) {
            isInside = true;
            try {
                turns.run();
            } catch (ShardStopped stopped) {
                stop();
            } catch (StoreFailure failure) {
                assertThat(failure.kind())
                        .as("%s", failure)
                        .isIn(StoreFailure.Kind.FENCED, StoreFailure.Kind.UNAVAILABLE);
                stop();
            } catch (CompletionException refused) {
                assertThat(refused.getCause()).isInstanceOf(Refusal.Refused.class);
                stop();
            } finally {
                isInside = false;
            }
        }

        private void start() {
            try {
                engine.open(view());
            } catch (ClassCastException held) {
                return; // the other one's lease runs
            }
            isUp = true;
            queue();
            topic();
        }

        /** Its connections are gone, and what its memory knew. */
        void stop() {
            if (isUp) {
                isUp = false;
                engine.crash();
                clients.clear();
            }
        }

        private void turn() {
            for (int turns = world.random.nextInt(8); turns >= 0 && isUp; turns--) {
                switch (world.random.nextInt(4)) {
                    case 0 -> renew();
                    case 1 -> engine.commitTurn();
                    case 2 -> engine.dispatchTurn();
                    default -> engine.readTurn();
                }
            }
        }

        private void renew() {
            long asked = world.nanos;
            engine.store.renew(engine.state.epoch());
            engine.lease.renewed(asked);
        }

        // ---- what its clients do

        private void act() {
            switch (world.random.nextInt(6)) {
                case 0, 1 -> publish();
                case 2, 3 -> settle();
                case 4 -> attach();
                default -> subscribe();
            }
        }

        private Address queue() {
            return ensure("q", AddressKind.QUEUE);
        }

        private Address topic() {
            return ensure("t", AddressKind.TOPIC);
        }

        private Address ensure(String name, AddressKind kind) {
            Address known = engine.address(name);
            return known != null ? known : engine.await(engine.doors.catalog().ensure(name, kind));
        }

        private void publish() {
            Address address = world.random.nextBoolean() ? queue() : topic();
            for (int i = world.random.nextInt(5); i >= 0; i--) {
                String text = "m" + world.published++;
                if (address.quota().reserve(1) != 1) {
                    return;
                }
                Message message = engine.message(address, SteppedEngine.bytes(text));
                engine.doors.committer().trySubmit(Work.publish(List.of(message), new Told() {
                    @Override
                    public void accepted() {
                        world.seenFrom(Node.this, "the outcome of " + text);
                        Set<String> names = address.isQueue() ? Set.of("q") : Set.copyOf(world.subscriptions);
                        world.mustReach.put(text, names);
                    }
                }));
            }
        }

        private void subscribe() {
            String name = "s" + world.random.nextInt(4);
            engine.subscribe(topic(), name);
            world.subscriptions.add(name);
        }

        private void attach() {
            List<Subscription> all = new ArrayList<>();
            all.add(engine.reader(queue()));
            for (String name : world.subscriptions) {
                Subscription known = engine.subscription(name);
                if (known != null) {
                    all.add(known);
                }
            }
            Subscription chosen = all.get(world.random.nextInt(all.size()));
            if (clients.stream().noneMatch(client -> client.name.equals(nameOf(chosen)))) {
                attach(chosen);
            }
        }

        private void attach(Subscription subscription) {
            Client client = new Client(this, nameOf(subscription));
            clients.add(client);
            engine.dispatcher.mailbox().attach(client, subscription);
            engine.dispatcher.mailbox().credit(client, 1_000, false);
        }

        private static String nameOf(Subscription subscription) {
            return subscription.address().isQueue() ? "q" : subscription.name();
        }

        private void settle() {
            if (!clients.isEmpty()) {
                clients.get(world.random.nextInt(clients.size())).settle(world.random.nextInt(6));
            }
        }

        void receiveEverything() {
            if (!isUp) {
                return;
            }
            inside(() -> {
                renew();
                attachIfNew(engine.reader(queue()));
                world.subscriptions.forEach(name -> attachIfNew(engine.subscription(name)));
                engine.run();
                clients.forEach(client -> client.settle(Integer.MAX_VALUE));
                engine.run();
            });
        }

        private void attachIfNew(Subscription subscription) {
            assertThat(subscription).as("a subscription that was answered").isNotNull();
            if (clients.stream().noneMatch(client -> client.name.equals(nameOf(subscription)))) {
                attach(subscription);
            }
        }

        // ---- the shard as this node reaches it

        private RingStore view() {
            return (RingStore) Proxy.newProxyInstance(
                    RingStore.class.getClassLoader(),
                    new Class<?>[] {RingStore.class},
                    (proxy, method, arguments) -> call(method.getName(), () -> {
                        try {
                            return method.invoke(world.tables, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }

        private interface Call {
            Object run() throws Throwable;
        }

        private Object call(String verb, Call call) throws Throwable {
            boolean freezes = !world.calm && !verb.equals("limits") && world.random.nextInt(25) == 0;
            boolean before = world.random.nextBoolean();
            if (freezes && before) {
                world.freeze(this);
                if (world.random.nextInt(2) == 0 && !verb.equals("acquire") && !verb.equals("renew")) {
                    throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "RT-3099", verb + " found no connection");
                }
            }
            Object result = switch (verb) {
                case "acquire" -> acquire(call);
                case "checkOwner" -> world.omission == Omission.NOBODY_ASKS_THE_STORE ? null : call.run();
                case "renew" -> {
                    call.run();
                    world.leaseEnds = world.nanos + LEASE;
                    yield null;
                }
                default -> call.run();
            };
            if (freezes && !before) {
                world.freeze(this);
            }
            return result;
        }

        /** As a server does it, by its own clock. */
        private Object acquire(Call call) throws Throwable {
            if (world.owner != null && world.owner != this && world.nanos < world.leaseEnds) {
                return new Ownership.HeldBy(world.owner.id, 1, 1 + world.leaseEnds - world.nanos);
            }
            Ownership.Owned owned = (Ownership.Owned) call.run();
            world.owner = this;
            world.leaseEnds = world.nanos + LEASE;
            long mine = previousEpoch;
            previousEpoch = owned.epoch();
            return world.omission == Omission.A_GAP_IN_EPOCHS_IS_OVERLOOKED
                    ? new Ownership.Owned(owned.epoch(), mine, owned.lease())
                    : owned;
        }
    }

    /** Hears only good news: a refusal says that nothing of the work is durable, or that the node has crashed. */
    private abstract static class Told implements Completion {
        @Override
        public void refused(Refusal refusal) {}

        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }
    }

    /** A link that receives. */
    private static final class Client implements Consumer {
        private final Node node;
        private final String name; // of its subscription
        private final List<Delivery> unsettled = new ArrayList<>();

        Client(Node node, String name) {
            this.node = node;
            this.name = name;
        }

        @Override
        public io.ringtable.broker.catalog.Selector selector() {
            return null;
        }

        @Override
        public void deliver(Delivery delivery) {
            String text = SteppedEngine.text(delivery);
            node.world.seenFrom(node, text);
            assertThat(node.world.settled.getOrDefault(text, Set.of()))
                    .as("%s came again though it was settled", text)
                    .doesNotContain(name);
            boolean first = node.world
                    .reached
                    .computeIfAbsent(text, key -> new HashSet<>())
                    .add(name);
            assertThat(first || delivery.redelivered())
                    .as("%s came again to %s, and was not flagged", text, name)
                    .isTrue();
            unsettled.add(delivery);
        }

        @Override
        public void drained(long limit) {}

        @Override
        public void ended(Refusal refusal) {
            node.world.seenFrom(node, "the end of a link");
        }

        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }

        void settle(int most) {
            for (Delivery delivery : List.copyOf(unsettled.subList(0, Math.min(most, unsettled.size())))) {
                unsettled.remove(delivery);
                String text = SteppedEngine.text(delivery);
                node.engine.dispatcher.mailbox().accepted(this, delivery, new Told() {
                    @Override
                    public void accepted() {
                        node.world.seenFrom(node, "that " + text + " is settled");
                        node.world
                                .settled
                                .computeIfAbsent(text, key -> new HashSet<>())
                                .add(name);
                    }
                });
            }
        }
    }
}
