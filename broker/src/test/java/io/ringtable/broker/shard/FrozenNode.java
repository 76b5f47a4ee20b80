package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.work.Work;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;

/** One broker and its clients. */
final class FrozenNode {
    final TwoNodes world;
    private final String id;
    final SteppedShard shard;
    private final List<FrozenNodeClient> clients = new ArrayList<>();
    private boolean isUp;
    private boolean isInside;
    private long previousEpoch; // of the last one that it was given

    FrozenNode(TwoNodes world, String id, Path file) {
        this.world = world;
        this.id = id;
        this.shard = new SteppedShard(file);
        shard.nodeId = id;
        shard.nanoClock = () -> world.nanos;
        shard.committerIsBlind = world.omission == TwoNodes.Omission.COMMITTER_LOOKS_AT_NO_CLOCK
                || world.omission == TwoNodes.Omission.NOBODY_ASKS_THE_STORE;
        shard.dispatcherIsBlind = world.omission == TwoNodes.Omission.DISPATCHER_LOOKS_AT_NO_CLOCK;
    }

    String id() {
        return id;
    }

    /** On its way through a call, perhaps frozen there. */
    boolean isInside() {
        return isInside;
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
            assertThat(failure.kind()).as("%s", failure).isIn(StoreFailure.Kind.FENCED, StoreFailure.Kind.UNAVAILABLE);
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
            shard.open(view());
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
            shard.crash();
            clients.clear();
        }
    }

    private void turn() {
        for (int turns = world.random.nextInt(8); turns >= 0 && isUp; turns--) {
            switch (world.random.nextInt(4)) {
                case 0 -> renew();
                case 1 -> shard.commitTurn();
                case 2 -> shard.dispatchTurn();
                default -> shard.readTurn();
            }
        }
    }

    private void renew() {
        long asked = world.nanos;
        shard.store.renew(shard.state.epoch());
        shard.lease.renewed(asked);
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
        Address known = shard.address(name);
        return known != null ? known : shard.await(shard.doors.catalog().ensure(name, kind));
    }

    private void publish() {
        Address address = world.random.nextBoolean() ? queue() : topic();
        for (int i = world.random.nextInt(5); i >= 0; i--) {
            String text = "m" + world.published++;
            if (address.quota().reserve(1) != 1) {
                return;
            }
            Message message = shard.message(address, SteppedShard.bytes(text));
            shard.doors.committer().trySubmit(Work.publish(List.of(message), new GoodNews() {
                @Override
                public void accepted() {
                    world.seenFrom(FrozenNode.this, "the outcome of " + text);
                    Set<String> names = address.isQueue() ? Set.of("q") : Set.copyOf(world.subscriptions);
                    world.mustReach.put(text, names);
                }
            }));
        }
    }

    private void subscribe() {
        String name = "s" + world.random.nextInt(4);
        shard.subscribe(topic(), name);
        world.subscriptions.add(name);
    }

    private void attach() {
        List<Subscription> all = new ArrayList<>();
        all.add(shard.reader(queue()));
        for (String name : world.subscriptions) {
            Subscription known = shard.subscription(name);
            if (known != null) {
                all.add(known);
            }
        }
        Subscription chosen = all.get(world.random.nextInt(all.size()));
        if (clients.stream().noneMatch(client -> client.name().equals(nameOf(chosen)))) {
            attach(chosen);
        }
    }

    private void attach(Subscription subscription) {
        FrozenNodeClient client = new FrozenNodeClient(this, nameOf(subscription));
        clients.add(client);
        shard.dispatcher.mailbox().attach(client, subscription);
        shard.dispatcher.mailbox().credit(client, 1_000, false);
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
            attachIfNew(shard.reader(queue()));
            world.subscriptions.forEach(name -> attachIfNew(shard.subscription(name)));
            shard.run();
            clients.forEach(client -> client.settle(Integer.MAX_VALUE));
            shard.run();
        });
    }

    private void attachIfNew(Subscription subscription) {
        assertThat(subscription).as("a subscription that was answered").isNotNull();
        if (clients.stream().noneMatch(client -> client.name().equals(nameOf(subscription)))) {
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
        boolean freezes = !world.calm && !verb.equals("limits") && world.random.nextInt(world.freezesOneIn) == 0;
        boolean before = world.random.nextBoolean();
        if (freezes && before) {
            world.freeze(this);
            if (world.random.nextInt(2) == 0 && !verb.equals("acquire") && !verb.equals("renew")) {
                throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "RT-3099", verb + " found no connection");
            }
        }
        Object result = switch (verb) {
            case "acquire" -> acquire(call);
            case "checkOwner" -> world.omission == TwoNodes.Omission.NOBODY_ASKS_THE_STORE ? null : call.run();
            case "renew" -> {
                call.run();
                world.leaseEnds = world.nanos + TwoNodes.LEASE;
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
            return new Ownership.HeldBy(world.owner.id(), 1, 1 + world.leaseEnds - world.nanos);
        }
        Ownership.Owned owned = (Ownership.Owned) call.run();
        world.owner = this;
        world.leaseEnds = world.nanos + TwoNodes.LEASE;
        long mine = previousEpoch;
        previousEpoch = owned.epoch();
        return world.omission == TwoNodes.Omission.A_GAP_IN_EPOCHS_IS_OVERLOOKED
                ? new Ownership.Owned(owned.epoch(), mine, owned.lease())
                : owned;
    }
}
