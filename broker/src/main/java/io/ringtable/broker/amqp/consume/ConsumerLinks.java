package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.encoding.DeliveryHeader;
import io.ringtable.broker.amqp.link.AddressLinks;
import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.transaction.Transactions;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The links on which the client of one connection receives, and what they work with.
 * <p>
 * Thread: the connection's event loop.
 */
public final class ConsumerLinks {
    private final OpenConnection connection;
    private final AmqpCounters counters;
    private final Shard shard;
    private final Transactions transactions;
    private final AddressLinks addressLinks;
    private final DeliveryHeader header = new DeliveryHeader();
    private final Set<ConsumerLink> paused = new LinkedHashSet<>(); // unable to write: window or socket
    private DeliveryCodes codes; // null until a link needs it, or where none does
    private int count;

    /** @param addressLinks of all connections */
    public ConsumerLinks(
            OpenConnection connection,
            AmqpCounters counters,
            Shard shard,
            Transactions transactions,
            AddressLinks addressLinks) {
        this.connection = connection;
        this.counters = counters;
        this.shard = shard;
        this.transactions = transactions;
        this.addressLinks = addressLinks;
    }

    OpenConnection connection() {
        return connection;
    }

    AmqpCounters counters() {
        return counters;
    }

    DispatcherMailbox dispatcher() {
        return shard.dispatcher();
    }

    CatalogMailbox catalog() {
        return shard.catalog();
    }

    Transactions transactions() {
        return transactions;
    }

    DeliveryHeader header() {
        return header;
    }

    /** Null where nobody but the broker reaches the store: nobody settles by tag there. */
    DeliveryCodes codes() {
        if (codes == null) {
            codes = shard.deliveryKey().map(DeliveryCodes::new).orElse(null);
        }
        return codes;
    }

    /** That are attached. */
    int count() {
        return count;
    }

    void attached(ConsumerLink link) {
        count++;
        addressLinks.attached(link.subscription().address());
    }

    void ended(ConsumerLink link) {
        count--;
        addressLinks.ended(link.subscription().address());
    }

    /** The link goes on after the next batch. */
    void pause(ConsumerLink link) {
        paused.add(link);
    }

    /** The socket or a session has room again, perhaps. */
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
