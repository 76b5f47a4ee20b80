package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Performatives;
import io.ringtable.acceptance.harness.RawAmqp;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;

/**
 * One sending link of a raw connection that sends without waiting, nothing twice. Thread: one at a time.
 */
final class RawPublisher implements AutoCloseable {
    private static final int HANDLE = 0;

    private final RawAmqp connection;
    private final Account account;
    private final String address;
    private final Map<Long, String> pending = new HashMap<>(); // ids by delivery id
    private long deliveryId;
    private int accepted;
    private boolean closed; // by the broker

    private RawPublisher(RawAmqp connection, Account account, String address) {
        this.connection = connection;
        this.account = account;
        this.address = address;
    }

    /** @param kind {@code queue} or {@code topic}; the address is made if it is not there */
    static RawPublisher to(int port, Account account, String kind, String address, String name) {
        RawAmqp connection = RawAmqp.socket(port).open(name);
        Target target = Performatives.target(address, kind);
        connection.attachSender(HANDLE, target);
        if (kind.equals("queue")) {
            account.reads(address, address);
        }
        return new RawPublisher(connection, account, address);
    }

    /** Writes one message into the socket. */
    void send(String id) {
        account.sending(address, id);
        pending.put(deliveryId, id);
        connection.transfer(HANDLE, deliveryId++, id);
    }

    /** Takes one frame off the socket. */
    void read(Duration most) {
        AmqpFrames.Frame frame = connection.read(most);
        if (frame == null) {
            return;
        }
        if (frame.performative() instanceof Disposition disposition && disposition.getRole() == Role.RECEIVER) {
            long last = disposition.hasLast() ? disposition.getLast() : disposition.getFirst();
            for (long id = disposition.getFirst(); id <= last; id++) {
                String message = pending.remove(id);
                if (message != null && disposition.getState() instanceof Accepted) {
                    accepted++;
                    account.accepted(message);
                }
            }
        }
        closed |= frame.performative() instanceof Close || frame.performative() instanceof Detach;
    }

    /** @throws UncheckedIOException if the broker has ended the link, or refused one */
    void awaitAccepted() {
        Patience.until("outcomes of " + address, () -> pending.isEmpty(), () -> {
            read(Patience.TICK);
            if (isEnded()) {
                throw new UncheckedIOException(new EOFException("the broker has ended the link to " + address));
            }
        });
        if (accepted < deliveryId) {
            throw new IllegalStateException(address + ": " + (deliveryId - accepted) + " messages were refused");
        }
    }

    /** One message by a connection of its own, accepted. */
    static void sendLast(int port, Account account, String kind, String address, String id) {
        try (RawPublisher publisher = to(port, account, kind, address, "last-publisher")) {
            publisher.send(id);
            publisher.awaitAccepted();
        }
    }

    int pending() {
        return pending.size();
    }

    int accepted() {
        return accepted;
    }

    /** Whether the broker has ended the link or the connection. */
    boolean isEnded() {
        return closed || connection.isEnded();
    }

    @Override
    public void close() {
        connection.close();
    }
}
