package io.ringtable.test;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes away what a test has left behind. An address without links is deleted, with its subscriptions and messages. An
 * address with links, such as those of a listener in a Spring context that lives on, is emptied instead. Its listener
 * would end with it.
 * <p>
 * Thread: the test's.
 */
final class AddressCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(AddressCleaner.class);
    private static final Duration NEXT_MESSAGE = Duration.ofMillis(50);
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final InProcessBroker broker;

    AddressCleaner(InProcessBroker broker) {
        this.broker = broker;
    }

    void cleanAll() {
        clean(List.copyOf(broker.shard().lookup().addresses()));
    }

    /** @param names without kinds; names of no address are passed over */
    void clean(List<String> names) {
        Shard shard = broker.shard();
        clean(names.stream()
                .map(shard.lookup()::find)
                .filter(address -> address != null)
                .toList());
    }

    private void clean(Collection<Address> addresses) {
        RingtableBroker running = broker.running();
        for (Address address : addresses) {
            if (running.links(address) == 0) {
                delete(address);
            } else if (address.isQueue()) {
                drain(address);
            } else {
                unsubscribe(address);
            }
        }
    }

    private void delete(Address address) {
        Shard shard = broker.shard();
        CatalogMailbox catalog = shard.catalog();
        join(catalog.deleteStored(address, true));
        AddressKind declared = shard.policies().now().declared().get(address.name());
        if (declared != null || shard.policies().now().destinations().contains(address.name())) {
            join(catalog.ensure(address.name(), declared == null ? AddressKind.QUEUE : declared)); // as at the start
        }
    }

    /** Takes what the listeners of the queue have not taken themselves. */
    private void drain(Address queue) {
        long deadline = System.nanoTime() + DRAIN_NANOS;
        if (owed(queue) == 0) {
            return;
        }
        try (RingtableClient client = RingtableClient.connect("amqp://" + broker.host() + ":" + broker.port());
                Receiver receiver = client.receiver("queue://" + queue.name())) {
            while (owed(queue) > 0 && System.nanoTime() < deadline) {
                Optional<ReceivedMessage> left = receiver.receive(NEXT_MESSAGE);
                left.ifPresent(ReceivedMessage::acknowledge);
            }
        }
        if (owed(queue) > 0) {
            LOG.warn(
                    "RT-7006 queue://{} still has {} messages that its listeners hold: a later test may meet them;"
                            + " let the test await what it has sent",
                    queue.name(),
                    owed(queue));
        }
    }

    private long owed(Address address) {
        return broker.running().status().shard().addresses().stream()
                .filter(each -> each.name().equals(address.name()))
                .flatMap(each -> each.subscriptions().stream())
                .mapToLong(Waiting::owed)
                .sum();
    }

    private void unsubscribe(Address topic) {
        Shard shard = broker.shard();
        for (Subscription subscription : shard.lookup().subscriptionsOf(topic)) {
            try {
                join(shard.catalog().unsubscribe(subscription));
            } catch (CompletionException inUse) { // a listener attends it, and takes its messages itself
                LOG.debug("{} keeps a subscription", topic, inUse);
            }
        }
    }

    private static void join(CompletionStage<?> asked) {
        asked.toCompletableFuture().join();
    }
}
