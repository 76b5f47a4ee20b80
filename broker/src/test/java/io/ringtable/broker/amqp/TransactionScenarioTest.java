package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.CoreMatchers.containsString;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.wire.Encoded;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The bounds of local transactions, and what a client does that breaks their rules. */
@Timeout(120)
class TransactionScenarioTest {
    private static final long WAIT_MS = 60_000;

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Connection connection;

    private Session transacted(TestSettings settings) throws Exception {
        broker = TestBroker.start(directory, settings);
        connection = broker.jms("jms.prefetchPolicy.all=0").createConnection(); // what goes back is free for others
        connection.start();
        return connection.createSession(true, Session.SESSION_TRANSACTED);
    }

    @AfterEach
    void stop() throws Exception {
        if (connection != null) {
            connection.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    private static void send(Session session, Queue queue, int count) throws JMSException {
        try (MessageProducer producer = session.createProducer(queue)) {
            for (int i = 0; i < count; i++) {
                producer.send(session.createTextMessage(Integer.toString(i)));
            }
        }
    }

    /** Commits one message: again where the transaction has rested too long in between, beside other load. */
    private static void commitOne(Session session, Queue queue) throws JMSException {
        send(session, queue, 1);
        try {
            session.commit();
        } catch (JMSException rested) {
            assertThat(rested).hasMessageContaining("RT-4074");
            commitOne(session, queue);
        }
    }

    private Message receiveElsewhere(Queue queue) throws JMSException {
        try (Connection other = broker.jms().createConnection()) {
            other.start();
            return other.createSession(false, Session.AUTO_ACKNOWLEDGE)
                    .createConsumer(queue)
                    .receive(WAIT_MS);
        }
    }

    @Test
    void oneThatRestsIsRolledBackAndWhatItHeldIsOthers() throws Exception {
        Session session = transacted(TestSettings.of("ringtable.amqp.transaction-idle-timeout", "300ms"));
        Queue queue = session.createQueue("resting");
        commitOne(session, queue);
        assertThat(session.createConsumer(queue).receive(WAIT_MS)).isNotNull();
        Queue result = session.createQueue("result");
        send(session, result, 1);

        Message again = receiveElsewhere(queue);
        assertThat(again.getBody(String.class)).isEqualTo("0");
        assertThat(again.getJMSRedelivered()).isTrue();
        assertThatThrownBy(session::commit).isInstanceOf(JMSException.class).hasMessageContaining("RT-4074");

        commitOne(session, result);
        assertThat(receiveElsewhere(result)).isNotNull();
    }

    @Test
    void anEmptyOneMayRest() throws Exception {
        Session session = transacted(TestSettings.of("ringtable.amqp.transaction-idle-timeout", "50ms"));
        Queue queue = session.createQueue("patient");
        commitOne(session, queue);
        Session holding = connection.createSession(true, Session.SESSION_TRANSACTED);
        assertThat(holding.createConsumer(queue).receive(WAIT_MS)).isNotNull();
        assertThat(receiveElsewhere(queue))
                .as("what one held that rested as long")
                .isNotNull();
        session.commit(); // it holds nothing, so that other load delays nothing in it
        commitOne(session, queue);
    }

    @Test
    void oneThatHoldsTooManyBytesIsRolledBack() throws Exception {
        Session session = transacted(TestSettings.of("ringtable.amqp.transaction-bytes-max", 10_000));
        Queue queue = session.createQueue("heavy");
        session.createProducer(queue).send(session.createTextMessage("x".repeat(20_000)));
        assertThatThrownBy(session::commit)
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("RT-4072")
                .hasMessageContaining("10000");
        session.createProducer(queue).send(session.createTextMessage("small"));
        session.commit();
        assertThat(receiveElsewhere(queue).getBody(String.class)).isEqualTo("small");
    }

    @Test
    void oneThatIsLargerThanAFlushIsRolledBackAndNothingOfItIsThere() throws Exception {
        Session session = transacted(TestSettings.of());
        Queue queue = session.createQueue("many");
        send(session, queue, 5_000);
        assertThatThrownBy(session::commit)
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("RT-2015")
                .hasMessageContaining("5000");
        send(session, queue, 1);
        session.commit();
        assertThat(receiveElsewhere(queue).getBody(String.class)).isEqualTo("0");
        assertThat(receivedNothing(queue)).isTrue();
    }

    private boolean receivedNothing(Queue queue) throws JMSException {
        try (Connection other = broker.jms().createConnection()) {
            other.start();
            return other.createSession(false, Session.AUTO_ACKNOWLEDGE)
                            .createConsumer(queue)
                            .receiveNoWait()
                    == null;
        }
    }

    @Test
    void tooManyOpenOnesAreRefused() throws Exception {
        transacted(TestSettings.of("ringtable.amqp.transactions-max", 2));
        connection.createSession(true, Session.SESSION_TRANSACTED);
        assertThatThrownBy(() -> connection.createSession(true, Session.SESSION_TRANSACTED))
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("RT-4076");
    }

    @Test
    void placesInTheQuotaComeBackWithARollBack() throws Exception {
        Session session = transacted(TestSettings.of());
        Queue queue = session.createQueue("places");
        send(session, queue, 100);
        session.rollback();
        Address address = broker.shard().lookup().find("places");
        Awaitility.await()
                .untilAsserted(() -> assertThat(address.quota().messages()).isZero());
        assertThat(address.quota().bytes()).isZero();
    }

    @Test
    void aTransferInAnUnknownTransactionEndsItsLink() throws Exception {
        broker = TestBroker.start(directory);
        ProtonTestClient peer = peer();
        peer.expectAttach().ofReceiver();
        peer.expectFlow();
        peer.remoteAttach()
                .ofSender()
                .withName("lost")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .and()
                .withTarget()
                .withAddress("q")
                .and()
                .now();
        peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
        peer.expectDetach().withError(TransactionErrors.UNKNOWN_ID.toString());
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(0)
                .withDeliveryTag(new byte[] {1})
                .withState()
                .transactional()
                .withTxnId(new byte[] {0, 0, 0, 0, 0, 0, 0, 9})
                .and()
                .withBody()
                .withString("lost")
                .and()
                .now();
        peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
        peer.close();
        assertThat(broker.shard().lookup().find("q").quota().bytes()).isZero();
    }

    /** The discharge waits for a message whose address is full; what comes behind it would be in no flush. */
    @Test
    void nothingTakesPartAfterTheDischargeIsAskedFor() throws Exception {
        Session session = transacted(Quotas.messages(1));
        Queue full = session.createQueue("full");
        send(session, full, 1);
        session.commit();
        ProtonTestClient peer = peer();
        peer.expectAttach().ofReceiver();
        peer.expectFlow();
        attachCoordinator(peer);
        peer.expectAttach().ofReceiver();
        peer.expectFlow();
        peer.remoteAttach()
                .ofSender()
                .withName("anonymous")
                .withHandle(1)
                .withInitialDeliveryCount(0)
                .withSource()
                .and()
                .withTarget()
                .and()
                .now();
        peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
        byte[] id = {0, 0, 0, 0, 0, 0, 0, 1}; // the first of its connection
        peer.expectDisposition().withState().declared(id);
        byte[] declare = {0x00, 0x53, 0x77, 0x00, 0x53, 0x31, 0x45}; // amqp-value, declare, an empty list
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(0)
                .withDeliveryTag(new byte[] {1})
                .withPayload(declare)
                .now();
        peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
        peer.expectDisposition()
                .withState()
                .rejected(TransactionErrors.TRANSACTION_ROLLBACK.toString(), containsString("RT-4078"));
        peer.expectDetach().withError(TransactionErrors.UNKNOWN_ID.toString());
        transfer(peer, 1, id, "full");
        byte[] discharge = ByteBuffer.allocate(20)
                .put(new byte[] {0x00, 0x53, 0x77}) // amqp-value
                .put(new byte[] {0x00, 0x53, 0x32, (byte) 0xc0, 12, 2}) // discharge, a list of two
                .put(new byte[] {(byte) 0xa0, 8})
                .put(id)
                .put((byte) 0x42) // fail=false
                .array();
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(2)
                .withDeliveryTag(new byte[] {3})
                .withPayload(discharge)
                .now();
        transfer(peer, 3, id, "elsewhere");
        peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
        peer.close();
    }

    private static void attachCoordinator(ProtonTestClient peer) {
        peer.remoteAttach()
                .ofSender()
                .withName("coordinator")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .and()
                .withCoordinator()
                .and()
                .now();
    }

    private static void transfer(ProtonTestClient peer, int deliveryId, byte[] transaction, String to) {
        peer.remoteTransfer()
                .withHandle(1)
                .withDeliveryId(deliveryId)
                .withDeliveryTag(new byte[] {(byte) deliveryId})
                .withState()
                .transactional()
                .withTxnId(transaction)
                .and()
                .withPayload(Encoded.message(new Properties().setTo(to), new AmqpValue<>("late")))
                .now();
    }

    private ProtonTestClient peer() throws Exception {
        return FramePeer.open(broker, "peer");
    }

    @Test
    void aDistributedTransactionIsRefusedByName() throws Exception {
        broker = TestBroker.start(directory);
        ProtonTestClient peer = peer();
        peer.expectAttach().ofReceiver();
        peer.expectFlow();
        attachCoordinator(peer);
        peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
        peer.expectDisposition().withState().rejected("amqp:not-implemented", containsString("RT-4077"));
        byte[] declareWithGlobalId = {
            0x00,
            0x53,
            0x77, // amqp-value
            0x00,
            0x53,
            0x31,
            (byte) 0xc0,
            8,
            1, // declare, a list of one
            0x00,
            (byte) 0xa3,
            1,
            'x',
            (byte) 0xa0,
            1,
            7 // described by the symbol x: binary
        };
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(0)
                .withDeliveryTag(new byte[] {1})
                .withPayload(declareWithGlobalId)
                .now();
        peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
        peer.close();
    }
}
