package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.watermark.Watermarks;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Queue;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JMS's simplified API administers a broker: its producers have no destination, and send by the anonymous relay. */
@Timeout(120)
class ManagementRelayScenarioTest {
    private static final long WAIT_MS = 60_000;

    @TempDir
    private static Path directory;

    private static final AtomicReference<String> SHORTAGE = new AtomicReference<>();
    private static final Watermarks WATERMARKS = new Watermarks(List.of(wasShort -> SHORTAGE.get()));
    private static TestBroker broker;

    @BeforeAll
    static void begin() {
        TestSettings settings = TestSettings.of(
                "ringtable.security.roles.administrator.users", "ops",
                "ringtable.security.rules[0].match", "#",
                "ringtable.security.rules[0].users", "ops",
                "ringtable.security.rules[0].permissions", "send,receive,create,delete",
                "ringtable.security.roles.viewer.users", "max");
        int position = 0;
        for (String user : List.of("ops", "eve", "max")) {
            String property = "ringtable.security.users[" + position++ + "].";
            settings = settings.with(property + "name", user, property + "password", "{noop}of " + user);
        }
        broker = TestBroker.start(directory, settings, WATERMARKS);
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    private static JMSContext context(String user) {
        return new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port()).createContext(user, "of " + user);
    }

    /** Asks by a producer without a destination. @param body null if there is none */
    private static TextMessage askRelayed(JMSContext context, String method, String path, String body)
            throws JMSException {
        TemporaryQueue replies = context.createTemporaryQueue();
        TextMessage answer;
        try (JMSConsumer consumer = context.createConsumer(replies)) {
            context.createProducer()
                    .setJMSType(method)
                    .setProperty("path", path)
                    .setJMSReplyTo(replies)
                    .send(context.createQueue("$management"), body);
            answer = (TextMessage) consumer.receive(WAIT_MS);
        }
        replies.delete();
        assertThat(answer).as("answer").isNotNull();
        return answer;
    }

    private static List<String> names(TextMessage listing) throws JMSException {
        return json(listing)
                .path("items")
                .valueStream()
                .map(item -> item.path("name").asString())
                .toList();
    }

    @Test
    void theSimplifiedApiListsAndCreatesByTheAnonymousRelay() throws Exception {
        try (JMSContext context = context("ops")) {
            String list = "/addresses?filter=by.relay";
            assertThat(names(askRelayed(context, "GET", list, null))).isEmpty();
            TextMessage made = askRelayed(context, "PUT", "/addresses/by.relay", "{\"kind\":\"queue\"}");
            assertThat(made.getJMSType()).isEqualTo("201");
            assertThat(names(askRelayed(context, "GET", list, null))).containsExactly("by.relay");

            Queue queue = context.createQueue("by.relay");
            context.createProducer().send(queue, "a message like others");
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("a message like others");
            }
        }
    }

    @Test
    void requestsByTheAnonymousRelayAreDoneOneAfterTheOtherHoweverMany() throws Exception {
        int rounds = 10; // more requests than a link to the node has credit for
        try (JMSContext context = context("ops")) {
            TemporaryQueue replies = context.createTemporaryQueue();
            List<String> answers = new ArrayList<>();
            try (JMSConsumer consumer = context.createConsumer(replies)) {
                JMSProducer producer = context.createProducer()
                        .setProperty("path", "/addresses/relayed")
                        .setJMSReplyTo(replies);
                for (int i = 0; i < rounds; i++) {
                    producer.setJMSType("PUT").send(context.createQueue("$management"), "{\"kind\":\"queue\"}");
                    producer.setJMSType("DELETE").send(context.createQueue("/management"), (String) null);
                }
                for (int i = 0; i < 2 * rounds; i++) {
                    answers.add(consumer.receive(WAIT_MS).getJMSType());
                }
            }
            assertThat(answers).hasSize(2 * rounds).startsWith("201", "204", "201", "204");
            assertThat(answers).containsOnly("201", "204");
        }
    }

    @Test
    void theAnonymousRelayGivesNoOtherRightsThanALinkToTheNode() throws Exception {
        try (JMSContext eve = context("eve");
                JMSContext max = context("max")) {
            TextMessage refused = askRelayed(eve, "PUT", "/addresses/hers", "{\"kind\":\"queue\"}");
            assertThat(refused.getJMSType()).isEqualTo("403");
            assertThat(json(refused).path("message").asString()).contains("'eve'");
            assertThat(exists("hers")).isFalse();
            assertThat(askRelayed(eve, "GET", "/addresses", null).getJMSType()).isEqualTo("403");
            assertThat(askRelayed(max, "GET", "/addresses", null).getJMSType()).isEqualTo("200");
        }
    }

    private static JsonNode json(TextMessage answer) throws JMSException {
        return JsonMapper.shared().readTree(answer.getText());
    }

    private static boolean exists(String address) {
        return broker.shard().lookup().find(address) != null;
    }

    @Test
    void operatorsGetThroughWhilePublishersAreHeldBack() throws Exception {
        try (JMSContext context = context("ops")) {
            assertThat(askRelayed(context, "PUT", "/addresses/full", "{\"kind\":\"queue\"}")
                            .getJMSType())
                    .isEqualTo("201"); // the link has credit now
            SHORTAGE.set("the disk is full, says the test");
            WATERMARKS.look();
            try {
                assertThat(askRelayed(context, "GET", "/addresses/full", null).getJMSType())
                        .isEqualTo("200");
                assertThatThrownBy(() -> context.createProducer().send(context.createQueue("full"), "more"))
                        .hasMessageContaining("RT-4342");
            } finally {
                SHORTAGE.set(null);
                WATERMARKS.look();
            }
        }
    }

    @Test
    void theSimplifiedApiIsToldWhatARequestLacksAndGoesOn() throws Exception {
        try (JMSContext context = context("ops")) {
            Queue node = context.createQueue("$management");
            TemporaryQueue replies = context.createTemporaryQueue();
            JMSProducer producer = context.createProducer().setJMSType("GET");
            assertThatThrownBy(() -> producer.setJMSReplyTo(replies).send(node, "no path"))
                    .hasMessageContaining("RT-4391 a request has its path")
                    .hasMessageContaining("application property 'path'");
            producer.setProperty("path", "/whoami");
            assertThatThrownBy(() -> producer.setJMSReplyTo(null).send(node, "no way back"))
                    .hasMessageContaining("RT-4391 a request says in reply-to");
            assertThatThrownBy(() -> producer.setJMSReplyTo(context.createQueue("nowhere"))
                            .send(node, "no address"))
                    .hasMessageContaining("RT-4397 there is no address 'nowhere'");
            assertThat(askRelayed(context, "GET", "/whoami", null).getJMSType()).isEqualTo("200");
        }
    }

    @Test
    void aRequestOfTheSimplifiedApiTakesNoPartInTransactions() throws Exception {
        try (JMSContext plain = context("ops");
                JMSContext context = plain.createContext(JMSContext.SESSION_TRANSACTED)) {
            TemporaryQueue replies = plain.createTemporaryQueue();
            assertThatThrownBy(() -> {
                        context.createProducer()
                                .setJMSType("PUT")
                                .setProperty("path", "/addresses/too-early")
                                .setJMSReplyTo(replies)
                                .send(context.createQueue("$management"), "{\"kind\":\"queue\"}");
                        context.commit();
                    })
                    .hasStackTraceContaining("RT-4390 a request to the management node takes no part in transactions");
            assertThat(exists("too-early")).isFalse();
        }
    }
}
