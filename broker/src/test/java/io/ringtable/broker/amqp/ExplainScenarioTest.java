package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.explain.Reason;
import io.ringtable.broker.inspect.MessageExplanation;
import io.ringtable.broker.inspect.MessageQuery;
import io.ringtable.broker.inspect.MessageSummary;
import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests what administrators are told of the lives of messages, beside clients of Qpid JMS. */
class ExplainScenarioTest extends InspectScenario {
    private MessageExplanation explain(long sequence) throws Exception {
        return answer(inspector().explain(sequence, InspectScenario::permit));
    }

    @Test
    void theLifeOfAMessageIsTold() throws Exception {
        TextMessage message = session.createTextMessage("hello");
        message.setStringProperty("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00");
        producer().send(message);
        long sequence = list(all()).get(0).sequence();
        MessageExplanation life = explain(sequence);
        assertThat(life.address()).isEqualTo(name);
        assertThat(life.place()).isEqualTo("ring");
        assertThat(life.slot()).isEqualTo(sequence % 8_192);
        assertThat(life.lap()).isEqualTo(sequence / 8_192);
        assertThat(life.gate()).isLessThanOrEqualTo(sequence);
        assertThat(life.next()).isGreaterThan(sequence);
        assertThat(life.publishedAt()).isBefore(Instant.now().plusSeconds(1));
        assertThat(sequence).isBetween(life.flush().first(), life.flush().last());
        assertThat(life.flush().durableAt()).isAfterOrEqualTo(life.publishedAt());
        assertThat(life.flush().storeMs()).isPositive();
        assertThat(life.messageId()).isEqualTo(message.getJMSMessageID());
        assertThat(life.trace()).startsWith("00-0af7651916cd");
        assertThat(life.body()).isEqualTo("row");
        assertThat(life.owedBy())
                .singleElement()
                .satisfies(reader -> assertThat(reader.name()).isEqualTo("queue '" + name + "'"));
        assertThat(life.settledBy()).isEmpty();
        assertThat(life.owing()).singleElement().satisfies(debt -> {
            assertThat(debt.reason()).isEqualTo(Reason.NO_CONSUMER);
            assertThat(debt.cure()).isNotBlank();
        });
        assertThatThrownBy(() -> explain(life.next() + 1_000))
                .hasMessageContaining("RT-7201")
                .hasMessageContaining("yet");
    }

    @Test
    void aConsumerIsNamedThatHasTheMessage() throws Exception {
        publish("1");
        long sequence = list(all()).get(0).sequence();
        Session waiting = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        MessageConsumer consumer = waiting.createConsumer(waiting.createQueue(name));
        Message received = consumer.receive(WAIT_MS);
        assertThat(explain(sequence).owing()).singleElement().satisfies(debt -> {
            assertThat(debt.reason()).isEqualTo(Reason.AT_CONSUMER);
            assertThat(debt.heldBy()).contains("of '" + name + "'").contains("link '");
        });
        assertThat(answer(inspector().why(reader())).reason()).isEqualTo(Reason.AT_CONSUMER);
        assertThatThrownBy(() -> answer(inspector().remove(sequence, null, InspectScenario::permit)))
                .hasMessageContaining("RT-7211");
        received.acknowledge();
        await().untilAsserted(() -> assertThat(explain(sequence)).satisfies(life -> {
            assertThat(life.owing()).isEmpty();
            assertThat(life.settledBy()).hasSize(1);
        }));
        assertThat(answer(inspector().why(reader())).reason()).isEqualTo(Reason.NOTHING_OWED);
    }

    @Test
    void aTransactionIsNamedThatHoldsTheMessage() throws Exception {
        publish("1");
        long sequence = list(all()).get(0).sequence();
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        transacted.createConsumer(transacted.createQueue(name)).receive(WAIT_MS);
        await().untilAsserted(() -> assertThat(explain(sequence).owing())
                .singleElement()
                .satisfies(debt -> {
                    assertThat(debt.reason()).isEqualTo(Reason.IN_TRANSACTION);
                    assertThat(debt.heldBy()).contains("of '" + name + "'");
                }));
        transacted.rollback();
        await().untilAsserted(() ->
                assertThat(explain(sequence).owing().get(0).failures()).isEqualTo(1));
    }

    @Test
    void aSelectorIsNamedThatDoesNotWantTheMessage() throws Exception {
        publish("1");
        session.createConsumer(session.createQueue(name), "color = 'red'");
        await().untilAsserted(() ->
                assertThat(answer(inspector().why(reader())).reason()).isEqualTo(Reason.SELECTOR));
        assertThat(explain(list(all()).get(0).sequence()).owing().get(0).reason())
                .isEqualTo(Reason.SELECTOR);
    }

    @Test
    void aConsumerWithoutCreditIsNamed() throws Exception {
        publish("1", "2", "3");
        try (Connection slow =
                broker.jms("jms.clientID=slow&jms.prefetchPolicy.all=1").createConnection()) {
            slow.start();
            Session waiting = slow.createSession(false, Session.CLIENT_ACKNOWLEDGE);
            waiting.createConsumer(waiting.createQueue(name));
            await().untilAsserted(() -> assertThat(answer(inspector().why(reader())))
                    .satisfies(why -> {
                        assertThat(why.reason()).isEqualTo(Reason.NO_CREDIT);
                        assertThat(why.text()).contains("of 'slow'").contains("holds 1 message unsettled");
                    }));
        }
    }

    @Test
    void eachSubscriptionOfATopicIsExplained() throws Exception {
        jakarta.jms.Topic topic = session.createTopic("topic." + name);
        MessageConsumer left = session.createDurableConsumer(topic, "left");
        left.close();
        MessageConsumer there = session.createDurableConsumer(topic, "there");
        session.createProducer(topic).send(session.createTextMessage("news"));
        assertThat(there.receive(WAIT_MS)).isNotNull();
        Subscription away = broker.shard().lookup().find(name, "left");
        List<MessageSummary> items = list(new MessageQuery(away, null, null, 0, Long.MAX_VALUE, 10, -1));
        assertThat(items)
                .singleElement()
                .satisfies(item -> assertThat(item.preview()).isEqualTo("news"));
        await().untilAsserted(() -> {
            MessageExplanation life = explain(items.get(0).sequence());
            assertThat(life.owedBy()).hasSize(2);
            assertThat(life.settledBy())
                    .singleElement()
                    .satisfies(reader -> assertThat(reader.name()).contains("there"));
            assertThat(life.owing()).singleElement().satisfies(debt -> {
                assertThat(debt.name()).contains("left");
                assertThat(debt.reason()).isEqualTo(Reason.NO_CONSUMER);
            });
        });
        answer(inspector().remove(items.get(0).sequence(), away.id(), InspectScenario::permit));
        assertThat(list(new MessageQuery(away, null, null, 0, Long.MAX_VALUE, 10, -1)))
                .isEmpty();
    }
}
