package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A message says by which login it was published, whoever moves it; the node has two shards. */
@Timeout(120)
class PublishedByScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int REJECTED = 2;
    private static final int OWN_ACKNOWLEDGE = 101;
    private static final String BOB = "login 'bob'";

    @TempDir
    private static Path directory;

    private static TestBroker broker;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of(
                        "ringtable.shards", 2,
                        "ringtable.security.users[0].name", "ann",
                        "ringtable.security.users[0].password", "{noop}of ann",
                        "ringtable.security.users[1].name", "bob",
                        "ringtable.security.users[1].password", "{noop}of bob",
                        "ringtable.security.roles.administrator.users", "ann"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static JMSContext client(String user, int mode) {
        return new JmsConnectionFactory(
                        user, "of " + user, "amqp://127.0.0.1:" + broker.port() + "?jms.populateJMSXUserID=true")
                .createContext(mode);
    }

    private static JsonNode messages(String queue) {
        return ann().get("/addresses/" + queue + "/messages").path("items");
    }

    private static JsonNode only(String queue) {
        JsonNode items = messages(queue);
        assertThat(items.size()).as("messages of %s", queue).isEqualTo(1);
        return items.get(0);
    }

    private static void publish(String user, String queue) {
        try (JMSContext context = client(user, JMSContext.AUTO_ACKNOWLEDGE)) {
            context.createProducer().send(context.createQueue(queue), "text");
        }
    }

    private static Administrator ann() {
        return Administrator.of(broker, "ann");
    }

    /** Returns the path of a message, or of what is asked of it. */
    private static String path(JsonNode item, String what) {
        return "/messages/" + item.path("sequence").asString() + what + "?shard="
                + item.path("shard").asString();
    }

    private static JsonNode explained(JsonNode item) {
        return ann().get(path(item, "/explain"));
    }

    @Test
    void aListAndAnExplanationSayTheLogin() {
        publish("bob", "told");
        JsonNode item = only("told");
        assertThat(item.path("login").asString()).isEqualTo("bob");
        assertThat(item.path("publishedBy").asString()).isEqualTo(BOB);
        JsonNode life = explained(item);
        assertThat(life.path("publishedBy").asString()).isEqualTo(BOB);
        assertThat(life.hasNonNull("claim")).as("its user-id is that name").isFalse();
        assertThat(ann().get(path(item, "")).path("publishedBy").asString()).isEqualTo(BOB);
    }

    @Test
    void aDeadLetterIsOfThePublisherAndSoIsWhatARedriveMakesOfIt() {
        publish("bob", "dying");
        try (JMSContext context = client("ann", OWN_ACKNOWLEDGE)) {
            Queue queue = context.createQueue("dying");
            JMSConsumer consumer = context.createConsumer(queue);
            Message message = consumer.receive(WAIT_MS);
            message.setIntProperty("JMS_AMQP_ACK_TYPE", REJECTED);
            message.acknowledge();
        } catch (jakarta.jms.JMSException e) {
            throw new AssertionError(e);
        }
        Awaitility.await().until(() -> messages("DLQ").size() == 1);
        assertThat(only("DLQ").path("publishedBy").asString()).isEqualTo(BOB);
        redrive("DLQ");
        assertThat(only("dying").path("publishedBy").asString()).isEqualTo(BOB);
    }

    /** Ids of logins are each shard's own. */
    @Test
    void oneLinkPublishesIntoSeveralShardsUnderItsLogin() {
        publish("ann", "spread.0"); // so that bob's ids differ
        Set<String> shards = new HashSet<>();
        try (JMSContext context = client("bob", JMSContext.AUTO_ACKNOWLEDGE)) {
            JMSProducer relay = context.createProducer();
            for (int i = 1; shards.size() < 2; i++) { // a new address lives where there are fewest
                String queue = "spread." + i;
                relay.send(context.createQueue(queue), "text");
                assertThat(only(queue).path("publishedBy").asString()).isEqualTo(BOB);
                shards.add(only(queue).path("shard").asString());
            }
            relay.send(context.createQueue("spread.1"), "text");
        }
        assertThat(messages("spread.1").findValuesAsString("publishedBy")).containsExactly(BOB, BOB);
    }

    private static void redrive(String queue) {
        JsonNode begun = ann().ask(202, "POST", "/jobs", "{'action': 'redrive', 'from': '" + queue + "'}");
        String path = "/jobs/" + begun.path("id").asString();
        Awaitility.await()
                .untilAsserted(() ->
                        assertThat(ann().get(path).path("state").asString()).isEqualTo("DONE"));
    }

    @Test
    void aCorrectedCopyIsOfItsAdministratorWhateverTheMessageClaims() {
        publish("bob", "wrong");
        JsonNode item = only("wrong");
        ann().make("/addresses/right", "{'kind': 'QUEUE'}");
        ann().ask(200, "POST", path(item, "/copy"), "{'to': 'right', 'body': 'corrected', 'bodyType': 'text'}");
        JsonNode life = explained(only("right"));
        assertThat(life.path("publishedBy").asString()).isEqualTo("login 'ann'");
        assertThat(life.path("claim").asString()).isEqualTo("user-id says bob");
        ann().ask(200, "POST", "/addresses/right/messages", "{'body': 'new'}");
        assertThat(messages("right").findValuesAsString("publishedBy")).containsExactly("login 'ann'", "login 'ann'");
    }

    @Test
    void relaysTransactionsAndMemorySayTheLoginToo() {
        try (JMSContext own = client("ann", JMSContext.AUTO_ACKNOWLEDGE);
                JMSContext bob = client("bob", JMSContext.SESSION_TRANSACTED)) {
            Queue replies = own.createTemporaryQueue();
            bob.createProducer().send(bob.createQueue("in.a.transaction"), "text"); // by the anonymous relay
            bob.commit();
            assertThat(only("in.a.transaction").path("publishedBy").asString()).isEqualTo(BOB);
            bob.createProducer().send(replies, "text");
            bob.commit();
            JsonNode reader =
                    ann().get("/subscriptions?volatile=true").path("items").get(0);
            String list = "/addresses/" + reader.path("address").asString() + "/messages";
            String query = "?subscription=" + reader.path("id").asString();
            assertThat(ann().get(list + query).path("items").findValuesAsString("publishedBy"))
                    .containsExactly(BOB);
        }
    }
}
