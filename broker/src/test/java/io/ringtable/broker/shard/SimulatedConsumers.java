package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds the consumers of the simulation. They attach with credit and a selector or without, settle in every way that
 * there is, and go in peace or are lost. They tell the oracle what they see. An operator removes messages beside them.
 */
abstract class SimulatedConsumers {
    static final int STEPS = 300;

    @TempDir
    Path directory;

    long seed;
    int step;

    Random random;
    SteppedShard shard;
    Oracle oracle;
    final List<Client> clients = new ArrayList<>();
    boolean mixed; // priorities, times and selectors
    int subscriptions;

    void settle() {
        if (clients.isEmpty()) {
            return;
        }
        Client client = clients.get(random.nextInt(clients.size()));
        int most = random.nextInt(600);
        List<Delivery> some = List.copyOf(client.unsettled.subList(0, Math.min(most, client.unsettled.size())));
        boolean kind = random.nextInt(5) > 0;
        for (Delivery delivery : some) {
            int dice = kind ? 100 : random.nextInt(30);
            client.unsettled.remove(delivery);
            if (dice == 0) {
                oracle.cameBack(delivery, false, false);
                shard.dispatcher.mailbox().released(client, delivery);
            } else if (dice == 1) {
                boolean last = delivery.failures() == 2 && !isDeadLetterQueue(delivery);
                if (last) {
                    oracle.rejected(delivery);
                } else {
                    oracle.cameBack(delivery, true, true);
                }
                shard.dispatcher.mailbox().modified(client, delivery, true, false);
            } else if (dice == 2) {
                oracle.cameBack(delivery, false, false);
                shard.dispatcher.mailbox().modified(client, delivery, false, true);
            } else if (dice == 3) {
                if (isDeadLetterQueue(delivery)) {
                    oracle.cameBack(delivery, true, false);
                } else {
                    oracle.rejected(delivery);
                }
                shard.dispatcher.mailbox().rejected(client, delivery, "because");
            } else {
                accept(client, delivery);
            }
        }
    }

    /** An operator removes a message that is owed, wherever it is. */
    void remove() {
        List<Subscription> all = subscriptions();
        Subscription subscription = all.get(random.nextInt(all.size()));
        OwedModel reading = oracle.readings.get(subscription.id());
        if (reading == null || reading.owed.isEmpty()) {
            return;
        }
        Long from = reading.owed.first() + random.nextInt(3_000);
        Long sequence = reading.owed.ceiling(from) == null ? reading.owed.first() : reading.owed.ceiling(from);
        MessageRow row = shard.store.readMessage(sequence);
        if (row != null && oracle.stored.containsKey(sequence) && !reading.removing.contains(sequence)) {
            oracle.removing(subscription.id(), sequence);
            shard.dispatcher.removals().remove(subscription, row, refusal -> {
                if (refusal == null || !refusal.code().equals("RT-0000")) { // else a crash: the tables know
                    oracle.removed(subscription.id(), sequence, refusal == null);
                }
            });
        }
    }

    /** A text says by which of a few logins it was published; a dead letter has more behind a bar. */
    static PublisherLogin loginOf(byte[] encoded) {
        String text = new String(encoded, StandardCharsets.UTF_8).split("[|]", 2)[0];
        return PublisherLogin.of("user " + Math.floorMod(text.hashCode(), 4));
    }

    static boolean isDeadLetterQueue(Delivery delivery) {
        return delivery.subscription().address().name().equals("DLQ");
    }

    void accept(Client client, Delivery delivery) {
        oracle.accepted(delivery);
        shard.dispatcher.mailbox().accepted(client, delivery, new Completion() {
            @Override
            public void accepted() {
                oracle.settled(delivery);
            }

            @Override
            public void refused(Refusal refusal) {
                // A crash: whether it is durable is read from the tables.
                assertThat(refusal.code()).isEqualTo("RT-0000");
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        });
    }

    void attach() {
        List<Subscription> all = subscriptions();
        Subscription subscription = all.get(random.nextInt(all.size()));
        // The first subscription of t0 is dead: nobody ever reads it.
        if (!subscription.name().equals("s1") && clients.size() < 12) {
            attach(subscription, random.nextInt(2_000));
        }
    }

    Client attach(Subscription subscription, long credit) {
        boolean selects = mixed && subscription.address().isQueue() && random.nextInt(3) == 0 && step <= STEPS;
        Client client = new Client(subscription, selects ? random.nextBoolean() ? "m" : "n" : null);
        shard.dispatcher.mailbox().attach(client, subscription);
        client.limit = credit;
        shard.dispatcher.mailbox().credit(client, credit, false);
        clients.add(client);
        return client;
    }

    List<Subscription> subscriptions() {
        List<Subscription> all = new ArrayList<>();
        for (Address address : shard.doors.lookup().addresses()) {
            if (!address.name().equals("t2") || random.nextInt(10) == 0) {
                all.addAll(shard.doors.lookup().subscriptionsOf(address));
            }
        }
        return all;
    }

    List<Subscription> allSubscriptions() {
        List<Subscription> all = new ArrayList<>();
        for (Address address : shard.doors.lookup().addresses()) {
            all.addAll(shard.doors.lookup().subscriptionsOf(address));
        }
        return all;
    }

    void detach() {
        if (!clients.isEmpty()) {
            detach(clients.remove(random.nextInt(clients.size())), random.nextBoolean());
        }
    }

    void detach(Client client, boolean lost) {
        client.unsettled.forEach(delivery -> oracle.cameBack(delivery, lost, false));
        shard.dispatcher.mailbox().detach(client, List.copyOf(client.unsettled), lost);
        client.unsettled.clear();
        client.detached = true;
    }

    void credit() {
        if (!clients.isEmpty()) {
            Client client = clients.get(random.nextInt(clients.size()));
            client.limit += random.nextInt(3_000);
            shard.dispatcher.mailbox().credit(client, client.limit, random.nextInt(4) == 0);
        }
    }

    void subscribe(String topic) {
        Address address = shard.address(topic);
        int open = shard.doors.lookup().subscriptionsOf(address).size();
        if (topic.equals("t2") || open < 8) {
            CatalogMailbox catalog = shard.doors.catalog();
            catalog.subscribe(address, "client", "s" + ++subscriptions, null, false, true)
                    .thenAccept(catalog::leave);
            if (step == 0) {
                shard.run();
            }
        }
    }

    void unsubscribe() {
        List<Subscription> all = new ArrayList<>(subscriptions());
        all.removeIf(subscription -> subscription.address().kind() == AddressKind.QUEUE);
        if (all.size() > 2) {
            shard.doors.catalog().unsubscribe(all.get(random.nextInt(all.size())));
        }
    }

    /** A link that receives. */
    final class Client implements Consumer {
        private final Subscription subscription;
        private final Selector selector;
        final List<Delivery> unsettled = new ArrayList<>();
        private final Map<Integer, Long> highest = new HashMap<>(); // of first deliveries, by priority
        long limit;
        boolean detached;

        /** @param prefix of the texts it wants; null = every text */
        Client(Subscription subscription, String prefix) {
            this.subscription = subscription;
            this.selector = prefix == null ? null : SteppedShard.selector(prefix);
        }

        @Override
        public Selector selector() {
            return selector;
        }

        @Override
        public void deliver(Delivery delivery) {
            assertThat(delivery.subscription()).isEqualTo(subscription);
            boolean first = oracle.delivered(delivery);
            Message message = delivery.message();
            assertThat(selector == null || selector.matches(message)).isTrue();
            assertThat(message.login())
                    .as("by whom %s was published, unless the store took no writes", SteppedShard.text(delivery))
                    .isIn(loginOf(message.encoded()), PublisherLogin.UNKNOWN);
            assertThat(message.deliverAt()).as("not before its time").isLessThanOrEqualTo(shard.now);
            if (first && message.deliverAt() == 0) {
                Long before = highest.put(message.priority(), delivery.sequence());
                assertThat(before == null || before < delivery.sequence())
                        .as("message %s after %s of one priority", delivery.sequence(), before)
                        .isTrue();
            }
            if (detached) {
                oracle.cameBack(delivery, false, false); // it crossed the detach on its way
            } else {
                unsettled.add(delivery);
            }
        }

        @Override
        public void drained(long atLimit) {
            assertThat(atLimit).isLessThanOrEqualTo(limit);
        }

        @Override
        public void ended(Refusal refusal) {
            clients.remove(this);
            detached = true;
            unsettled.clear();
        }

        @Override
        public Mailbox mailbox() {
            return Mailbox.NONE;
        }
    }
}
