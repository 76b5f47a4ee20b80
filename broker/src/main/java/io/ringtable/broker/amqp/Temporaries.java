package io.ringtable.broker.amqp;

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
final class Temporaries {
    private final AmqpConnection connection;
    private final Map<Link<?>, Address> byLink = new IdentityHashMap<>();
    private final Set<Address> addresses = new HashSet<>();
    private int asked; // and not answered

    Temporaries(AmqpConnection connection) {
        this.connection = connection;
    }

    /** Null if there may be another one. */
    ErrorCondition refusal() {
        int most = connection.settings().temporaryAddressesMax();
        return addresses.size() + asked < most
                ? null
                : Conditions.limit(
                        "RT-4322",
                        "the connection has " + (addresses.size() + asked)
                                + " temporary addresses, and amqp.temporary-addresses-max=" + most
                                + ": close those that are not used, or raise it");
    }

    void asked() {
        asked++;
    }

    void answered() {
        asked--;
    }

    void made(Link<?> link, Address address) {
        byLink.put(link, address);
        addresses.add(address);
    }

    boolean isMine(Address address) {
        return addresses.contains(address);
    }

    /** The link has ended, and with it what it made. @return when that is gone for everybody */
    CompletionStage<Void> ended(Link<?> link) {
        Address address = byLink.remove(link);
        if (address == null) {
            return CompletableFuture.completedFuture(null);
        }
        addresses.remove(address);
        return connection.shard().catalog().delete(address);
    }

    /** The client ends the link: it is answered when the address is gone, so that nobody who is told of it can still send. */
    void onDetach(AmqpLink link, Runnable answer) {
        CompletionStage<Void> gone = ended(link.link());
        link.end(false);
        gone.whenComplete((done, failure) -> connection.mailbox().post(() -> {
            if (connection.isRunning() && !link.link().isLocallyClosedOrDetached()) {
                answer.run();
            }
        }));
    }
}
