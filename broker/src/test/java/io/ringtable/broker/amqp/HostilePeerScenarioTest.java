package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers that break the rules harm themselves only. */
@org.junit.jupiter.api.Timeout(120)
class HostilePeerScenarioTest {
    private static final byte[] AMQP = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    private static final int SECONDS = 60;

    @TempDir
    private Path directory;

    private TestBroker broker;

    @AfterEach
    void theBrokerStillServesOthers() {
        if (broker != null) {
            // Again where a test has made a time-out so short that other load lets it end an honest connection too.
            Awaitility.await()
                    .ignoreExceptionsInstanceOf(JMSRuntimeException.class)
                    .until(this::serves);
            broker.close();
        }
    }

    private boolean serves() {
        try (JMSContext context = broker.jms().createContext()) {
            Queue queue = context.createQueue("after-all");
            context.createProducer().send(queue, "alive");
            return "alive".equals(context.createConsumer(queue).receiveBody(String.class, 60_000));
        }
    }

    private Socket socket() throws IOException {
        Socket socket = new Socket("127.0.0.1", broker.port());
        socket.setSoTimeout(SECONDS * 1_000);
        return socket;
    }

    /** Everything until the broker closes. */
    private static byte[] answer(Socket socket) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream input = socket.getInputStream()) {
            input.transferTo(bytes);
        } catch (IOException e) {
            // A reset is a close as well.
            assertThat(e).hasMessageContaining("reset");
        }
        return bytes.toByteArray();
    }

    private static byte[] frame(int... body) {
        ByteBuffer bytes = ByteBuffer.allocate(8 + body.length);
        bytes.putInt(8 + body.length).put((byte) 2).put((byte) 0).putShort((short) 0);
        for (int b : body) {
            bytes.put((byte) b);
        }
        return bytes.array();
    }

    /** An open with container id 'x'. */
    private static byte[] open() {
        return frame(0, 0x53, 0x10, 0xc0, 4, 1, 0xa1, 1, 'x');
    }

    @Test
    void randomBytesCloseTheConnectionWithTheHeaderThatWouldDo() throws Exception {
        broker = TestBroker.start(directory);
        Random random = new Random(7);
        for (int i = 0; i < 50; i++) {
            byte[] noise = new byte[1 + random.nextInt(2_000)];
            random.nextBytes(noise);
            try (Socket socket = socket()) {
                socket.getOutputStream().write(noise);
                byte[] answer = answer(socket);
                assertThat(answer.length).isIn(0, AMQP.length);
            }
        }
        try (Socket socket = socket()) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(answer(socket)).isEqualTo(AMQP);
        }
        assertThat(broker.counters().protocolErrors.sum()).isEqualTo(51);
    }

    @Test
    void aConnectionThatIsNotOpenedProperlyIsOpenedToBeClosedWithTheReason() throws Exception {
        broker = TestBroker.start(directory);
        byte[] withoutContainerId = frame(0, 0x53, 0x10, 0x45);
        byte[] onAnotherChannel = open();
        onAnotherChannel[7] = 1;
        byte[] garbage = frame(0, 0x53, 0x10, 0xc0, 200, 1);
        for (byte[] first : new byte[][] {withoutContainerId, onAnotherChannel, garbage}) {
            try (Socket socket = socket()) {
                socket.getOutputStream().write(AMQP);
                socket.getOutputStream().write(first);
                byte[] answer = answer(socket);
                assertThat(answer).startsWith(AMQP);
                assertThat(new String(answer, StandardCharsets.ISO_8859_1))
                        .contains("\0\u0053\u0010", "\0\u0053\u0018", "RT-4030")
                        .containsAnyOf("amqp:decode-error", "amqp:connection:framing-error");
            }
        }
    }

    @Test
    void randomFramesAfterTheHeaderCloseTheConnection() throws Exception {
        broker = TestBroker.start(directory);
        Random random = new Random(11);
        for (int i = 0; i < 50; i++) {
            byte[] noise = new byte[8 + random.nextInt(500)];
            random.nextBytes(noise);
            noise[0] = 0; // a plausible size
            noise[1] = 0;
            noise[2] = 0;
            noise[3] = (byte) noise.length;
            try (Socket socket = socket()) {
                socket.getOutputStream().write(AMQP);
                socket.getOutputStream().write(open());
                socket.getOutputStream().write(noise);
                // A connection that waits for its turn to begin is gone when its client closes meanwhile.
                assertThat(socket.getInputStream().readNBytes(AMQP.length)).isEqualTo(AMQP);
                socket.shutdownOutput();
                answer(socket);
            }
        }
        Awaitility.await().until(() -> broker.counters().connections.sum() == 0);
    }

    @Test
    void aFrameLargerThanAnnouncedIsAFramingError() throws Exception {
        broker = TestBroker.start(directory);
        try (Socket socket = socket()) {
            socket.getOutputStream().write(AMQP);
            socket.getOutputStream().write(open());
            socket.getOutputStream().write(new byte[] {0x7f, 0, 0, 0, 2, 0, 0, 0});
            assertThat(new String(answer(socket), StandardCharsets.ISO_8859_1))
                    .contains("amqp:connection:framing-error")
                    .contains("RT-4030");
        }
    }

    @Test
    void aBodyThatCannotBeDecodedIsADecodeError() throws Exception {
        broker = TestBroker.start(directory);
        try (Socket socket = socket()) {
            socket.getOutputStream().write(AMQP);
            socket.getOutputStream().write(open());
            socket.getOutputStream().write(frame(0, 0x53, 0x11, 0xc0, 200, 4, 1, 2, 3));
            String answer = new String(answer(socket), StandardCharsets.ISO_8859_1);
            assertThat(answer).containsAnyOf("amqp:decode-error", "amqp:connection:framing-error");
        }
    }

    @Test
    void framesOnChannelsAndHandlesThatDoNotExistCloseTheConnection() throws Exception {
        broker = TestBroker.start(directory);
        try (Socket socket = socket()) {
            socket.getOutputStream().write(AMQP);
            socket.getOutputStream().write(open());
            socket.getOutputStream().write(frame(0, 0x53, 0x14, 0xc0, 2, 1, 0x43)); // transfer without a session
            assertThat(new String(answer(socket), StandardCharsets.ISO_8859_1))
                    .contains("amqp:connection:framing-error");
        }
    }

    @Test
    void whoDoesNotOpenInTimeIsClosed() throws Exception {
        broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.handshake-timeout", "300ms"));
        try (Socket silent = socket();
                Socket half = socket()) {
            half.getOutputStream().write(AMQP, 0, 5);
            assertThat(answer(silent)).isEmpty();
            assertThat(answer(half)).isEmpty();
        }
    }

    @Test
    void whoFallsSilentIsClosed() throws Exception {
        broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.idle-timeout", "300ms"));
        try (Socket socket = socket()) {
            socket.getOutputStream().write(AMQP);
            socket.getOutputStream().write(open());
            assertThat(new String(answer(socket), StandardCharsets.ISO_8859_1)).contains("local-idle-timeout expired");
        }
    }

    @Test
    void withUsersNobodyPassesWithoutSasl() throws Exception {
        broker = TestBroker.start(directory, TestSettings.of().authenticator((name, password) -> name.equals("app")));
        try (Socket socket = socket()) {
            socket.getOutputStream().write(AMQP);
            assertThat(answer(socket)).isEqualTo(new byte[] {'A', 'M', 'Q', 'P', 3, 1, 0, 0});
        }
        try (Connection connection = broker.jms().createConnection("app", "any")) {
            connection.start();
        }
        broker.close();
        broker = null;
    }

    @Test
    void aClientThatNeverReadsIsClosedAndItsMessagesAreNotLost() throws Exception {
        broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.outbound-stall-timeout", "1s"));
        int count = 60;
        byte[] body = new byte[500_000];
        try (Connection connection = broker.jms().createConnection()) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue("unread"));
            for (int i = 0; i < count; i++) {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(body);
                producer.send(message);
            }
        }
        try (Socket deaf = socket()) {
            deaf.getOutputStream().write(AMQP);
            deaf.getOutputStream().write(open());
            // begin, attach as receiver of 'unread', flow with credit for all
            deaf.getOutputStream()
                    .write(frame(0, 0x53, 0x11, 0xc0, 10, 4, 0x40, 0x43, 0x70, 0x7f, 0xff, 0xff, 0xff, 0x52, 100));
            deaf.getOutputStream()
                    .write(frame(
                            0, 0x53, 0x12, 0xc0, 26, 7, 0xa1, 1, 'l', 0x43, 0x41, 0x40, 0x40, 0, 0x53, 0x28, 0xc0, 9, 1,
                            0xa1, 6, 'u', 'n', 'r', 'e', 'a', 'd', 0, 0x53, 0x29, 0x45));
            deaf.getOutputStream()
                    .write(frame(
                            0, 0x53, 0x13, 0xc0, 17, 7, 0x43, 0x70, 0x7f, 0xff, 0xff, 0xff, 0x43, 0x52, 100, 0x43, 0x43,
                            0x70, 0x7f, 0xff, 0xff, 0xff));
            Awaitility.await().until(() -> broker.counters().stalledConnections.sum() == 1);
            assertThat(broker.counters().bytesOut.sum()).isLessThan((long) count * body.length);
        }
        try (Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            var consumer = session.createConsumer(session.createQueue("unread"));
            for (int i = 0; i < count; i++) {
                assertThat(consumer.receive(60_000)).as("message %d", i).isNotNull();
            }
        }
    }

    @Test
    void aLostConnectionGivesItsDeliveriesBackFlagged() throws Exception {
        broker = TestBroker.start(directory);
        try (JMSContext context = broker.jms().createContext()) {
            context.createProducer().send(context.createQueue("dropped"), "x");
        }
        ProtonTestClient peer = new ProtonTestClient();
        peer.queueClientSaslAnonymousConnect();
        peer.remoteOpen().withContainerId("dropper").queue();
        peer.expectOpen();
        peer.remoteBegin().queue();
        peer.expectBegin();
        peer.remoteAttach()
                .ofReceiver()
                .withName("r")
                .withHandle(0)
                .withSource()
                .withAddress("dropped")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .queue();
        peer.expectAttach();
        peer.remoteFlow()
                .withHandle(0)
                .withLinkCredit(10)
                .withIncomingWindow(100)
                .withNextIncomingId(0)
                .withNextOutgoingId(0)
                .withOutgoingWindow(100)
                .queue();
        peer.expectTransfer();
        peer.connect("127.0.0.1", broker.port());
        peer.waitForScriptToComplete(SECONDS, TimeUnit.SECONDS);
        peer.close();
        try (JMSContext context = broker.jms().createContext()) {
            var message = context.createConsumer(context.createQueue("dropped")).receive(60_000);
            assertThat(message.getJMSRedelivered()).isTrue();
        }
    }

    @Test
    void aPortInUseIsNamedWithTheCure() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))) {
            int port = taken.getLocalPort();
            assertThatThrownBy(() -> TestBroker.start(directory, TestSettings.of("ringtable.amqp.port", port)))
                    .hasMessageContaining("RT-4001 port " + port + " is in use")
                    .hasMessageContaining("choose another ringtable.amqp.port");
        }
    }
}
