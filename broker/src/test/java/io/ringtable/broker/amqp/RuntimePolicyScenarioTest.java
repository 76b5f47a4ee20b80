package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Queue;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsDestination;
import org.apache.qpid.jms.JmsSession;
import org.apache.qpid.jms.message.JmsMessageIDBuilder;
import org.apache.qpid.jms.policy.JmsMessageIDPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Policies that administrators set count at once, for links and subscriptions that are open, and after a restart. */
@Timeout(120)
class RuntimePolicyScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final String END = "the end";

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Administrator anybody;

    @BeforeEach
    void begin() {
        start();
    }

    @AfterEach
    void end() {
        broker.close();
    }

    private void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of()
                        .with(
                                "ringtable.dispatch.addresses[0].match",
                                "orders.#",
                                "ringtable.dispatch.addresses[0].deliveries-max",
                                "5",
                                "ringtable.dispatch.addresses[0].dead-letter-queue",
                                "orders.dead"));
        anybody = Administrator.of(broker, "");
    }

    private void send(String queue, String text) {
        try (JMSContext context = broker.jms().createContext()) {
            context.createProducer().send(context.createQueue(queue), text);
        }
    }

    /** Fails as many deliveries as are allowed, until the message behind comes. @return how many that were */
    private int deliveries(JMSContext context, Queue queue) {
        send("orders.eu", END);
        int deliveries = 0;
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            for (String text = next(consumer); !text.equals(END); text = next(consumer)) {
                deliveries++;
                context.rollback();
            }
            context.commit();
        }
        return deliveries;
    }

    private static String next(JMSConsumer consumer) {
        String text = consumer.receiveBody(String.class, WAIT_MS);
        assertThat(text).isNotNull();
        return text;
    }

    @Test
    void anotherNumberOfDeliveriesAndAnotherQueueCountForTheConsumerThatIsThere() {
        try (JMSContext context = broker.jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("orders.eu");
            send("orders.eu", "one");
            assertThat(deliveries(context, queue)).isEqualTo(5);

            JMSConsumer open = context.createConsumer(queue);
            assertThat(anybody.make("/policies/orders.eu", "{'deliveriesMax': 2, 'deadLetterQueue': 'dead.eu'}")
                            .get("changedBy")
                            .asString())
                    .isEmpty();
            Address made = broker.shard().lookup().find("dead.eu");
            assertThat(made).as("it is made with the policy").isNotNull();
            send("orders.eu", "two");
            for (int i = 0; i < 2; i++) {
                assertThat(open.receive(WAIT_MS)).isNotNull();
                context.rollback();
            }
            assertThat(context.createConsumer(context.createQueue("dead.eu")).receive(WAIT_MS))
                    .isNotNull();
            assertThat(open.receiveNoWait()).isNull();
            open.close();
        }

        broker.close();
        start();
        try (JMSContext context = broker.jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("orders.eu");
            send("orders.eu", "three");
            assertThat(deliveries(context, queue)).as("after a restart").isEqualTo(2);
            anybody.make("/policies/orders.#", "{'deliveriesMax': 4}");
            send("orders.eu", "four");
            assertThat(deliveries(context, queue))
                    .as("the more specific one counts")
                    .isEqualTo(2);
            anybody.delete("/policies/orders.eu");
            send("orders.eu", "five");
            assertThat(deliveries(context, queue)).isEqualTo(4);
            assertThat(anybody.get("/policies").get("items").findValuesAsString("pattern"))
                    .containsExactly("orders.#");
        }
    }

    /** Gives every message the same id. */
    private static final class OneId implements JmsMessageIDPolicy {
        @Override
        public JmsMessageIDPolicy copy() {
            return this;
        }

        @Override
        public JmsMessageIDBuilder getMessageIDBuilder(JmsSession session, JmsDestination destination) {
            return new JmsMessageIDBuilder() {
                @Override
                public Object createMessageID(String producerId, long messageSequence) {
                    return "ID:the same";
                }
            };
        }
    }

    @Test
    void publishersThatAreThereLeaveOutWhatHasTheSameMessageId() {
        JmsConnectionFactory factory = (JmsConnectionFactory) broker.jms();
        factory.setMessageIDPolicy(new OneId());
        try (JMSContext context = factory.createContext();
                JMSContext other = broker.jms().createContext()) {
            Queue queue = context.createQueue("once");
            JMSProducer anonymous = context.createProducer();
            anonymous.send(queue, "first");
            anonymous.send(queue, "second");
            anybody.make("/policies/once", "{'onceByMessageId': true}");
            anonymous.send(queue, "third");
            anonymous.send(queue, "fourth");
            JMSConsumer consumer = other.createConsumer(other.createQueue("once"));
            // Without a wait the client drains: the broker says when it has no more.
            assertThat(Stream.generate(() -> consumer.receiveBodyNoWait(String.class))
                            .takeWhile(Objects::nonNull))
                    .containsExactly("first", "second", "third");
        }
    }

    @Test
    void whatClientsCreateFollowsThePolicyOfNow() {
        anybody.make("/policies/closed.#", "{'autoCreate': 'none'}");
        try (JMSContext context = broker.jms().createContext()) {
            assertThatThrownBy(() -> context.createProducer().send(context.createQueue("closed.a"), "x"))
                    .hasMessageContaining("RT-2012");
            anybody.change("/policies/closed.#", "{'autoCreate': 'queue'}");
            context.createProducer().send(context.createQueue("closed.a"), "x");
        }
    }

    @Test
    void whatCannotBeIsRefusedWithWhatIsWrong() {
        anybody.make("/addresses/prices", "{'kind': 'topic'}");
        anybody.refused(400, "RT-7610", "PUT", "/policies/orders*", "{'deliveriesMax': 1}");
        anybody.refused(400, "RT-7610", "PUT", "/policies/queue:%2F%2Forders", "{'deliveriesMax': 1}");
        assertThat(anybody.refused(400, "RT-7611", "PUT", "/policies/a", "{'deliveriesMax': 0}"))
                .contains("deliveriesMax=0: write a number from 1 to 1000000");
        anybody.refused(400, "RT-7611", "PUT", "/policies/a", "{'redeliveryDelayMs': -1}");
        anybody.refused(400, "RT-7611", "PUT", "/policies/a", "{'redeliveryDelayMultiplier': 101}");
        anybody.refused(400, "RT-7611", "PUT", "/policies/a", "{'retentionAgeMs': 1}");
        assertThat(anybody.refused(400, "RT-7611", "PUT", "/policies/a", "{'retentionBytes': 9000000000000000}"))
                .contains("7/8 of ringtable.commit.quota-bytes");
        assertThat(anybody.refused(400, "RT-7611", "PUT", "/policies/a", "{'messagesMax': 0}"))
                .contains("messagesMax=0: write a number from 1 to 1000000000000");
        anybody.refused(400, "RT-7611", "PUT", "/policies/a", "{'bytesMax': 1099511627776001}");
        assertThat(anybody.refused(400, "RT-7720", "PUT", "/policies/a", "{'bytesMax': 8000, 'retentionBytes': 7001}"))
                .contains("retentionBytes=7001 is more than 7/8 of bytesMax=8000");
        anybody.refused(400, "RT-7612", "PUT", "/policies/a", "{'deadLetterQueue': ''}");
        anybody.refused(400, "RT-7612", "PUT", "/policies/a", "{'expiryQueue': 'temporary:x'}");
        anybody.refused(400, "RT-7613", "PUT", "/policies/a", "{'deadLetterQueue': 'prices'}");
        anybody.refused(400, "RT-7616", "PUT", "/policies/a", "{}");
        anybody.refused(400, "RT-7705", "PUT", "/policies/a", "{'deliveries': 1}");
        anybody.refused(404, "RT-7605", "DELETE", "/policies/a", null);
        assertThat(anybody.get("/policies").get("items")).isEmpty();
    }
}
