package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Destinations that are not there, where nobody makes them on use: Jakarta Messaging 3.1 sections 6.2.3 and 10.3. */
class DestinationsTest extends OnEachEngine {

    DestinationsTest(Engine engine) {
        super(engine);
    }

    @Override
    BrokerSettings settings(BrokerSettings defaults) {
        return defaults.with("ringtable.commit.create-addresses", false);
    }

    @Test
    void oneThatIsNotThereIsInvalidForProducersAndConsumers() throws JMSException {
        Session session = connect().createSession();
        MessageProducer anonymous = session.createProducer(null);
        Message message = session.createMessage();
        for (Destination gone : List.of(session.createQueue("gone"), session.createTopic("gone"))) {
            assertThatThrownBy(() -> session.createProducer(gone))
                    .isInstanceOf(InvalidDestinationException.class)
                    .hasMessageContaining("RT-2012");
            assertThatThrownBy(() -> session.createConsumer(gone))
                    .isInstanceOf(InvalidDestinationException.class)
                    .hasMessageContaining("RT-2012");
            assertThatThrownBy(() -> anonymous.send(gone, message))
                    .isInstanceOf(InvalidDestinationException.class)
                    .hasMessageContaining("RT-2012");
        }
    }

    @Test
    void temporaryOnesAreMadeAllTheSame() throws JMSException {
        Session session = connect().createSession();
        TemporaryQueue queue = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(queue);
        send(session, queue, "here");
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("here");
    }
}
