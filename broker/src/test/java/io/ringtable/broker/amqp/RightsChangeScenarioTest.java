package io.ringtable.broker.amqp;

import static io.ringtable.broker.access.Permission.CREATE;
import static io.ringtable.broker.access.Permission.RECEIVE;
import static io.ringtable.broker.access.Permission.SEND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.AccessRule;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.access.Permission;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.message.AddressPattern;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Other rules count at once, for links that are open as well; what a user owns stays its own. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(120)
class RightsChangeScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final AccessRules NONE_THAT_HELPS = rules(rule("nothing", "ann", SEND));

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Connection ann;
    private Session session;
    private Queue queue;

    @BeforeEach
    void begin() throws Exception {
        broker = TestBroker.start(directory, settings());
        ann = connect("ann");
        session = ann.createSession();
        queue = session.createQueue("orders");
    }

    @AfterEach
    void end() throws Exception {
        ann.close();
        broker.close();
    }

    private static TestSettings settings() {
        return TestSettings.of()
                .with("ringtable.security.users[0].name", "ann", "ringtable.security.users[0].password", "{noop}ann")
                .with("ringtable.security.users[1].name", "bob", "ringtable.security.users[1].password", "{noop}bob");
    }

    private Connection connect(String user) throws JMSException {
        JmsConnectionFactory factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port());
        Connection connection = factory.createConnection(user, user);
        connection.start();
        return connection;
    }

    private static AccessRule rule(String match, String user, Permission... permissions) {
        return new AccessRule(new AddressPattern(match), Set.of(user), Set.of(), Set.of(permissions));
    }

    private static AccessRules rules(AccessRule... rules) {
        return new AccessRules(List.of(rules));
    }

    private static void isSoonRefused(ThrowingCallable use, String code) {
        Awaitility.await().untilAsserted(() -> assertThatThrownBy(use).hasStackTraceContaining(code));
    }

    @Test
    void linksThatAreNoLongerPermittedAreDetachedAndOthersStay(CapturedOutput output) throws Exception {
        MessageProducer producer = session.createProducer(queue);
        MessageProducer anyone = session.createProducer(null);
        MessageConsumer consumer = session.createConsumer(queue);
        producer.send(session.createTextMessage("before there were rules"));

        broker.accessRules(rules(rule("orders", "ann", RECEIVE)));
        isSoonRefused(() -> producer.send(session.createTextMessage("too late")), "RT-4350 user 'ann' may not send");
        assertThat(output).contains("permission refused: RT-4350 user 'ann' may not send to 'orders'");
        assertThatThrownBy(() -> anyone.send(queue, session.createTextMessage("too late")))
                .hasMessageContaining("RT-4350");
        assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("before there were rules");

        broker.accessRules(NONE_THAT_HELPS);
        isSoonRefused(consumer::getMessageSelector, "RT-4350 user 'ann' may not receive");

        broker.accessRules(AccessRules.NONE);
        session.createProducer(queue).send(session.createTextMessage("without rules"));
        anyone.send(queue, session.createTextMessage("without rules"));
    }

    @Test
    void aReaderOfDeadLettersAttachesAnewWhenItSeesOthers() throws Exception {
        broker.accessRules(rules(rule("orders", "ann", RECEIVE)));
        MessageConsumer partly = session.createConsumer(session.createQueue("DLQ"));

        broker.accessRules(rules(rule("orders", "ann", RECEIVE), rule("prices", "bob", RECEIVE)));
        partly.receiveNoWait(); // the rights of another user are no reason
        broker.accessRules(rules(rule("prices", "ann", RECEIVE)));
        isSoonRefused(partly::getMessageSelector, "RT-4351 the rights of user 'ann' have changed");

        MessageConsumer all = session.createConsumer(session.createQueue("DLQ"));
        broker.accessRules(rules(rule("DLQ", "bob", RECEIVE), rule("prices", "ann", RECEIVE)));
        isSoonRefused(all::getMessageSelector, "RT-4350 user 'ann' may not receive from 'DLQ'");
    }

    @Test
    void aGlobalSubscriptionBelongsToTheUserWhoMadeItBeforeThereWereRulesAlsoAfterARestart() throws Exception {
        Topic topic = session.createTopic("prices");
        session.createSharedDurableConsumer(topic, "audit").close();
        try (Connection bob = connect("bob")) {
            bob.createSession().createSharedDurableConsumer(topic, "audit").close(); // without rules all share
        }
        ann.close();
        broker.close();

        broker = TestBroker.start(directory, settings());
        broker.accessRules(rules(rule("#", "ann", RECEIVE, CREATE), rule("#", "bob", RECEIVE, CREATE)));
        ann = connect("ann");
        try (Connection bob = connect("bob")) {
            Session ofBob = bob.createSession();
            assertThatThrownBy(() -> ofBob.createSharedDurableConsumer(topic, "audit"))
                    .hasMessageContaining("RT-4352 user 'bob' may not use durable subscription 'audit'");
            assertThatThrownBy(() -> ofBob.unsubscribe("audit")).hasMessageContaining("RT-4352");

            ann.createSession().unsubscribe("audit");
            ofBob.createSharedDurableConsumer(topic, "audit").close();
            assertThatThrownBy(() -> ann.createSession().createSharedDurableConsumer(topic, "audit"))
                    .hasMessageContaining("RT-4352 user 'ann'");
        }
    }

    @Test
    void aGlobalSubscriptionThatWentWithItsTopicIsNobodys() throws Exception {
        Topic topic = session.createTopic("prices");
        session.createSharedDurableConsumer(topic, "audit").close();
        broker.accessRules(rules(rule("#", "bob", RECEIVE, CREATE)));
        broker.shard()
                .catalog()
                .deleteStored(broker.shard().lookup().find("prices"), true)
                .toCompletableFuture()
                .join();

        try (Connection bob = connect("bob")) {
            bob.createSession().createSharedDurableConsumer(topic, "audit").close();
        }
        assertThat(broker.shard().lookup().ownerOf("|global|audit")).isEqualTo("bob");
    }

    @Test
    void aBrokerWithoutLoginsTakesNoRules() {
        try (TestBroker open = TestBroker.start(directory.resolve("open"))) {
            assertThatThrownBy(() -> open.accessRules(NONE_THAT_HELPS))
                    .isInstanceOf(ConfigurationRefused.class)
                    .hasMessageStartingWith("RT-1080");
        }
    }
}
