package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.link.AmqpLink;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.dispatch.Home;
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
 * Keeps the temporary addresses of a connection. Each lives as long as the link that asked for it (AMQP 1.0 section
 * 3.5.10, delete-on-close). Any connection may send to it, only this one receives from it.
 * <p>
 * Thread: the connection's event loop.
 */
public final class Temporaries {
    private final OpenConnection connection;
    private final int most;
    private final Map<Link<?>, Temporary> byLink = new IdentityHashMap<>();
    private final Set<Address> addresses = new HashSet<>();
    private int asked; // requests without an answer

    private record Temporary(Address address, Home home) {}

    /** Makes an empty set. @param most addresses that the connection may have at the same time */
    public Temporaries(OpenConnection connection, int most) {
        this.connection = connection;
        this.most = most;
    }

    /** Returns why the connection may not have another address; null if it may. */
    public ErrorCondition refusal() {
        return addresses.size() + asked < most
                ? null
                : Conditions.limit(
                        "RT-4322",
                        "the connection has " + (addresses.size() + asked)
                                + " temporary addresses, ringtable.amqp.temporary-addresses-max=" + most
                                + ": close unused ones, or raise it");
    }

    public void asked() {
        asked++;
    }

    public void answered() {
        asked--;
    }

    /** Adds what a link made. @param home of the address */
    public void made(Link<?> link, Address address, Home home) {
        byLink.put(link, new Temporary(address, home));
        addresses.add(address);
    }

    boolean isMine(Address address) {
        return addresses.contains(address);
    }

    /**
     * Deletes the address that a link made: the link has ended.
     *
     * @return completes when the address is gone for everybody
     */
    public CompletionStage<Void> ended(Link<?> link) {
        Temporary temporary = byLink.remove(link);
        if (temporary == null) {
            return CompletableFuture.completedFuture(null);
        }
        addresses.remove(temporary.address);
        return temporary.home.catalog().delete(temporary.address);
    }

    /**
     * Ends the link for its client. The answer follows when the address is gone: nobody who knows of the end can still
     * send.
     */
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
