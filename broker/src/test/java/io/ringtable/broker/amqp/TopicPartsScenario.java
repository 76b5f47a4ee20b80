package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** Publishes to topics with parts, and looks at what their subscriptions get. */
abstract class TopicPartsScenario extends PartsScenario {
    static final int GROUPS = 12;
    static final int OF_EACH = 10;
    static final long MOMENT_MS = 20;

    /** Publishes messages of each group in order. The property n has the number of each. */
    static void publish(String topic) {
        try (JMSContext context = broker.jms().createContext()) {
            publish(context, topic);
        }
    }

    static void publish(JMSContext context, String topic) {
        JMSProducer producer = context.createProducer();
        for (int number = 0; number < OF_EACH; number++) {
            for (int group = 0; group < GROUPS; group++) {
                producer.setProperty("JMSXGroupID", "pair " + group)
                        .setProperty("n", number)
                        .send(context.createTopic(topic), "pair " + group + ":" + number);
            }
        }
    }

    /** Receives from the consumers in turn, until so many have come in all, and no other is there. */
    static List<String> take(int count, JMSConsumer... consumers) {
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            for (JMSConsumer consumer : consumers) {
                String text = consumer.receiveBody(String.class, MOMENT_MS);
                if (text != null) {
                    texts.add(text);
                }
            }
        }
        for (JMSConsumer consumer : consumers) {
            assertThat(consumer.receiveNoWait()).isNull();
        }
        assertThat(texts).hasSize(count);
        return texts;
    }

    static void requireOrder(List<String> texts, int first, int last) {
        Map<String, List<Integer>> byGroup = new TreeMap<>();
        for (String text : texts) {
            String[] groupAndNumber = text.split(":");
            byGroup.computeIfAbsent(groupAndNumber[0], group -> new ArrayList<>())
                    .add(Integer.valueOf(groupAndNumber[1]));
        }
        assertThat(byGroup).hasSize(GROUPS);
        byGroup.forEach((group, numbers) -> assertThat(numbers)
                .as(group)
                .hasSize(last - first)
                .startsWith(first)
                .isSorted()
                .doesNotHaveDuplicates());
    }

    static JsonNode subscriptions(String topic) {
        return administrator.get("/subscriptions?address=" + topic).get("items");
    }
}
