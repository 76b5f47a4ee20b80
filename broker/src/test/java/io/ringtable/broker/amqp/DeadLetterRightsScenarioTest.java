package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A reader of the dead-letter queue, or of that of expired messages, sees what came from where it may read. */
@Timeout(120)
@ExtendWith(RightsBroker.Shared.class)
class DeadLetterRightsScenarioTest {

    @ParameterizedTest(name = "{0} sees {1}, and browses {2}")
    @CsvSource(delimiter = '|', textBlock = """
            ann | orders.dying              | orders.dying
            max |                           | orders.dying
            bob |                           | refused
            tom |                           | refused
            eve |                           | refused
            ops | orders.dying secret.dying | orders.dying secret.dying
            """)
    void aReaderOfTheDeadLetterQueueSeesWhatCameFromAddressesThatItMayRead(String user, String consumed, String browsed)
            throws Exception {
        assertThat(deadLetters(() -> consumed(user))).isEqualTo(consumed == null ? "" : consumed);
        assertThat(deadLetters(() -> browsed(user, "DLQ"))).isEqualTo(browsed);
    }

    @ParameterizedTest(name = "{0} browses {1}")
    @CsvSource(delimiter = '|', textBlock = """
            max | orders.late
            ops | orders.late secret.late
            bob | refused
            """)
    void aReaderOfTheExpiryQueueSeesWhatCameFromAddressesThatItMayRead(String user, String browsed) throws Exception {
        assertThat(deadLetters(() -> browsed(user, "expired"))).isEqualTo(browsed);
    }

    /** Lists what a user finds. */
    interface Finder {
        List<String> find() throws JMSException;
    }

    private static String deadLetters(Finder finder) throws JMSException {
        try {
            List<String> found = new ArrayList<>(finder.find());
            Collections.sort(found);
            return String.join(" ", found);
        } catch (JMSSecurityException e) {
            assertThat(e).hasMessageContaining("RT-4350");
            return "refused";
        }
    }

    /** Receives all and gives it back. */
    private static List<String> consumed(String user) throws JMSException {
        List<String> found = new ArrayList<>();
        try (Session session = RightsBroker.connection(user).createSession(true, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = session.createConsumer(session.createQueue("DLQ"))) {
            // Without a wait the client drains: the broker says when it has no more.
            for (Message message; (message = consumer.receiveNoWait()) != null; ) {
                found.add(((TextMessage) message).getText());
            }
            session.rollback();
        }
        return found;
    }

    private static List<String> browsed(String user, String queue) throws JMSException {
        List<String> found = new ArrayList<>();
        try (Session session = RightsBroker.session(user);
                QueueBrowser browser = session.createBrowser(session.createQueue(queue))) {
            for (Enumeration<?> each = browser.getEnumeration(); each.hasMoreElements(); ) {
                found.add(((TextMessage) each.nextElement()).getText());
            }
        }
        return found;
    }
}
