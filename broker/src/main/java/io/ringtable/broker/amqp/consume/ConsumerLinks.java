package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.encoding.DeliveryHeader;
import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.DeliveryCodes;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.apache.qpid.protonj2.engine.Sender;

/**
 * Counts the links on which the client of one connection receives, and holds what they share.
 * <p>
 * Thread: the connection's event loop.
 */
public final class ConsumerLinks {
    private final OpenConnection connection;
    private final AmqpCounters counters;
    private final Shard shard;
    private final Transactions transactions;
    private final AddressLinks addressLinks;
    private final ConnectionRights rights;
    private final BiConsumer<Sender, Boolean> drained;
    private final DeliveryHeader header = new DeliveryHeader();
    private final Set<ConsumerLink> paused = new LinkedHashSet<>(); // unable to write: window or socket
    private final Map<Home, DeliveryCodes> codes = new IdentityHashMap<>(); // of the homes that deliveries came from
    private final Set<ConsumerLink> attached = new LinkedHashSet<>();

    /**
     * @param addressLinks the links of all connections
     * @param drained answers the drain of a link that another node carries, and says whether more comes nevertheless
     */
    public ConsumerLinks(
            OpenConnection connection,
            AmqpCounters counters,
            Shard shard,
            Transactions transactions,
            AddressLinks addressLinks,
            ConnectionRights rights,
            BiConsumer<Sender, Boolean> drained) {
        this.connection = connection;
        this.counters = counters;
        this.shard = shard;
        this.transactions = transactions;
        this.addressLinks = addressLinks;
        this.rights = rights;
        this.drained = drained;
    }

    OpenConnection connection() {
        return connection;
    }

    AmqpCounters counters() {
        return counters;
    }

    /** Returns what takes all that one consumer of the subscription says. @param home of its address */
    DispatcherMailbox dispatcherOf(Subscription subscription, Home home) {
        return shard.dispatcherOf(subscription, home);
    }

    MessageTraces traces() {
        return shard.traces();
    }

    public ConnectionRights rights() {
        return rights;
    }

    /** Deletes a durable subscription. The node's own way: its directory has the name as well. */
    CompletionStage<Void> unsubscribe(Subscription subscription) {
        return shard.catalog().unsubscribe(rights.subscriptionUser(), subscription);
    }

    Transactions transactions() {
        return transactions;
    }

    DeliveryHeader header() {
        return header;
    }

    /** Tells whether all of the subscription's address lives in one shard. */
    boolean isWhole(Subscription subscription) {
        return shard.homesOf(subscription.address()).size() == 1;
    }

    /** Returns the home of a part that a link of another part reads. */
    Home homeOfPart(Subscription part) {
        return shard.homeOf(part.address());
    }

    /** Hears that a link has deliveries of that home. */
    void dependOn(Home home) {
        connection.dependsOn(home);
    }

    /** Answers a drain of the other node. @param replays whether more comes nevertheless */
    void drained(Sender sender, boolean replays) {
        drained.accept(sender, replays);
    }

    /** Returns null where only the broker reaches the store, so that no application settles by tag. */
    DeliveryCodes codes(Home home) {
        return home.deliveryKey()
                .map(key -> codes.computeIfAbsent(home, first -> new DeliveryCodes(key.secret())))
                .orElse(null);
    }

    /** Returns how many links are attached. */
    int count() {
        return attached.size();
    }

    void attached(ConsumerLink link) {
        attached.add(link);
        attached(link.subscription().address());
    }

    void ended(ConsumerLink link) {
        attached.remove(link);
        ended(link.subscription().address());
    }

    /** Hears of a link that reads the address, at this node or at others. */
    void attached(Address address) {
        addressLinks.attached(address);
    }

    void ended(Address address) {
        addressLinks.ended(address);
    }

    /** Returns how many deliveries of all links have no outcome yet, and are in no transaction. */
    public long unsettled() {
        return attached.stream().mapToLong(ConsumerLink::unsettled).sum();
    }

    /** Tells whether the client has deliveries of a shard, or transactions with them, that it has not ended. */
    boolean owesOutcomes(int shard) {
        return transactions.use(shard) || attached.stream().anyMatch(link -> link.unsettled() > 0 && link.uses(shard));
    }

    /** Lets the link go on at the end of a later turn. */
    void pause(ConsumerLink link) {
        paused.add(link);
        connection.waitsForTurn();
    }

    /** Tells whether links are paused. */
    public boolean arePaused() {
        return !paused.isEmpty();
    }

    /** Lets paused links go on, since the socket or a session may have room again. */
    public void resumePaused() {
        if (paused.isEmpty()) {
            return;
        }
        List<ConsumerLink> again = List.copyOf(paused);
        paused.clear();
        for (ConsumerLink link : again) {
            link.resume();
        }
    }
}
