package io.ringtable.broker.amqp.numbering;

import io.ringtable.broker.amqp.carried.CarriedProducer;
import io.ringtable.broker.amqp.link.CatalogRequests;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Asks this node how far the producers of links are that it has passed on, since it has their addresses now.
 * <p>
 * Thread: the event loop of the client's connection.
 */
public final class RelayNumbers {
    /** Holds the reasons for which a link that another node carries gets no producer of its own. */
    private static final Set<Refusal.Reason> WITHOUT_PRODUCER =
            Set.of(Refusal.Reason.LIMIT, Refusal.Reason.IN_USE, Refusal.Reason.NOT_ALLOWED);

    private final Shard shard;
    private final CatalogRequests requests;
    private final String from;

    /** Asks for one client. @param from its connection, as people read it */
    public RelayNumbers(Shard shard, CatalogRequests requests, String from) {
        this.shard = shard;
        this.requests = requests;
        this.from = from;
    }

    /** Tells whether the producer alone is refused, so that a link may do without. */
    public static boolean isAboutProducer(Throwable failure) {
        return Conditions.isAbout(failure, WITHOUT_PRODUCER);
    }

    /**
     * Asks for a producer of an address without parts, or of one part.
     *
     * @param address of any life of its shard
     * @param then hears it; with incarnation 0 if the producer is not there. Null if this node cannot tell now
     */
    public void ask(Address address, CarriedProducer producer, Consumer<CarriedProducer> then) {
        Home home = shard.homeOf(address);
        Address now = shard.refusalFor(address) == null ? home.lookup().find(address.name()) : null;
        if (now == null) {
            then.accept(null);
            return;
        }
        requests.ask(
                () -> home.catalog()
                        .attend(ProducerUser.relay(from), now, producer.name(), producer.incarnation(), () -> {}),
                (found, failure) -> {
                    if (failure == null) {
                        home.catalog().leave(found);
                        then.accept(CarriedProducer.of(producer.name(), found));
                    } else {
                        then.accept(isAboutProducer(failure) ? new CarriedProducer(producer.name(), 0, 0) : null);
                    }
                },
                () -> then.accept(null));
    }
}
