package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.RawAmqp;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Holds one receiving link of a raw connection that asks for the broker's word on each settlement. The link sends
 * {@code accepted} unsettled, and the settled answer says that the settlement is durable (AMQP 1.0 section 2.6.12).
 * <p>
 * Thread: one at a time.
 */
final class RawReceiver implements AutoCloseable {
    private static final int HANDLE = 0;

    private final RawAmqp connection;
    private final Account account;
    private final String reader;
    private final String name; // of this connection, for the words of a violation
    private final Deque<Long> unsettled = new ArrayDeque<>(); // delivery ids, nothing said about them yet
    private final Map<Long, String> deliveries = new HashMap<>(); // message ids by delivery id, until they are settled
    private final long credit;
    private long granted; // all that was, counted as received is
    private long received;
    private long settled;
    private boolean closed; // by the broker

    private RawReceiver(RawAmqp connection, Account account, String reader, String name, long credit) {
        this.connection = connection;
        this.credit = credit;
        this.granted = credit;
        this.account = account;
        this.reader = reader;
        this.name = name;
    }

    /** On the queue, with that much credit. */
    static RawReceiver ofQueue(int port, Account account, String queue, String name, long credit) {
        RawAmqp connection = RawAmqp.socket(port).open(name);
        connection.attachReceiver(HANDLE, queue, credit);
        account.reads(queue, queue);
        return new RawReceiver(connection, account, queue, name, credit);
    }

    /** The durable subscription, made if it is not there; the reader has its name. */
    static RawReceiver ofTopic(int port, Account account, String topic, String subscription, long credit) {
        RawAmqp connection = RawAmqp.socket(port).open(subscription);
        connection.attachDurable(HANDLE, subscription, topic, credit);
        account.reads(subscription, topic);
        return new RawReceiver(connection, account, subscription, subscription, credit);
    }

    /** Sets the credit; only writes. */
    void grant(long credit) {
        connection.grant(HANDLE, received, credit);
    }

    /**
     * Takes one frame off the socket.
     *
     * @return the id of the message that it brought; null if it brought none
     */
    String read(Duration most) {
        AmqpFrames.Frame frame = connection.read(most);
        if (frame == null) {
            return null;
        }
        if (frame.performative() instanceof Transfer transfer) {
            RawMessage message = RawMessage.of(frame.payload());
            received++;
            account.arrived(reader, name, message.id(), message.redelivered());
            deliveries.put(transfer.getDeliveryId(), message.id());
            unsettled.add(transfer.getDeliveryId());
            return message.id();
        }
        if (frame.performative() instanceof Disposition disposition) {
            confirm(disposition);
        }
        closed |= frame.performative() instanceof Close || frame.performative() instanceof Detach;
        return null;
    }

    /**
     * {@link #read}, for a broker that is to go on.
     *
     * @throws UncheckedIOException if it has ended the link
     */
    String take() {
        String id = read(Patience.TICK);
        if (id == null && isEnded()) {
            throw new UncheckedIOException(new EOFException("the broker has ended " + name));
        }
        return id;
    }

    /** Receives until that message has come, and until the broker has confirmed each settlement. */
    void takeUpTo(String last) {
        boolean[] found = new boolean[1];
        Patience.until(last, () -> found[0], () -> {
            found[0] |= last.equals(take());
            settleAndGrant();
        });
        awaitConfirmations();
    }

    /** Receives until the reader's account is even, and until the broker has confirmed each settlement. */
    void takeAll() {
        Patience.until("everything owed to " + reader, () -> account.undelivered(reader) == 0, () -> {
            take();
            settleAndGrant();
        });
        awaitConfirmations();
    }

    /** Receives that many within the credit, and waits until the broker has confirmed each settlement. */
    void take(int count) {
        long enough = received + count;
        Patience.until(count + " messages for " + reader, () -> received == enough, this::take);
        awaitConfirmations();
    }

    private void settleAndGrant() {
        acceptAllBut(0);
        if (received >= granted) {
            granted = received + credit;
            grant(credit);
        }
    }

    private void awaitConfirmations() {
        Patience.until("the confirmed settlements of " + reader, () -> settled == received, () -> {
            take();
            acceptAllBut(0);
        });
    }

    private void confirm(Disposition disposition) {
        if (disposition.getRole() != Role.SENDER
                || !disposition.getSettled()
                || !(disposition.getState() instanceof Accepted)) {
            return;
        }
        long last = disposition.hasLast() ? disposition.getLast() : disposition.getFirst();
        for (long delivery = disposition.getFirst(); delivery <= last; delivery++) {
            String id = deliveries.remove(delivery);
            if (id != null) {
                settled++;
                account.settled(reader, name, id);
            }
        }
    }

    /** Says accepted to all but that many of what has come, and asks for the broker's word. */
    void acceptAllBut(int count) {
        while (unsettled.size() > count) {
            long delivery = unsettled.remove();
            connection.send(new Disposition()
                    .setRole(Role.RECEIVER)
                    .setFirst(delivery)
                    .setLast(delivery)
                    .setSettled(false)
                    .setState(Accepted.getInstance()));
        }
    }

    void keepAlive() {
        connection.keepAlive();
    }

    long received() {
        return received;
    }

    long settled() {
        return settled;
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
