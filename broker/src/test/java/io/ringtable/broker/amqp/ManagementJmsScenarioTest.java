package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.watermark.Watermarks;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JMS clients administer a broker: they ask the management node, and the answers come to a queue of theirs. */
@Timeout(120)
class ManagementJmsScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int QUOTA = 5; // messages of each address

    @TempDir
    private static Path directory;

    private static final AtomicReference<String> SHORTAGE = new AtomicReference<>();
    private static final Watermarks WATERMARKS = new Watermarks(List.of(wasShort -> SHORTAGE.get()));
    private static final Map<String, Connection> CONNECTIONS = new HashMap<>(); // by user
    private static TestBroker broker;

    @BeforeAll
    static void begin() throws Exception {
        TestSettings settings = TestSettings.of(
                "ringtable.security.roles.administrator.users", "ops",
                "ringtable.security.rules[0].match", "#",
                "ringtable.security.rules[0].users", "ops",
                "ringtable.security.rules[0].permissions", "send,receive,create,delete",
                "ringtable.security.rules[1].match", "orders",
                "ringtable.security.rules[1].users", "max",
                "ringtable.security.rules[1].permissions", "receive",
                "ringtable.security.roles.viewer.users", "max",
                "ringtable.commit.quota-messages", QUOTA);
        int position = 0;
        for (String user : List.of("ops", "eve", "max")) {
            String property = "ringtable.security.users[" + position++ + "].";
            settings = settings.with(property + "name", user, property + "password", "{noop}of " + user);
        }
        broker = TestBroker.start(directory, settings, WATERMARKS);
        for (String user : List.of("ops", "eve", "max")) {
            Connection connection =
                    new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port()).createConnection(user, "of " + user);
            connection.start();
            CONNECTIONS.put(user, connection);
        }
    }

    @AfterAll
    static void end() throws Exception {
        for (Connection connection : CONNECTIONS.values()) {
            connection.close();
        }
        broker.close();
    }

    private static Session session(String user) throws JMSException {
        return CONNECTIONS.get(user).createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    /** Makes a request. @param body null if there is none */
    private static Message request(Session session, String method, String path, String body) throws JMSException {
        Message request = body == null ? session.createMessage() : session.createTextMessage(body);
        request.setJMSType(method);
        request.setStringProperty("path", path);
        return request;
    }

    private static void send(Session session, Message request, Destination replyTo) throws JMSException {
        request.setJMSReplyTo(replyTo);
        try (MessageProducer producer = session.createProducer(session.createQueue("$management"))) {
            producer.send(request);
        }
    }

    /** Asks, and takes the answer from a temporary queue. */
    private static TextMessage ask(Session session, Message request) throws JMSException {
        TemporaryQueue replies = session.createTemporaryQueue();
        TextMessage answer;
        try (MessageConsumer consumer = session.createConsumer(replies)) {
            send(session, request, replies);
            answer = (TextMessage) consumer.receive(WAIT_MS);
        }
        replies.delete();
        assertThat(answer).as("answer").isNotNull();
        assertThat(answer.getJMSCorrelationID()).isEqualTo(request.getJMSMessageID());
        return answer;
    }

    private static TextMessage ask(Session session, String method, String path, String body) throws JMSException {
        return ask(session, request(session, method, path, body));
    }

    private static JsonNode json(TextMessage answer) throws JMSException {
        return JsonMapper.shared().readTree(answer.getText());
    }

    private static boolean exists(String address) {
        return broker.shard().lookup().find(address) != null;
    }

    private static Queue made(Session session, String queue) throws JMSException {
        assertThat(ask(session, "PUT", "/addresses/" + queue, "{\"kind\":\"queue\"}")
                        .getJMSType())
                .isIn("200", "201");
        return session.createQueue(queue);
    }

    // ---- what clients read

    @Test
    void anAddressIsMadeShownAndDeleted() throws Exception {
        try (Session session = session("ops")) {
            TextMessage made = ask(session, "PUT", "/addresses/made", "{\"kind\":\"topic\"}");
            assertThat(made.getJMSType()).isEqualTo("201");
            assertThat(broker.shard().lookup().find("made").isQueue()).isFalse();

            TextMessage shown = ask(session, "GET", "/api/v1/addresses/made", null);
            assertThat(shown.getJMSType()).isEqualTo("200");
            assertThat(json(shown).path("name").asString()).isEqualTo("made");
            assertThat(json(shown).path("kind").asString()).isEqualToIgnoringCase("topic");

            TextMessage deleted = ask(session, "DELETE", "/addresses/made", null);
            assertThat(deleted.getJMSType()).isEqualTo("204");
            assertThat(deleted.getText()).isNull();
            assertThat(exists("made")).isFalse();
        }
    }

    @Test
    void aBodyIsJsonInATextOrInBytesOrAMap() throws Exception {
        try (Session session = session("ops")) {
            MapMessage map = session.createMapMessage();
            map.setString("kind", "queue");
            map.setJMSType("PUT");
            map.setStringProperty("path", "/addresses/by-map");
            assertThat(ask(session, map).getJMSType()).isEqualTo("201");
            assertThat(broker.shard().lookup().find("by-map").isQueue()).isTrue();

            BytesMessage bytes = session.createBytesMessage();
            bytes.writeBytes("{\"kind\":\"topic\"}".getBytes(StandardCharsets.UTF_8));
            bytes.setJMSType("PUT");
            bytes.setStringProperty("path", "/addresses/by-bytes");
            assertThat(ask(session, bytes).getJMSType()).isEqualTo("201");
            assertThat(broker.shard().lookup().find("by-bytes").isQueue()).isFalse();

            TextMessage broken = ask(session, "PUT", "/addresses/by-nothing", "{kind:");
            assertThat(broken.getJMSType()).isEqualTo("400");
            assertThat(json(broken).path("code").asString()).isEqualTo("RT-4396");
            assertThat(exists("by-nothing")).isFalse();
        }
    }

    @Test
    void aQueryIsDecodedAndALongAnswerComesWhole() throws Exception {
        try (Session session = session("ops")) {
            for (int i = 0; i < 120; i++) {
                String name = "many." + "x".repeat(250) + i;
                broker.shard()
                        .catalog()
                        .ensure(name, AddressKind.QUEUE)
                        .toCompletableFuture()
                        .get();
            }
            JsonNode page = json(ask(session, "GET", "/addresses?limit=7&filter=%6Dany.", null));
            assertThat(page.path("items").size()).isEqualTo(7);
            assertThat(page.path("next").isString()).isTrue();
            TextMessage all = ask(session, "GET", "/addresses?limit=1000&filter=many.", null);
            assertThat(json(all).path("items").size()).isEqualTo(120);
            assertThat(all.getText().length())
                    .as("characters; a body that large is staged")
                    .isGreaterThan(inlineBytesMax());
        }
    }

    @Test
    void requestsOfOneLinkAreDoneOneAfterTheOther() throws Exception {
        try (Session session = session("ops");
                MessageProducer producer = session.createProducer(session.createQueue("$management"))) {
            TemporaryQueue replies = session.createTemporaryQueue();
            List<String> answers = new ArrayList<>();
            try (MessageConsumer consumer = session.createConsumer(replies)) {
                for (String method : List.of("PUT", "GET", "DELETE", "GET")) { // without waiting for answers
                    Message request = request(
                            session, method, "/addresses/brief", method.equals("PUT") ? "{\"kind\":\"queue\"}" : null);
                    request.setJMSReplyTo(replies);
                    producer.send(request);
                }
                for (int i = 0; i < 4; i++) {
                    answers.add(consumer.receive(WAIT_MS).getJMSType());
                }
            }
            assertThat(answers).containsExactly("201", "200", "204", "404");
            replies.delete();
        }
    }

    @Test
    void theAnswerGoesToAnyQueueThatTheUserMaySendTo() throws Exception {
        try (Session session = session("ops")) {
            Queue answers = made(session, "answers");
            Message request = request(session, "GET", "/whoami", null);
            send(session, request, answers);
            try (MessageConsumer consumer = session.createConsumer(answers)) {
                TextMessage answer = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(answer.getJMSCorrelationID()).isEqualTo(request.getJMSMessageID());
                assertThat(json(answer).path("user").asString()).isEqualTo("ops");
            }
        }
    }

    // ---- who may

    @Test
    void theOperationLooksAtTheRoleOfTheUser() throws Exception {
        try (Session eve = session("eve");
                Session max = session("max")) {
            for (Session session : List.of(eve, max)) {
                TextMessage refused = ask(session, "PUT", "/addresses/theirs", "{\"kind\":\"queue\"}");
                assertThat(refused.getJMSType()).isEqualTo("403");
                assertThat(json(refused).path("code").asString()).startsWith("RT-");
            }
            assertThat(exists("theirs")).isFalse();
            assertThat(ask(eve, "GET", "/addresses", null).getJMSType()).isEqualTo("403");
            assertThat(ask(max, "GET", "/addresses", null).getJMSType()).isEqualTo("200");
            assertThat(ask(eve, "GET", "/shards", null).getJMSType()).isEqualTo("403");
            TextMessage shards = ask(max, "GET", "/shards", null);
            assertThat(json(shards).path("items").path(0).path("state").asString())
                    .isEqualTo("ACTIVE");
        }
    }

    @Test
    void nothingIsDoneForAnAnswerThatMayNotOrCannotGoToItsAddress() throws Exception {
        try (Session ops = session("ops");
                Session max = session("max")) {
            Queue secret = made(ops, "secret");
            assertThatThrownBy(() -> send(max, request(max, "GET", "/whoami", null), secret))
                    .hasMessageContaining("RT-4350 user 'max' may not send to 'secret'");
            assertThatThrownBy(() -> send(
                            ops,
                            request(ops, "PUT", "/addresses/unheard", "{\"kind\":\"queue\"}"),
                            ops.createQueue("nowhere")))
                    .hasMessageContaining("RT-4397 there is no address 'nowhere'");
            assertThat(exists("unheard")).isFalse();
            assertThat(exists("nowhere")).as("made by reply-to").isFalse();
        }
    }

    // ---- what is refused

    @Test
    void aMessageThatIsNoRequestIsRejectedWithWhatItLacks() throws Exception {
        try (Session session = session("ops")) {
            TemporaryQueue replies = session.createTemporaryQueue();
            assertThatThrownBy(() -> send(session, request(session, "get it", "/addresses", null), replies))
                    .hasMessageContaining("RT-4391 a request has its method")
                    .hasMessageContaining("get it");
            assertThatThrownBy(() -> send(session, request(session, "GET", "addresses", null), replies))
                    .hasMessageContaining("RT-4391 a request has its path");
            assertThatThrownBy(() -> send(session, request(session, "GET", "/addresses", null), null))
                    .hasMessageContaining("RT-4391 a request says in reply-to");
            replies.delete();
        }
    }

    @Test
    void aRequestInATransactionIsRejectedAndNotDone() throws Exception {
        try (Session session = CONNECTIONS.get("ops").createSession(true, Session.SESSION_TRANSACTED);
                Session plain = session("ops")) {
            TemporaryQueue replies = plain.createTemporaryQueue();
            assertThatThrownBy(() -> {
                        send(session, request(session, "PUT", "/addresses/early", "{\"kind\":\"queue\"}"), replies);
                        session.commit();
                    })
                    .hasStackTraceContaining("RT-4390 a request to the management node takes no part in transactions");
            assertThat(exists("early")).isFalse();
            replies.delete();
        }
    }

    @Test
    void aRequestBeyondTheBoundIsRejectedAndTheNextOneIsNot() throws Exception {
        try (Session session = session("ops")) {
            TemporaryQueue replies = session.createTemporaryQueue();
            String large = "x".repeat(1024 * 1024);
            assertThatThrownBy(() -> send(session, request(session, "PUT", "/addresses/large", large), replies))
                    .isInstanceOf(JMSException.class);
            assertThat(ask(session, "GET", "/whoami", null).getJMSType()).isEqualTo("200");
            replies.delete();
        }
    }

    // ---- what cannot be had

    @Test
    void anAnswerThatFindsItsQueueFullOrGoneIsDroppedAndItsCreditComesBack() throws Exception {
        try (Session session = session("ops");
                MessageProducer producer = session.createProducer(session.createQueue("$management"))) {
            Queue narrow = made(session, "narrow");
            TemporaryQueue gone = session.createTemporaryQueue();
            for (int i = 0; i < 20; i++) { // more than the link's credit
                Message request = request(session, "GET", "/whoami", null);
                request.setJMSReplyTo(narrow);
                producer.send(request);
            }
            Message last = request(session, "GET", "/status", null);
            last.setJMSReplyTo(gone);
            producer.send(last);
            gone.delete();
            assertThat(ask(session, "GET", "/whoami", null).getJMSType()).isEqualTo("200");
            assertThat(broker.shard().lookup().find("narrow").quota().messages())
                    .as("answers in the queue")
                    .isEqualTo(QUOTA);
        }
    }

    @Test
    void operatorsAreServedWhilePublishersAreHeldBack() throws Exception {
        try (Session session = session("ops")) {
            made(session, "to-be-emptied");
            SHORTAGE.set("the disk is full, says the test");
            WATERMARKS.look();
            try {
                for (int i = 0; i < 20; i++) {
                    assertThat(ask(session, "GET", "/addresses/to-be-emptied", null)
                                    .getJMSType())
                            .isEqualTo("200");
                }
            } finally {
                SHORTAGE.set(null);
                WATERMARKS.look();
            }
        }
    }

    private int inlineBytesMax() {
        Shard shard = broker.shard();
        Address any = shard.lookup().addresses().iterator().next();
        return shard.homeOf(any).bodyIds().inlineBytesMax();
    }
}
