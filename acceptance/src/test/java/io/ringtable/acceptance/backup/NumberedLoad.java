package io.ringtable.acceptance.backup;

import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.concurrent.TimeUnit;

/**
 * Publishes numbered messages from 0 on to a queue until it is ended or its broker dies. The first ones go in a few
 * transactions, so that the store is large at once, the others one after another.
 * <p>
 * Thread: its own.
 */
final class NumberedLoad implements AutoCloseable {
    static final String QUEUE = "numbered";

    private static final int BODY_BYTES = 16_000;
    private static final int AT_ONCE = 200; // messages of a transaction
    private static final String NUMBER = "n";

    private final String url;
    private final int first;
    private final Thread thread = new Thread(this::run, "load");
    private volatile boolean ended; // written by the test
    private volatile int accepted; // written by the load: all below have been accepted

    /** @param first so many messages come in transactions */
    NumberedLoad(String url, int first) {
        this.url = url;
        this.first = first;
    }

    NumberedLoad start() {
        thread.start();
        return this;
    }

    /** Returns how many messages have been accepted: the first ones, without a gap. */
    int accepted() {
        return accepted;
    }

    static int numberOf(Message message) throws JMSException {
        return message.getIntProperty(NUMBER);
    }

    /** Returns when nothing is sent any more. */
    @Override
    public void close() {
        ended = true;
        try {
            thread.join(TimeUnit.MINUTES.toMillis(1));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void run() {
        try (Connection connection = Jms.factory(url).createConnection()) {
            Session transacted = connection.createSession(Session.SESSION_TRANSACTED);
            MessageProducer many = transacted.createProducer(transacted.createQueue(QUEUE));
            for (int n = 0; n < first; n++) {
                many.send(message(transacted, n));
                if ((n + 1) % AT_ONCE == 0) {
                    transacted.commit();
                    accepted = n + 1;
                }
            }
            Session session = connection.createSession();
            MessageProducer single = session.createProducer(session.createQueue(QUEUE));
            for (int n = accepted; !ended; n++) {
                single.send(message(session, n));
                accepted = n + 1;
            }
        } catch (JMSException killed) {
            ended = true;
        }
    }

    private static Message message(Session session, int n) throws JMSException {
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(new byte[BODY_BYTES]);
        message.setIntProperty(NUMBER, n);
        return message;
    }
}
