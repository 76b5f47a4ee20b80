package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;

/** Makes dead letters: a client of Qpid JMS rejects what it may not deliver again. */
final class Rejections {
    private static final long WAIT_MS = 60_000;

    private Rejections() {}

    /** Rejects the first message of a queue. */
    static void reject(TestBroker broker, String queue) throws JMSException {
        try (Connection other = broker.jms("jms.prefetchPolicy.all=0&jms.redeliveryPolicy.maxRedeliveries=0"
                        + "&jms.redeliveryPolicy.outcome=REJECTED")
                .createConnection()) {
            other.start();
            Session recovers = other.createSession(false, Session.CLIENT_ACKNOWLEDGE);
            MessageConsumer consumer = recovers.createConsumer(recovers.createQueue(queue));
            assertThat(consumer.receive(WAIT_MS)).isNotNull();
            recovers.recover();
            assertThat(consumer.receiveNoWait()).isNull(); // the client has rejected it
        }
    }
}
