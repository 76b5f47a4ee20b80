package io.ringtable.acceptance.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.RawAmqp;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that break the rules, or that stand still, beside one that goes on working. */
class HostileClientTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int MESSAGES = 300;

    @RegisterExtension
    static final Bench BENCH = new Bench();

    private static BrokerProcess broker;

    @BeforeAll
    static void start() {
        UnaryOperator<BrokerSettings> store = Engine.any().on(BENCH);
        broker = BENCH.broker(settings -> store.apply(settings).with("ringtable.amqp.max-message-size", "1MB"))
                .start();
    }

    @AfterEach
    void othersAreServed() throws JMSException {
        Jms.send(broker.amqpUrl(), "others", 10);
        assertThat(Jms.receive(broker.amqpUrl(), "others", 10)).isEqualTo(Jms.bodies(10));
        assertThat(broker.isReady()).as(broker::logTail).isTrue();
    }

    @Test
    void randomBytesEndTheirConnectionOnly() {
        Random random = new Random(1);
        for (int i = 0; i < 20; i++) {
            byte[] bytes = new byte[1 + random.nextInt(2_000)];
            random.nextBytes(bytes);
            try (RawAmqp client = RawAmqp.socket(broker.amqpPort())) {
                client.write(bytes);
                assertThat(client.isEndedWithin(SOON))
                        .as("after %d random bytes", bytes.length)
                        .isTrue();
            }
        }
    }

    @Test
    void aMalformedFrameEndsItsConnectionWithAReason() {
        byte[] undecodable = {2, 0, 0, 0, 0, (byte) 0xc0, (byte) 0xff, 1, 2, 3};
        byte[] frame = ByteBuffer.allocate(4 + undecodable.length)
                .putInt(4 + undecodable.length)
                .put(undecodable)
                .array();
        try (RawAmqp client = RawAmqp.socket(broker.amqpPort()).open("malformed")) {
            client.write(frame);
            Close close = client.expect(Close.class);
            assertThat(close.getError()).isNotNull();
            assertThat(close.getError().getDescription()).contains("RT-4");
            assertThat(client.isEndedWithin(SOON)).isTrue();
        }
    }

    @Test
    void aClientThatNeverReadsLosesNothingAndStopsNobody() throws Exception {
        byte[] body = new byte[50_000];
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection();
                RawAmqp silent = RawAmqp.socket(broker.amqpPort(), 4_096).open("silent")) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("unread"));
            silent.attachReceiver(0, "unread", 1_000_000);
            for (int n = 0; n < MESSAGES; n++) {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(body);
                message.setIntProperty("n", n);
                producer.send(message);
            }
            othersAreServed();
        }
        assertThat(numbers(Jms.receiveMessages(broker.amqpUrl(), "unread", MESSAGES)))
                .hasSize(MESSAGES)
                .doesNotHaveDuplicates();
    }

    @Test
    void aClientThatNeverSettlesKeepsOnlyWhatItHasUntilItIsGone() throws Exception {
        int held = 100;
        Jms.send(broker.amqpUrl(), "unsettled", MESSAGES);
        try (RawAmqp greedy = RawAmqp.socket(broker.amqpPort()).open("greedy")) {
            greedy.attachReceiver(0, "unsettled", held);
            for (int i = 0; i < held; i++) {
                greedy.expect(Transfer.class);
            }
            assertThat(Jms.receive(broker.amqpUrl(), "unsettled", MESSAGES - held))
                    .isEqualTo(Jms.bodies(MESSAGES).subList(held, MESSAGES));
        }
        List<Message> back = Jms.receiveMessages(broker.amqpUrl(), "unsettled", held);
        assertThat(back).hasSize(held);
        for (int n = 0; n < held; n++) {
            assertThat(back.get(n).getBody(String.class)).isEqualTo("message " + n);
            assertThat(back.get(n).getJMSRedelivered()).isTrue();
        }
    }

    @Test
    void anOversizeMessageIsRefusedAndItsConnectionLivesOn() throws Exception {
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("sizes"));
            BytesMessage large = session.createBytesMessage();
            large.writeBytes(new byte[2_000_000]);
            assertThatThrownBy(() -> producer.send(large))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("amqp:link:message-size-exceeded")
                    .hasMessageContaining("amqp.max-message-size");

            MessageProducer another = session.createProducer(session.createQueue("sizes"));
            another.send(session.createTextMessage("message 0"));
        }
        assertThat(Jms.receive(broker.amqpUrl(), "sizes", 1)).isEqualTo(Jms.bodies(1));
    }

    @Test
    void aWrongPasswordIsRefusedAtOnceAndTheRightOneIsNot() throws Exception {
        BrokerProcess guarded = BENCH.broker(settings -> settings.with("ringtable.security.users[0].name", "shop")
                        .with("ringtable.security.users[0].password", "{noop}right"))
                .start();
        assertThatThrownBy(() -> Jms.factory(guarded.amqpUrl()).createConnection("shop", "wrong-pass"))
                .isInstanceOf(JMSSecurityException.class);
        assertThatThrownBy(() -> Jms.factory(guarded.amqpUrl()).createConnection())
                .isInstanceOf(JMSSecurityException.class);
        assertThatThrownBy(() -> RingtableClient.builder()
                        .uri(guarded.amqpUrl())
                        .user("shop", () -> "wrong-pass")
                        .connect())
                .isInstanceOf(RingtableException.class)
                .hasMessageContaining("RT-5003");
        assertThat(guarded.logs()).contains("RT-4038", "shop").doesNotContain("wrong-pass");

        try (Connection connection = Jms.factory(guarded.amqpUrl()).createConnection("shop", "right")) {
            Session session = connection.createSession();
            session.createProducer(session.createQueue("orders")).send(session.createTextMessage("hello"));
        }
    }

    private static List<Integer> numbers(List<Message> messages) throws JMSException {
        List<Integer> numbers = new ArrayList<>();
        for (Message message : messages) {
            numbers.add(message.getIntProperty("n"));
        }
        return numbers;
    }
}
