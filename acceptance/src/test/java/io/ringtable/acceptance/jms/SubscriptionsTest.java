package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Subscriptions of topics: Jakarta Messaging 3.1 section 8.3. */
class SubscriptionsTest extends OnEachEngine {
    private static final List<String> TWENTY = Jms.bodies(20);

    SubscriptionsTest(Engine engine) {
        super(engine);
    }

    @Test
    void consumersOfASharedSubscriptionCompeteFromSeveralConnections() {
        try (JMSContext one = context();
                JMSContext two = context();
                JMSContext alone = context()) {
            JMSConsumer first = one.createSharedConsumer(one.createTopic("compete"), "s");
            JMSConsumer second = two.createSharedConsumer(two.createTopic("compete"), "s");
            JMSConsumer all = alone.createConsumer(alone.createTopic("compete"));
            publish("compete", TWENTY);
            assertThat(take(all, 20)).isEqualTo(TWENTY);
            isSharedOut(first, second);
        }
    }

    @Test
    void consumersOfASharedDurableSubscriptionCompeteFromSeveralConnections() {
        try (JMSContext one = context();
                JMSContext two = context()) {
            JMSConsumer first = one.createSharedDurableConsumer(one.createTopic("durable-compete"), "dc");
            JMSConsumer second = two.createSharedDurableConsumer(two.createTopic("durable-compete"), "dc");
            publish("durable-compete", TWENTY);
            isSharedOut(first, second);
        }
    }

    /** Each message to one of them, and to both some. */
    private static void isSharedOut(JMSConsumer first, JMSConsumer second) {
        List<String> some = take(first, 10);
        List<String> others = take(second, 10);
        List<String> all = new ArrayList<>(some);
        all.addAll(others);
        assertThat(all).containsExactlyInAnyOrderElementsOf(TWENTY);
        assertThat(some).as("in order").isSortedAccordingTo((a, b) -> TWENTY.indexOf(a) - TWENTY.indexOf(b));
        assertThat(rest(first)).isEmpty();
        assertThat(rest(second)).isEmpty();
    }

    @Test
    void aSharedVolatileSubscriptionEndsWithItsLastConsumerWhosever() {
        try (JMSContext one = context();
                JMSContext two = context()) {
            JMSConsumer first = one.createSharedConsumer(one.createTopic("ends"), "s");
            JMSConsumer second = two.createSharedConsumer(two.createTopic("ends"), "s");
            first.close();
            publish("ends", List.of("kept"));
            assertThat(take(second, 1)).containsExactly("kept");
            second.close();
            publish("ends", List.of("for nobody"));
            JMSConsumer again = one.createSharedConsumer(one.createTopic("ends"), "s");
            publish("ends", List.of("new"));
            assertThat(take(again, 1)).containsExactly("new");
        }
    }

    @Test
    void whatAnEndedConsumerHadGoesToTheOthers() {
        JMSContext one = context();
        try (JMSContext two = context()) {
            JMSContext acknowledging = one.createContext(JMSContext.CLIENT_ACKNOWLEDGE);
            JMSConsumer first = acknowledging.createSharedConsumer(acknowledging.createTopic("handed-on"), "s");
            JMSConsumer second = two.createSharedConsumer(two.createTopic("handed-on"), "s");
            publish("handed-on", TWENTY);
            assertThat(take(first, 3)).hasSize(3); // not acknowledged
            one.close();
            acknowledging.close(); // the last of its connection
            assertThat(take(second, 20)).containsExactlyInAnyOrderElementsOf(TWENTY);
        } finally {
            one.close();
        }
    }

    @Test
    void durableAndVolatileAndGlobalAndAClientsOwnAreNamedApart() {
        try (JMSContext nobody = context();
                JMSContext client = client("apart-client")) {
            List<JMSConsumer> consumers = List.of(
                    nobody.createSharedConsumer(nobody.createTopic("apart"), "same"),
                    nobody.createSharedDurableConsumer(nobody.createTopic("apart"), "same"),
                    client.createSharedConsumer(client.createTopic("apart"), "same"),
                    client.createSharedDurableConsumer(client.createTopic("apart"), "same"));
            publish("apart", TWENTY);
            for (JMSConsumer consumer : consumers) {
                assertThat(take(consumer, 20)).isEqualTo(TWENTY);
            }
        }
    }

    @Test
    void aSharedDurableSubscriptionWaitsForItsConsumers() throws JMSException {
        try (JMSContext client = client("waits-client")) {
            JMSConsumer first = client.createSharedDurableConsumer(client.createTopic("waits"), "w");
            JMSConsumer second = client.createSharedDurableConsumer(client.createTopic("waits"), "w");
            first.close();
            assertThatThrownBy(() -> client.unsubscribe("w")).isInstanceOf(JMSRuntimeException.class);
            second.close();
            publish("waits", TWENTY);
        }
        try (JMSContext client = client("waits-client")) {
            JMSConsumer again = client.createSharedDurableConsumer(client.createTopic("waits"), "w");
            Message message = again.receive(COMES_MS);
            assertThat(message.getBody(String.class)).isEqualTo(TWENTY.get(0));
            assertThat(message.getJMSRedelivered()).isFalse();
            assertThat(take(again, 19)).isEqualTo(TWENTY.subList(1, 20));
            again.close();
            publish("waits", List.of("forgotten"));
            client.unsubscribe("w");
            JMSConsumer anew = client.createSharedDurableConsumer(client.createTopic("waits"), "w");
            assertThat(rest(anew)).isEmpty();
        }
    }

    @Test
    void aGlobalSubscriptionIsUnsubscribedByAnybodyWhileNobodyReadsIt() {
        try (JMSContext one = context();
                JMSContext two = context()) {
            JMSConsumer reader = one.createSharedDurableConsumer(one.createTopic("anybody"), "g");
            assertThatThrownBy(() -> two.unsubscribe("g"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-2018");
            publish("anybody", List.of("still there"));
            assertThat(take(reader, 1)).containsExactly("still there");
            reader.close();
            two.unsubscribe("g");
            assertThatThrownBy(() -> one.unsubscribe("g")).isInstanceOf(InvalidDestinationRuntimeException.class);
        }
    }

    @Test
    void oneNameIsSharedOrNotWhetherItIsReadOrNot() {
        try (JMSContext client = client("one-name-client")) {
            client.createDurableConsumer(client.createTopic("one-name"), "alone")
                    .close();
            assertThatThrownBy(() -> client.createSharedDurableConsumer(client.createTopic("one-name"), "alone"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-2016");
            client.createSharedDurableConsumer(client.createTopic("one-name"), "together")
                    .close();
            assertThatThrownBy(() -> client.createDurableConsumer(client.createTopic("one-name"), "together"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-2016");
        }
    }

    @Test
    void aSharedSubscriptionChangesItsTopicOnlyWhileNobodyReadsIt() {
        try (JMSContext one = context();
                JMSContext two = context()) {
            JMSConsumer reader = one.createSharedDurableConsumer(one.createTopic("before"), "moves");
            JMSConsumer volatileReader = one.createSharedConsumer(one.createTopic("before"), "moves");
            assertThatThrownBy(() -> two.createSharedDurableConsumer(two.createTopic("after"), "moves"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-2017");
            assertThatThrownBy(() -> two.createSharedConsumer(two.createTopic("after"), "moves"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-2017");
            reader.close();
            volatileReader.close();
            publish("before", List.of("owed to the one before"));
            JMSConsumer moved = two.createSharedDurableConsumer(two.createTopic("after"), "moves");
            publish("before", List.of("not for it any more"));
            publish("after", List.of("for it"));
            assertThat(take(moved, 1)).containsExactly("for it");
            assertThat(rest(moved)).isEmpty();
        }
    }

    @Test
    void anUnsharedDurableSubscriptionHasOneConsumerAndChangesItsTopic() {
        try (JMSContext client = client("alone-client")) {
            JMSConsumer reader = client.createDurableConsumer(client.createTopic("alone-before"), "one");
            assertThatThrownBy(() -> client.createDurableConsumer(client.createTopic("alone-before"), "one"))
                    .isInstanceOf(JMSRuntimeException.class);
            assertThatThrownBy(() -> client.unsubscribe("one")).isInstanceOf(JMSRuntimeException.class);
            reader.close();
            publish("alone-before", List.of("owed to the one before"));
            JMSConsumer moved = client.createDurableConsumer(client.createTopic("alone-after"), "one");
            publish("alone-after", List.of("for it"));
            assertThat(take(moved, 1)).containsExactly("for it");
            moved.close();
            client.unsubscribe("one");
            assertThatThrownBy(() -> client.unsubscribe("one")).isInstanceOf(InvalidDestinationRuntimeException.class);
        }
    }
}
