package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.Performatives;
import io.ringtable.acceptance.harness.RawAmqp;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Publishes at fixed times to a queue and consumes from it, by one connection, and never waits for an outcome.
 * <p>
 * Threads: {@code honest-publisher} sends, {@code honest-reader} reads and settles; both write under the connection's
 * lock. Failure: a connection that ends, or a message that is refused, ends both; what did not come is missing in the
 * log.
 */
final class HonestClient implements AutoCloseable {
    static final int PER_SECOND = 1_000;
    private static final String QUEUE = "honest";
    private static final int BODY_BYTES = 300;
    private static final int SENDER = 0;
    private static final int RECEIVER = 1;
    private static final int CREDIT = 5_000;
    private static final long WINDOW = 1_000_000;
    private static final Duration TICK = Duration.ofMillis(500);

    private final AmqpFrames frames = new AmqpFrames(); // the publisher's
    private final RawAmqp connection; // written to under its lock
    private final HonestLog log;
    private final Thread publisher = new Thread(this::publish, "honest-publisher");
    private final Thread reader = new Thread(this::read, "honest-reader");
    private volatile long sendLimit; // written by the reader
    private volatile int sent; // written by the publisher
    private volatile boolean ended;
    private volatile String failure = ""; // the first one
    private long received; // the reader's
    private long granted; // the reader's

    private HonestClient(RawAmqp connection) {
        this.connection = connection;
        Flow flow = connection.attachSender(SENDER, QUEUE);
        sendLimit = flow.getLinkCredit();
        connection.attachReceiver(RECEIVER, QUEUE, CREDIT);
        granted = CREDIT;
        log = new HonestLog(System.nanoTime(), PER_SECOND);
    }

    /** Begins to work at once. */
    static HonestClient on(RawAmqp connection) {
        HonestClient client = new HonestClient(connection);
        client.reader.start();
        client.publisher.start();
        return client;
    }

    HonestLog log() {
        return log;
    }

    /** Why it cannot go on; empty while it can. */
    String failure() {
        return failure;
    }

    private void publish() {
        try {
            while (!ended) {
                Pace.until(log.due(sent));
                while (!ended && sent >= sendLimit) {
                    LockSupport.park(this); // until the reader has credit for it
                }
                if (!ended) {
                    send();
                }
            }
        } catch (RuntimeException e) {
            fail("the publisher: " + e);
        }
    }

    private void send() {
        byte[] body = ByteBuffer.allocate(BODY_BYTES)
                .putInt(BODY_BYTES - Integer.BYTES, sent)
                .array();
        byte[] message = frames.section(new Data(body));
        synchronized (connection) {
            connection.transfer(SENDER, sent, message);
        }
        log.sent(sent, System.nanoTime());
        sent = sent + 1;
    }

    private void read() {
        try {
            while (!ended) {
                AmqpFrames.Frame frame = connection.read(TICK);
                if (frame != null) {
                    on(frame);
                } else if (connection.isEnded()) {
                    fail("the broker has ended the connection");
                }
            }
        } catch (RuntimeException e) {
            fail("the reader: " + e);
        }
    }

    private void on(AmqpFrames.Frame frame) {
        long now = System.nanoTime();
        if (frame.performative() instanceof Transfer transfer) {
            byte[] message = frame.payload();
            log.received(ByteBuffer.wrap(message).getInt(message.length - Integer.BYTES), now);
            settle(transfer.getDeliveryId());
        } else if (frame.performative() instanceof Disposition disposition && disposition.getRole() == Role.RECEIVER) {
            onOutcome(disposition, now);
        } else if (frame.performative() instanceof Flow flow && flow.hasHandle() && flow.hasLinkCredit()) {
            sendLimit = flow.getDeliveryCount() + flow.getLinkCredit();
            LockSupport.unpark(publisher);
        } else if (frame.performative() instanceof Close
                || frame.performative() instanceof End
                || frame.performative() instanceof Detach) {
            fail("the broker says " + frame.performative());
        }
    }

    private void settle(long delivery) {
        received++;
        synchronized (connection) {
            connection.send(Performatives.accepted(delivery));
            if (granted - received < CREDIT / 2) {
                granted = received + CREDIT;
                connection.send(new Flow()
                        .setNextIncomingId(received)
                        .setIncomingWindow(WINDOW)
                        .setNextOutgoingId(sent)
                        .setOutgoingWindow(WINDOW)
                        .setHandle(RECEIVER)
                        .setDeliveryCount(received)
                        .setLinkCredit(CREDIT));
            }
        }
    }

    private void onOutcome(Disposition disposition, long now) {
        if (!(disposition.getState() instanceof Accepted)) {
            fail("a message was not accepted: " + disposition.getState());
        }
        long last = disposition.hasLast() ? disposition.getLast() : disposition.getFirst();
        for (long delivery = disposition.getFirst(); delivery <= last; delivery++) {
            log.accepted((int) delivery, now);
        }
    }

    private void fail(String why) {
        if (!ended) {
            failure = why;
            ended = true;
            LockSupport.unpark(publisher);
        }
    }

    @Override
    public void close() {
        ended = true;
        LockSupport.unpark(publisher);
        connection.close();
        try {
            publisher.join();
            reader.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
