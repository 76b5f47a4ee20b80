package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that live in different shards of one node, through one connection of Qpid JMS. */
@Timeout(60)
class HomesScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int SHARDS = 3;
    private static final TestSettings SETTINGS = TestSettings.of("ringtable.shards", SHARDS);

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Connection connection;
    private Session session;

    @BeforeEach
    void start() throws Exception {
        start(SETTINGS);
    }

    private void start(TestSettings settings) throws JMSException {
        broker = TestBroker.start(directory, settings);
        open("");
    }

    private void end() throws JMSException {
        connection.close();
        broker.close();
    }

    private void open(String options) throws JMSException {
        connection = broker.jms(options).createConnection();
        connection.setClientID("homes");
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    @AfterEach
    void stop() throws Exception {
        end();
    }

    private int homeOf(String address) {
        Address found = broker.shard().lookup().find(address);
        return ShardIds.shardOf(found.id());
    }

    /** Publishes one message to each of so many queues that every shard has some. */
    private List<Queue> queues(int count) throws JMSException {
        List<Queue> queues = new ArrayList<>();
        Set<Integer> homes = new HashSet<>();
        for (int i = 0; i < count; i++) {
            Queue queue = session.createQueue("work." + i);
            send(session, queue, "of " + i);
            queues.add(queue);
            homes.add(homeOf("work." + i));
        }
        assertThat(homes).hasSize(SHARDS);
        return queues;
    }

    private static void send(Session session, Queue queue, String text) throws JMSException {
        try (MessageProducer producer = session.createProducer(queue)) {
            producer.send(session.createTextMessage(text));
        }
    }

    private static String text(Message message) throws JMSException {
        return message == null ? null : ((TextMessage) message).getText();
    }

    @Test
    void addressesAreSpreadAndKeepTheirHomesWhenTheNodeStartsAgain() throws Exception {
        queues(6);
        List<Integer> before = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            before.add(homeOf("work." + i));
        }
        end();

        start(SETTINGS);

        for (int i = 0; i < 6; i++) {
            assertThat(homeOf("work." + i)).isEqualTo(before.get(i));
            MessageConsumer consumer = session.createConsumer(session.createQueue("work." + i));
            assertThat(text(consumer.receive(WAIT_MS))).isEqualTo("of " + i);
        }
        assertThat(Collections.frequency(before, 0)).isBetween(1, 2);
    }

    @Test
    void manyAddressesThatAreDeclaredTogetherAreSpreadToo() throws Exception {
        Awaitility.await().until(() -> broker.shard().lookup().size() == SHARDS); // the parts of the dead-letter queue
        end();
        start(SETTINGS.with("ringtable.queues", "q.1,q.2,q.3,q.4,q.5,q.6", "ringtable.topics", "t.1,t.2,t.3"));

        int[] addresses = new int[SHARDS];
        for (String name : List.of("q.1", "q.2", "q.3", "q.4", "q.5", "q.6", "t.1", "t.2", "t.3")) {
            Awaitility.await().until(() -> broker.shard().lookup().find(name) != null);
            addresses[homeOf(name)]++;
        }
        for (int each : addresses) {
            assertThat(each).isBetween(2, 4); // one that is being answered may count twice
        }
    }

    @Test
    void fewerShardsThanAreStoredAreRefusedAndMoreAreNot() throws Exception {
        queues(6);
        end();

        assertThatThrownBy(() -> TestBroker.start(directory, TestSettings.of("ringtable.shards", SHARDS - 1)))
                .hasMessageContaining("RT-1196 ringtable.shards=2, and the store has 3 shards")
                .hasMessageContaining("set ringtable.shards to 3 or more");

        start(TestSettings.of("ringtable.shards", SHARDS + 1));
        send(session, session.createQueue("work.new"), "of the new shard");
        assertThat(homeOf("work.new")).isEqualTo(SHARDS);
        for (int i = 0; i < 6; i++) {
            MessageConsumer consumer = session.createConsumer(session.createQueue("work." + i));
            assertThat(text(consumer.receive(WAIT_MS))).isEqualTo("of " + i);
        }
    }

    @Test
    void aTransactionOverTwoHomesIsRolledBackAndSaysWhy() throws Exception {
        List<Queue> queues = queues(6);
        Queue one = queues.get(0);
        Queue other = queues.stream()
                .filter(queue -> homeOf(name(queue)) != homeOf(name(one)))
                .findFirst()
                .orElseThrow();
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        send(transacted, one, "lost");
        send(transacted, other, "lost");

        assertThatThrownBy(transacted::commit)
                .hasMessageContaining("RT-4480")
                .hasMessageContaining("'" + name(one) + "' lives in shard")
                .hasMessageContaining("'" + name(other) + "'");

        for (Queue queue : List.of(one, other)) {
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(text(consumer.receive(WAIT_MS))).startsWith("of ");
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    @Test
    void aTransactionAnswersRequestsWhereverTheReplyQueueLives() throws Exception {
        List<Queue> queues = queues(6);
        List<TemporaryQueue> replies = new ArrayList<>();
        for (int i = 0; i < SHARDS; i++) {
            replies.add(session.createTemporaryQueue());
        }
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer requests = transacted.createConsumer(queues.get(0));
        assertThat(text(requests.receive(WAIT_MS))).isEqualTo("of 0");
        MessageProducer anywhere = transacted.createProducer(null);
        for (TemporaryQueue reply : replies) {
            anywhere.send(reply, transacted.createTextMessage("answer"));
        }
        transacted.commit();

        for (TemporaryQueue reply : replies) {
            assertThat(text(session.createConsumer(reply).receive(WAIT_MS))).isEqualTo("answer");
        }
    }

    @Test
    void aTransactionTakesInWhatOnlyMemoryHasOfAnotherHome() throws Exception {
        List<Queue> queues = queues(6);
        Topic news = session.createTopic("news");
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer reader = transacted.createConsumer(news);
        session.createProducer(news).send(session.createTextMessage("for readers that are there"));
        assertThat(text(reader.receive(WAIT_MS))).isEqualTo("for readers that are there");
        Queue other = queues.stream()
                .filter(queue -> homeOf(name(queue)) != homeOf("news"))
                .findFirst()
                .orElseThrow();
        send(transacted, other, "follows from it");
        transacted.commit();

        MessageConsumer consumer = session.createConsumer(other);
        assertThat(text(consumer.receive(WAIT_MS))).startsWith("of ");
        assertThat(text(consumer.receive(WAIT_MS))).isEqualTo("follows from it");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000})
    void aConsumerOfDeadLettersGetsThoseOfAllShards(int prefetch) throws Exception {
        List<Queue> queues = queues(6);
        for (Queue queue : queues) {
            Rejections.reject(broker, queue.getQueueName());
        }
        connection.close();
        open("jms.prefetchPolicy.all=" + prefetch);
        Queue letters = session.createQueue("DLQ");
        Awaitility.await().until(() -> browsed(letters).size() == 6); // each moves with a flush of its own
        assertThat(broker.status().shard().addresses())
                .filteredOn(address -> address.name().equals("DLQ"))
                .as("one address, however many parts")
                .singleElement()
                .satisfies(address -> {
                    assertThat(address.messages()).isEqualTo(6);
                    assertThat(address.subscriptions()).hasSize(1);
                });

        Set<String> got = new HashSet<>();
        try (MessageConsumer consumer = session.createConsumer(letters)) {
            for (int i = 0; i < 6; i++) {
                got.add(text(consumer.receive(WAIT_MS)));
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        assertThat(got).containsExactlyInAnyOrder("of 0", "of 1", "of 2", "of 3", "of 4", "of 5");
        assertThat(browsed(letters)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1000})
    void aConsumerGetsTheLettersOfAllShardsFromTheMomentThatItsQueueIsNamedForThem(int prefetch) throws Exception {
        List<Queue> queues = queues(6);
        connection.close();
        open("jms.prefetchPolicy.all=" + prefetch);
        MessageConsumer consumer = session.createConsumer(session.createQueue("letters"));
        Administrator.of(broker, "").make("/policies/work.#", "{'deadLetterQueue': 'letters'}");
        for (Queue queue : queues) {
            Rejections.reject(broker, queue.getQueueName());
        }

        Set<String> got = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            got.add(text(consumer.receive(WAIT_MS)));
        }
        assertThat(got).containsExactlyInAnyOrder("of 0", "of 1", "of 2", "of 3", "of 4", "of 5");
    }

    private List<String> browsed(Queue queue) throws JMSException {
        List<String> texts = new ArrayList<>();
        try (QueueBrowser browser = session.createBrowser(queue)) {
            for (Enumeration<?> all = browser.getEnumeration(); all.hasMoreElements(); ) {
                texts.add(text((Message) all.nextElement()));
            }
        }
        return texts;
    }

    @Test
    void aDurableSubscriptionMovesToATopicOfAnotherHome() throws Exception {
        Topic one = session.createTopic("news.a");
        session.createDurableConsumer(one, "reader").close();
        Topic other = session.createTopic("news.b");
        session.createDurableConsumer(other, "reader").close();
        assertThat(homeOf("news.a")).isNotEqualTo(homeOf("news.b"));

        session.createProducer(one).send(session.createTextMessage("not for it"));
        session.createProducer(other).send(session.createTextMessage("for it"));

        MessageConsumer reader = session.createDurableConsumer(other, "reader");
        assertThat(text(reader.receive(WAIT_MS))).isEqualTo("for it");
        reader.close();
        session.unsubscribe("reader");
        assertThat(broker.shard().lookup().find("homes", "reader")).isNull();
    }

    @Test
    void aGlobalSubscriptionIsItsUsersWhateverTheHomeOfTheTopic() throws Exception {
        end();
        broker = TestBroker.start(
                directory,
                SETTINGS.with(
                                "ringtable.security.rules[0].match", "#",
                                "ringtable.security.rules[0].users", "*",
                                "ringtable.security.rules[0].permissions", "receive,create")
                        .authenticator((name, password) -> true));
        try (JMSContext ann = broker.jms().createContext("ann", "any");
                JMSContext bob = broker.jms().createContext("bob", "any")) {
            ann.createSharedDurableConsumer(ann.createTopic("news.a"), "audit").close();
            Topic other = bob.createTopic("news.b");
            bob.createConsumer(other).close();
            assertThat(homeOf("news.a")).isNotEqualTo(homeOf("news.b"));

            assertThatThrownBy(() -> bob.createSharedDurableConsumer(other, "audit"))
                    .hasMessageContaining("RT-4352 user 'bob'");

            ann.unsubscribe("audit");
            bob.createSharedDurableConsumer(other, "audit").close();
            CatalogLookup lookup = broker.shard().lookup();
            assertThat(lookup.ownerOf(lookup.find("", "audit"))).isEqualTo("bob");
        }
    }

    @Test
    void largeBodiesAreStagedAtTheHomeOfTheirAddress() throws Exception {
        String large = "x".repeat(300_000);
        for (Queue queue : queues(6)) {
            send(session, queue, large);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(text(consumer.receive(WAIT_MS))).startsWith("of ");
            assertThat(text(consumer.receive(WAIT_MS))).isEqualTo(large);
        }
    }

    private static String name(Queue queue) {
        try {
            return queue.getQueueName();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }
}
