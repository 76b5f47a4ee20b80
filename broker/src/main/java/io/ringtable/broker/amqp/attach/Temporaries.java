package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.message.Address;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * The temporary addresses of a connection. Each lives as long as the link that asked for it (AMQP 1.0 section 3.5.10,
 * delete-on-close); any connection may send to it, this one alone receives from it.
 * <p>
 * Thread: the connection's event loop.
 */
public final class Temporaries {
    private final OpenConnection connection;
    private final CatalogMailbox catalog;
    private final int most;
    private final Map<Link<?>, Address> byLink = new IdentityHashMap<>();
    private final Set<Address> addresses = new HashSet<>();
    private int asked; // and not answered

    /** @param most that the connection may have at once */
    public Temporaries(OpenConnection connection, CatalogMailbox catalog, int most) {
        this.connection = connection;
        this.catalog = catalog;
        this.most = most;
    }

    /** Null if there may be another one. */
    public ErrorCondition refusal() {
        return addresses.size() + asked < most
                ? null
                : Conditions.limit(
                        "RT-4322",
                        "the connection has " + (addresses.size() + asked)
                                + " temporary addresses, and amqp.temporary-addresses-max=" + most
                                + ": close those that are not used, or raise it");
    }

    public void asked() {
        asked++;
    }

    public void answered() {
        asked--;
    }

    public void made(Link<?> link, Address address) {
        byLink.put(link, address);
        addresses.add(address);
    }

    boolean isMine(Address address) {
        return addresses.contains(address);
    }

    /** The link has ended, and with it what it made. @return when that is gone for everybody */
    public CompletionStage<Void> ended(Link<?> link) {
        Address address = byLink.remove(link);
        if (address == null) {
            return CompletableFuture.completedFuture(null);
        }
        addresses.remove(address);
        return catalog.delete(address);
    }

    /** The client ends the link: it is answered when the address is gone, so that nobody who is told of it can still send. */
    public void onDetach(AmqpLink link, Runnable answer) {
        CompletionStage<Void> gone = ended(link.link());
        link.end(false);
        gone.whenComplete((done, failure) -> connection.mailbox().post(() -> {
            if (connection.isRunning() && !link.link().isLocallyClosedOrDetached()) {
                answer.run();
            }
        }));
    }
}
