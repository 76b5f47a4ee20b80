package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Users, rules and roles that administrators set count at once, for open connections too, and after a restart. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(120)
class RuntimeAccessScenarioTest {
    private static final String BCRYPT = "{bcrypt}$2a$04$RC.Y0n7DRBFeGi1Tc0KsNezQq6F5i0ApXLiMrpQwDqG3oD3XKGDrK";

    @TempDir
    private Path directory;

    private final Logger auditLog = (Logger) LoggerFactory.getLogger("ringtable.audit");
    private final ListAppender<ILoggingEvent> audit = new ListAppender<>();
    private TestBroker broker;
    private Administrator root;

    @BeforeEach
    void begin() {
        auditLog.setLevel(Level.INFO);
        auditLog.addAppender(audit);
        audit.start();
        start(configured());
    }

    @AfterEach
    void end() {
        auditLog.detachAppender(audit);
        broker.close();
    }

    private static TestSettings configured() {
        return TestSettings.of()
                .with("ringtable.security.users[0].name", "root", "ringtable.security.users[0].password", "{noop}root");
    }

    private void start(TestSettings settings) {
        broker = TestBroker.start(directory, settings);
        root = Administrator.of(broker, "root");
    }

    private void restart(TestSettings settings) {
        broker.close();
        start(settings);
    }

    private Connection connect(String user, String password) throws JMSException {
        Connection connection =
                new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port()).createConnection(user, password);
        connection.start();
        return connection;
    }

    private void cannotLogIn(String user, String password) {
        assertThatThrownBy(() -> connect(user, password).close()).isInstanceOf(JMSSecurityException.class);
    }

    private static void isSoonRefused(ThrowingCallable use, String code) {
        Awaitility.await().untilAsserted(() -> assertThatThrownBy(use).hasStackTraceContaining(code));
    }

    @Test
    void aUserLogsInAtOnceUnderTheRulesOfNowAndAllStaysOverARestart(CapturedOutput output) throws Exception {
        root.make("/users/ann", "{'password': 'first secret', 'groups': ['sales']}");
        try (Connection ann = connect("ann", "first secret")) {
            Session session = ann.createSession();
            Queue orders = session.createQueue("orders");
            MessageProducer producer = session.createProducer(orders);
            producer.send(session.createTextMessage("before there were rules"));

            root.refused(
                    409, "RT-7634", "PUT", "/rules/r", "{'match': '#', 'groups': ['ops'], 'permissions': ['SEND']}");
            root.refused(409, "RT-7644", "PUT", "/roles/viewer", "{'users': ['ann']}");
            root.change("/roles/administrator", "{'users': ['root']}");
            assertThat(root.get("/roles?filter=ADMIN").get("items").findValuesAsString("role"))
                    .containsExactly("ADMINISTRATOR");
            root.make("/rules/reading", "{'match': 'orders', 'groups': ['sales'], 'permissions': ['receive']}");
            isSoonRefused(
                    () -> producer.send(session.createTextMessage("too late")), "RT-4350 user 'ann' may not send");
            assertThat(session.createConsumer(orders).receive(60_000)).isNotNull();

            root.make("/rules/writing", "{'match': 'orders.#', 'users': ['ann'], 'permissions': ['send']}");
            session.createProducer(orders).send(session.createTextMessage("permitted again"));
            assertThat(root.get("/whoami").get("role").asString()).isEqualTo("ADMINISTRATOR");
        }

        restart(configured());
        try (Connection ann = connect("ann", "first secret")) {
            Session session = ann.createSession();
            session.createProducer(session.createQueue("orders")).send(session.createTextMessage("after a restart"));
            assertThatThrownBy(() -> session.createConsumer(session.createQueue("other")))
                    .hasMessageContaining("RT-4350");
        }
        Administrator.of(broker, "ann").refused(403, "RT-7706", "DELETE", "/users/ann", null);
        root.delete("/rules/writing");
        root.refused(404, "RT-7605", "DELETE", "/rules/writing", null);
        assertThat(root.get("/rules").get("items").findValuesAsString("name")).containsExactly("reading");
        root.refused(409, "RT-7648", "DELETE", "/rules/reading", null);
        assertThat(root.get("/users").toString())
                .contains("\"name\":\"ann\"", "\"groups\":[\"sales\"]", "scram-sha-512", "\"changedBy\":\"root\"")
                .doesNotContain("secret", "}15000");
        assertThat(audit.list.toString()).contains("PUT /users/ann {\"password\":\"***\"");
        assertThat(output + audit.list.toString()).doesNotContain("first secret");
    }

    @Test
    void openConnectionsFollowTheirUser() throws Exception {
        root.make("/users/ann", "{'password': 'one', 'groups': ['sales']}");
        root.change("/roles/administrator", "{'users': ['root']}");
        root.make("/rules/sales", "{'match': '#', 'groups': ['sales'], 'permissions': ['send', 'create', 'receive']}");
        try (Connection ann = connect("ann", "one")) {
            AtomicReference<JMSException> closed = new AtomicReference<>();
            ann.setExceptionListener(failure -> closed.compareAndSet(null, failure));
            Session session = ann.createSession();
            MessageConsumer consumer = session.createConsumer(session.createQueue("orders"));

            root.change("/users/ann", "{'groups': ['buyers']}");
            isSoonRefused(consumer::getMessageSelector, "RT-4350 user 'ann' may not receive");
            root.change("/users/ann", "{'groups': ['sales']}");
            session.createConsumer(session.createQueue("orders"));
            assertThat(closed.get()).isNull();

            root.change("/users/ann", "{'password': 'two'}");
            Awaitility.await().untilAsserted(() -> assertThat(closed.get()).hasStackTraceContaining("RT-7620"));
        }
        cannotLogIn("ann", "one");
        try (Connection ann = connect("ann", "two")) {
            AtomicReference<JMSException> closed = new AtomicReference<>();
            ann.setExceptionListener(failure -> closed.compareAndSet(null, failure));
            root.delete("/users/ann");
            Awaitility.await().untilAsserted(() -> assertThat(closed.get()).hasStackTraceContaining("RT-7620"));
        }
        cannotLogIn("ann", "two");
        connect("root", "root").close();
    }

    @Test
    void theFirstUserClosesTheDoorAndTheLastOneOpensItByForceAlone() throws Exception {
        restart(TestSettings.of());
        Administrator anybody = Administrator.of(broker, "");
        anybody.refused(409, "RT-7633", "PUT", "/rules/r", "{'match': '#', 'users': ['a'], 'permissions': ['SEND']}");
        anybody.refused(409, "RT-7643", "PUT", "/roles/administrator", "{'users': ['ann']}");
        try (Connection nobody = connect("whoever", "whatever")) {
            AtomicReference<JMSException> closed = new AtomicReference<>();
            nobody.setExceptionListener(failure -> closed.compareAndSet(null, failure));
            anybody.make("/users/ann", "{'password': 'secret'}");
            Awaitility.await().untilAsserted(() -> assertThat(closed.get()).hasStackTraceContaining("RT-7620"));
        }
        cannotLogIn("whoever", "whatever");
        connect("ann", "secret").close();

        restart(TestSettings.of());
        cannotLogIn("whoever", "whatever");
        connect("ann", "secret").close();
        Administrator ann = Administrator.of(broker, "ann");
        ann.change("/roles/administrator", "{'users': ['ann']}");
        ann.refused(409, "RT-7639", "DELETE", "/users/ann?force=true", null);
        ann.refused(409, "RT-7644", "PUT", "/roles/administrator", "{}");
        ann.make("/users/bob", "{'passwordHash': '{external}'}");
        ann.delete("/users/bob");
        restart(TestSettings.of());
        connect("ann", "secret").close();
    }

    @Test
    void theLastUserGoesByForce() throws Exception {
        restart(TestSettings.of());
        Administrator.of(broker, "").make("/users/ann", "{'password': 'secret'}");
        Administrator ann = Administrator.of(broker, "ann");
        assertThat(ann.refused(409, "RT-7628", "DELETE", "/users/ann", null)).contains("force=true");
        ann.delete("/users/ann?force=true");
        connect("whoever", "whatever").close();
    }

    @Test
    void theNewHashSuitsTheOthers() throws Exception {
        restart(TestSettings.of()
                .with("ringtable.security.users[0].name", "root", "ringtable.security.users[0].password", BCRYPT));
        assertThat(root.make("/users/ann", "{'password': 'secret'}")
                        .get("passwordKind")
                        .asString())
                .isEqualTo("bcrypt");
        connect("ann", "secret").close();
        root.change("/users/ann", "{'password': 'changed'}");
        cannotLogIn("ann", "secret"); // though the broker remembered it as right
        connect("ann", "changed").close();
        restart(TestSettings.of());
        assertThat(Administrator.of(broker, "ann")
                        .change("/users/ann", "{'password': 'other'}")
                        .get("passwordKind")
                        .asString())
                .as("nobody else is there")
                .isEqualTo("scram-sha-256");
        connect("ann", "other").close();
    }

    @Test
    void whatCannotBeIsRefusedWithWhatIsWrong(CapturedOutput output) {
        assertThat(root.refused(409, "RT-7627", "PUT", "/users/root", "{'password': 'mine'}"))
                .contains("ringtable.security.users");
        root.refused(409, "RT-7627", "DELETE", "/users/root", null);
        root.refused(404, "RT-7605", "DELETE", "/users/nobody", null);
        root.refused(400, "RT-7621", "PUT", "/users/%20", "{'password': 'x'}");
        root.refused(400, "RT-7622", "PUT", "/users/ann", "{'password': 'x', 'groups': ['']}");
        root.refused(400, "RT-7623", "PUT", "/users/ann", "{'passwordHash': '{bcrypt}short'}");
        root.refused(400, "RT-7637", "PUT", "/users/ann", "{'passwordHash': '{noop}plain text'}");
        root.refused(400, "RT-7638", "PUT", "/users/ann", "{'groups': ['sales']}");
        root.refused(400, "RT-7626", "PUT", "/users/ann", "{'password': ''}");
        root.refused(400, "RT-7705", "PUT", "/users/ann", "{'pass': 'x'}");
        root.refused(400, "RT-7630", "PUT", "/rules/r", "{'match': 'a*', 'users': ['*'], 'permissions': ['SEND']}");
        root.refused(400, "RT-7630", "PUT", "/rules/r", "{'users': ['*'], 'permissions': ['SEND']}");
        root.refused(400, "RT-7631", "PUT", "/rules/r", "{'match': 'a', 'permissions': ['SEND']}");
        root.refused(400, "RT-7632", "PUT", "/rules/r", "{'match': 'a', 'users': ['*']}");
        root.refused(404, "RT-7641", "PUT", "/roles/king", "{'users': ['root']}");
        root.refused(400, "RT-7640", "PUT", "/roles/administrator", "{'users': ['root', '']}");
        assertThat(output).doesNotContain("plain text'");
    }

    @Test
    void aDocumentThatCannotBeReadGivesNothingAndTakesNothingAway(CapturedOutput output) throws Exception {
        CatalogMailbox catalog = broker.shard().catalog();
        for (SettingKind kind : SettingKind.values()) {
            catalog.putSetting(new Setting(kind, "later", "{\"of a later version\": 1}", "", Instant.now()))
                    .toCompletableFuture()
                    .join();
        }
        assertThat(output)
                .contains("RT-7606 user 'later'", "RT-7606 rule 'later'", "RT-7645", "RT-7606 policy 'later'");
        try (Connection connection = connect("root", "root")) {
            Session session = connection.createSession();
            assertThatThrownBy(() -> session.createProducer(session.createQueue("orders")))
                    .as("there is a rule, whatever it says")
                    .hasMessageContaining("RT-4350");
        }
        restart(TestSettings.of());
        cannotLogIn("whoever", "whatever"); // there is a user, whoever it is
    }

    @Test
    void aConfiguredUserCountsBeforeAStoredOneOfItsName(CapturedOutput output) throws Exception {
        root.make("/users/ann", "{'password': 'stored'}");
        restart(configured()
                .with("ringtable.security.users[1].name", "ann", "ringtable.security.users[1].password", "{noop}file"));
        assertThat(output).contains("RT-7624 stored user 'ann' does not count");
        cannotLogIn("ann", "stored");
        connect("ann", "file").close();
        assertThat(root.get("/users").get("items").findValuesAsString("source"))
                .containsExactly("CONFIGURATION", "CONFIGURATION");
    }
}
