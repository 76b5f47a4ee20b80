package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Sends;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.opentest4j.TestAbortedException;

/**
 * Checks what is there after a kill of the broker, and what is not. Each test leaves something with the broker before
 * it. All tests of an engine share one kill: the start behind it takes more work than all of them.
 */
class AcrossAKillTest extends OnEachEngine {
    /** Longer than a kill and a start of the broker take, where nothing else runs. */
    private static final long LAST_MS = 8_000;

    private static final long APART_MS = 2_000;

    AcrossAKillTest(Engine engine) {
        super(engine);
    }

    /** Most is read back. */
    @Override
    BrokerSettings settings(BrokerSettings settings) {
        return settings.usualWithSmallWindow();
    }

    /** Leaves something with the broker. */
    private interface FirstHalf {
        /** Returns the check for after the kill. */
        Executable begin() throws Exception;
    }

    @TestFactory
    List<DynamicTest> afterAKill(Bench bench) {
        Map<String, FirstHalf> tests = new LinkedHashMap<>();
        tests.put("aQueueIsBrowsed", this::aQueueIsBrowsed);
        tests.put("theHighestPriorityComesFirst", this::theHighestPriorityComesFirst);
        tests.put("whatASelectorLeftIsThere", this::whatASelectorLeftIsThere);
        tests.put("groupsKeepTheirOrder", this::groupsKeepTheirOrder);
        tests.put("aSubscriptionWantsTheSame", this::aSubscriptionWantsTheSame);
        tests.put("aSubscriptionGetsNothingOfItsClient", this::aSubscriptionGetsNothingOfItsClient);
        tests.put("manySubscriptionsAndTheirKindsAreThere", this::manySubscriptionsAndTheirKindsAreThere);
        tests.put("noTransactionIsHalfDone", this::noTransactionIsHalfDone);
        tests.put("aTemporaryQueueIsGone", this::aTemporaryQueueIsGone);
        tests.put("nothingComesBeforeItsTime", this::nothingComesBeforeItsTime);
        List<DynamicTest> checks = new ArrayList<>();
        // The last to begin is checked first, before its time.
        tests.forEach((name, half) -> checks.add(0, DynamicTest.dynamicTest(name, keeping(bench, begun(half)))));
        broker().kill();
        startAgain();
        return checks;
    }

    private static Executable begun(FirstHalf half) {
        try {
            return half.begin();
        } catch (Exception | AssertionError failure) {
            return () -> {
                throw failure;
            };
        }
    }

    /** JUnit tells extensions nothing about dynamic tests. */
    private static Executable keeping(Bench bench, Executable check) {
        return () -> {
            try {
                check.execute();
            } catch (Exception | AssertionError failure) {
                if (!(failure instanceof TestAbortedException)) {
                    bench.keep();
                }
                throw failure;
            }
        };
    }

    private static List<String> numbers(int from, int to) {
        return numbers(from, to, Integer::toString);
    }

    private static List<String> numbers(int from, int to, IntFunction<String> text) {
        return IntStream.range(from, to).mapToObj(text).toList();
    }

    // ---- queues

    private Executable aQueueIsBrowsed() {
        publishTo("kill.browsed", numbers(0, 100));
        return () -> {
            try (JMSContext context = context()) {
                Queue queue = context.createQueue("kill.browsed");
                assertThat(BrowserTest.browse(context, queue, null)).isEqualTo(numbers(0, 100));
            }
        };
    }

    /** Jakarta Messaging 3.1 section 3.4.10. */
    private Executable theHighestPriorityComesFirst() {
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("kill.priorities");
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < 100; i++) {
                producer.setPriority(i * 7 % 10).send(queue, i * 7 % 10 + " " + i);
            }
        }
        List<String> expected = new ArrayList<>();
        for (int priority = 9; priority >= 0; priority--) {
            for (int i = 0; i < 100; i++) {
                if (i * 7 % 10 == priority) {
                    expected.add(priority + " " + i);
                }
            }
        }
        return () -> {
            try (JMSContext context = context()) {
                JMSConsumer consumer = context.createConsumer(context.createQueue("kill.priorities"));
                assertThat(take(consumer, 100)).isEqualTo(expected);
            }
        };
    }

    private Executable whatASelectorLeftIsThere() {
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("kill.thirds");
            Sends sends = new Sends();
            JMSProducer producer = context.createProducer().setAsync(sends);
            for (int i = 0; i < 300; i++) {
                producer.setProperty("third", i % 3).send(queue, Integer.toString(i));
            }
            sends.await(300);
            assertThat(take(context.createConsumer(queue, "third <> 2"), 200)).hasSize(200);
        }
        broker().awaitOwed("kill.thirds", 100); // nobody hears when an acknowledgement is durable
        return () -> {
            try (JMSContext context = context()) {
                JMSConsumer rest = context.createConsumer(context.createQueue("kill.thirds"));
                assertThat(take(rest, 100)).isEqualTo(numbers(0, 100, i -> Integer.toString(3 * i + 2)));
            }
        };
    }

    private Executable groupsKeepTheirOrder() throws JMSException {
        int groups = 4;
        int each = 25;
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("kill.groups");
            Sends sends = new Sends();
            JMSProducer producer = context.createProducer().setAsync(sends);
            for (int i = 0; i < groups * each; i++) {
                Message message = context.createTextMessage(Integer.toString(i));
                message.setStringProperty("JMSXGroupID", "group " + i % groups);
                producer.send(queue, message);
            }
            sends.await(groups * each);
        }
        return () -> {
            try (JMSContext context = context()) {
                List<String> all = take(context.createConsumer(context.createQueue("kill.groups")), groups * each);
                for (int group = 0; group < groups; group++) {
                    int its = group;
                    assertThat(all)
                            .filteredOn(text -> Integer.parseInt(text) % groups == its)
                            .isEqualTo(numbers(0, each, i -> Integer.toString(i * groups + its)));
                }
            }
        };
    }

    private void publishTo(String queue, List<String> texts) {
        try (JMSContext context = context()) {
            texts.forEach(text -> context.createProducer().send(context.createQueue(queue), text));
        }
    }

    // ---- subscriptions

    private Executable aSubscriptionWantsTheSame() {
        String selector = "parity = 'odd'";
        try (JMSContext client = client("kill-selects")) {
            client.createDurableConsumer(client.createTopic("kill.selected"), "s", selector, false)
                    .close();
        }
        publishByParity("kill.selected", 0, 4);
        return () -> {
            publishByParity("kill.selected", 4, 8);
            try (JMSContext client = client("kill-selects")) {
                Topic topic = client.createTopic("kill.selected");
                JMSConsumer consumer = client.createDurableConsumer(topic, "s", selector, false);
                assertThat(take(consumer, 4)).containsExactly("1", "3", "5", "7");
                assertThat(rest(consumer)).isEmpty();
            }
        };
    }

    private void publishByParity(String topic, int from, int to) {
        try (JMSContext context = context()) {
            for (int i = from; i < to; i++) {
                context.createProducer()
                        .setProperty("parity", i % 2 == 0 ? "even" : "odd")
                        .send(context.createTopic(topic), Integer.toString(i));
            }
        }
    }

    private Executable aSubscriptionGetsNothingOfItsClient() {
        try (JMSContext client = client("kill-local")) {
            client.createDurableConsumer(client.createTopic("kill.local"), "s", null, true)
                    .close();
            publishOwn(client, "own");
        }
        publish("kill.local", List.of("another's"));
        try (JMSContext client = client("kill-local")) {
            publishOwn(client, "own of the next connection");
        }
        return () -> {
            publish("kill.local", List.of("another's after the kill"));
            try (JMSContext client = client("kill-local")) {
                publishOwn(client, "own after the kill");
                JMSConsumer consumer = client.createDurableConsumer(client.createTopic("kill.local"), "s", null, true);
                assertThat(take(consumer, 2)).containsExactly("another's", "another's after the kill");
                assertThat(rest(consumer)).isEmpty();
            }
        };
    }

    private static void publishOwn(JMSContext client, String text) {
        client.createProducer().send(client.createTopic("kill.local"), text);
    }

    private Executable manySubscriptionsAndTheirKindsAreThere() {
        int many = 70; // a group has 63
        try (JMSContext client = client("kill-many")) {
            Topic topic = client.createTopic("kill.many");
            for (int i = 0; i < many; i++) {
                client.createDurableConsumer(topic, "durable-" + i).close();
            }
            client.createSharedDurableConsumer(topic, "kill-shared").close();
            try (JMSContext nobody = context()) {
                nobody.createSharedDurableConsumer(topic, "kill-shared").close();
            }
            publish("kill.many", numbers(0, 5));
        }
        return () -> {
            publish("kill.many", numbers(5, 10));
            List<String> expected = numbers(0, 10);
            try (JMSContext client = client("kill-many");
                    JMSContext nobody = context()) {
                Topic topic = client.createTopic("kill.many");
                for (int i = 0; i < many; i++) {
                    assertThat(take(client.createDurableConsumer(topic, "durable-" + i), 10))
                            .as("durable-%d", i)
                            .isEqualTo(expected);
                }
                assertThat(take(client.createSharedDurableConsumer(topic, "kill-shared"), 10))
                        .isEqualTo(expected);
                assertThat(take(nobody.createSharedDurableConsumer(topic, "kill-shared"), 10))
                        .isEqualTo(expected);
            }
        };
    }

    // ---- transactions

    private Executable noTransactionIsHalfDone() throws JMSException {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue from = session.createQueue("together.kill.from");
        Queue to = session.createQueue("together.kill.to");
        send(session, from, "1", "2");
        session.commit();
        MessageConsumer consumer = session.createConsumer(from);
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("1");
        send(session, to, "made of 1");
        session.commit();
        assertThat(text(consumer.receive(COMES_MS))).isEqualTo("2");
        send(session, to, "made of 2");
        return () -> {
            boolean isCommitted = commits(session);
            if (!broker().hasOtherNodes()) {
                assertThat(isCommitted).as("a transaction outlives its broker").isFalse();
            }
            assertThat(drain(to)).isEqualTo(isCommitted ? List.of("made of 1", "made of 2") : List.of("made of 1"));
            assertThat(drain(from)).isEqualTo(isCommitted ? List.of() : List.of("2"));
        };
    }

    /** Tells whether it does: neither the client's node nor the one of its queues may be the one that was killed. */
    private static boolean commits(Session session) {
        try {
            session.commit();
            return true;
        } catch (JMSException lost) {
            return false;
        }
    }

    // ---- temporary queues

    private Executable aTemporaryQueueIsGone() throws JMSException {
        JMSContext owner = context();
        JMSContext sender = context();
        TemporaryQueue queue = owner.createTemporaryQueue();
        String name = queue.getQueueName();
        Destination asOthersSeeIt = TemporaryDestinationsTest.asOthersSeeIt(owner, sender, queue, "kill.requests");
        sender.createProducer().send(asOthersSeeIt, "in time");
        return () -> {
            closeCut(owner);
            closeCut(sender);
            try (Connection connection = Jms.factory(broker().amqpUrl()).createConnection();
                    JMSContext other = context()) {
                TemporaryDestinationsTest.isGone(other, connection.createSession(), asOthersSeeIt, name);
            }
        };
    }

    private static void closeCut(JMSContext context) {
        try {
            context.close();
        } catch (JMSRuntimeException e) {
            // The client may notice only now that nobody is there any more.
        }
    }

    // ---- delivery delay

    private Executable nothingComesBeforeItsTime() {
        long before; // the last is sent
        long between; // before the second is sent
        long after; // both are sent
        long delay; // of the second, which is due before the last however long a send takes
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("kill.delayed");
            JMSProducer producer = context.createProducer();
            before = System.currentTimeMillis();
            producer.setDeliveryDelay(LAST_MS).send(queue, "last");
            between = System.currentTimeMillis();
            delay = LAST_MS - APART_MS - (between - before);
            producer.setDeliveryDelay(delay).send(queue, "second");
            after = System.currentTimeMillis();
            producer.setDeliveryDelay(0).send(queue, "first");
        }
        Map<String, Long> due = Map.of("first", 0L, "second", between + delay, "last", before + LAST_MS);
        long latest = after + delay;
        return () -> {
            List<String> came = new ArrayList<>();
            try (JMSContext context = context()) {
                JMSConsumer consumer = context.createConsumer(context.createQueue("kill.delayed"));
                boolean isInTime = false; // a start that takes longer than the delays finds all of them due
                for (int i = 0; i < due.size(); i++) {
                    Message message = consumer.receive(COMES_MS);
                    long now = System.currentTimeMillis();
                    came.add(text(message));
                    isInTime |= i == 0 && now < due.get("second");
                    assertThat(now).as(came.get(i)).isGreaterThanOrEqualTo(due.get(came.get(i)));
                    if (came.get(i).equals("second")) {
                        assertThat(message.getJMSDeliveryTime()).isBetween(due.get("second"), latest);
                    }
                }
                assertThat(came).containsExactlyInAnyOrderElementsOf(due.keySet());
                if (isInTime) {
                    assertThat(came).containsExactly("first", "second", "last");
                }
            }
        };
    }
}
