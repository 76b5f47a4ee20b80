package io.ringtable.broker.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.wire.Encoded;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.awaitility.Awaitility;
import org.hamcrest.CoreMatchers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client that takes more than its part harms itself only: what it does is written as raw frames. */
@Timeout(180)
class GreedScenarioTest {
    private static final int MIB = 1024 * 1024;

    private static final byte[] BODY = random(100_000);
    private static final byte[] LARGE = Encoded.message(new Data(BODY));
    private static final byte[] BEGIN = Arrays.copyOf(LARGE, 64_000);
    private static final byte[] END = Arrays.copyOfRange(LARGE, BEGIN.length, LARGE.length);

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    /** More deliveries than one turn goes through. */
    private static final int COUNT = 5_000;

    @TempDir
    private Path directory;

    private TestBroker broker;

    /** All connections share one event loop. */
    private void start(Object... namesAndValues) {
        broker = TestBroker.start(directory, TestSettings.of(namesAndValues).with("ringtable.amqp.io-threads", 1));
    }

    @AfterEach
    void theBrokerStillServesOthers() {
        if (broker != null) {
            try (JMSContext context = broker.jms().createContext()) {
                Queue queue = context.createQueue("after-all");
                context.createProducer().send(queue, "alive");
                assertThat(context.createConsumer(queue).receiveBody(String.class, 60_000))
                        .isEqualTo("alive");
            }
            Awaitility.await().until(() -> broker.counters().connections.sum() == 0);
            assertThat(broker.counters().links.sum()).as("links counted").isZero();
            assertThat(broker.counters().heldBytes.sum()).as("bytes counted").isZero();
            broker.close();
        }
    }

    // ---- frames

    private Socket connect(String container, int sessions) throws IOException {
        Socket socket = new Socket("127.0.0.1", broker.port());
        socket.setSoTimeout(60_000);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(RawFrames.AMQP);
        out.write(RawFrames.open(container));
        for (int channel = 0; channel < sessions; channel++) {
            out.write(RawFrames.begin(channel));
        }
        socket.getOutputStream().write(out.toByteArray());
        return socket;
    }

    /** Until so many links have been given credit. */
    private static void awaitCredit(Socket socket, int links) throws IOException {
        DataInputStream input = new DataInputStream(socket.getInputStream());
        input.skipNBytes(RawFrames.AMQP.length);
        while (links > 0) {
            byte[] frame = input.readNBytes(input.readInt() - 4);
            if (frame.length > 4 && frame[6] == 0x13) {
                links--;
            }
        }
    }

    /** Everything until the broker closes. */
    private static String answer(Socket socket) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream input = socket.getInputStream()) {
            input.transferTo(bytes);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }

    /** How long the event loops work until another client has the answer to its open, in ms of processor time. */
    private long openMillis() throws IOException {
        long begun = EventLoops.processorNanos();
        try (Socket honest = connect("honest", 0)) {
            assertThat(honest.getInputStream().readNBytes(RawFrames.AMQP.length + 1))
                    .hasSize(RawFrames.AMQP.length + 1);
        }
        return TimeUnit.NANOSECONDS.toMillis(EventLoops.processorNanos() - begun);
    }

    // ---- what greedy clients do

    /** Two links are in the middle of a large message each, which is more than the memory of a connection. */
    @Test
    void aTransferIsReadBehindTheOneBeforeItWhileMemoryIsShort() throws Exception {
        startWithLittleMemory();
        try (Socket client = connectWithLinks("first", "second")) {
            client.getOutputStream()
                    .write(RawFrames.join(
                            RawFrames.transfer(0, 0, 0, BEGIN),
                            RawFrames.transfer(0, 1, 1, BEGIN),
                            RawFrames.lastTransfer(0, 1, 1, END),
                            RawFrames.lastTransfer(0, 0, 0, END),
                            RawFrames.lastTransfer(0, 1, 2, Encoded.text("behind it"))));
            try (JMSContext context = broker.jms().createContext()) {
                JMSConsumer second = context.createConsumer(context.createQueue("second"));
                assertThat(second.receiveBody(byte[].class, 60_000)).isEqualTo(BODY);
                assertThat(second.receiveBody(byte[].class, 60_000))
                        .asString(UTF_8)
                        .isEqualTo("behind it");
                JMSConsumer first = context.createConsumer(context.createQueue("first"));
                assertThat(first.receiveBody(byte[].class, 60_000)).isEqualTo(BODY);
            }
        }
    }

    /** The same, with a commit right behind a message that is not read yet. */
    @Test
    void aCommitWaitsForWhatCameBeforeItWhileMemoryIsShort() throws Exception {
        startWithLittleMemory();
        byte[] id = ByteBuffer.allocate(Long.BYTES).putLong(1).array(); // of the first transaction
        byte[] state = RawFrames.inTransaction(id);
        byte[] declare = Encoded.message(new AmqpValue<>(new Declare()));
        Discharge discharge = new Discharge();
        discharge.setTxnId(new Binary(id));
        discharge.setFail(false);
        try (Socket client = connectWithLinks("first", "second")) {
            client.getOutputStream()
                    .write(RawFrames.join(
                            RawFrames.attachTo(0, 2, RawFrames.described(0x30, RawFrames.bytes(0x45))),
                            RawFrames.lastTransfer(0, 2, 0, declare),
                            RawFrames.transfer(0, 0, 1, BEGIN),
                            RawFrames.transfer(0, 1, 2, 0x41, state, BEGIN),
                            RawFrames.transfer(0, 1, 2, 0x42, state, END),
                            RawFrames.lastTransfer(0, 2, 3, Encoded.message(new AmqpValue<>(discharge))),
                            RawFrames.lastTransfer(0, 0, 1, END)));
            try (JMSContext context = broker.jms().createContext()) {
                JMSConsumer second = context.createConsumer(context.createQueue("second"));
                assertThat(second.receiveBody(byte[].class, 60_000)).isEqualTo(BODY);
            }
        }
        assertThat(broker.counters().transactionsCommitted.sum()).isEqualTo(1);
    }

    private void startWithLittleMemory() {
        start("ringtable.amqp.max-message-size", 120_000, "ringtable.amqp.buffered-bytes-max", 120_000);
    }

    private Socket connectWithLinks(String... queues) throws IOException {
        Socket client = connect("with-links", 1);
        for (int handle = 0; handle < queues.length; handle++) {
            client.getOutputStream().write(RawFrames.attach(0, handle, queues[handle], 0x42));
        }
        awaitCredit(client, queues.length);
        return client;
    }

    @Test
    void theWidestRangesOfDispositionsCostWhatIsUnsettledInThem() throws Exception {
        start();
        openMillis(); // warm
        byte[] widest = RawFrames.settled(0, (1 << 20) - 1);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        while (frames.size() < 42_000) {
            frames.write(widest);
        }
        try (Socket greedy = connect("greedy", 1)) {
            Awaitility.await().until(() -> broker.counters().connectionsOpened.sum() == 2);
            greedy.getOutputStream().write(frames.toByteArray());
            assertThat(openMillis())
                    .as("ms of work that another client waits for")
                    .isLessThan(4_000);
        }
    }

    @Test
    void aRangeSettlesWhatIsUnsettledInItAndNothingElse() throws Exception {
        start();
        try (JMSContext context = broker.jms().createContext()) {
            Queue queue = context.createQueue("ranges");
            SendOutcomes outcomes = new SendOutcomes();
            JMSProducer producer = context.createProducer().setAsync(outcomes);
            for (int i = 0; i < COUNT; i++) {
                producer.send(queue, Integer.toString(i));
            }
            // A transfer that waits for the committer when its link ends has no outcome, and is not stored.
            Awaitility.await().untilAtomic(outcomes.accepted, CoreMatchers.equalTo(COUNT));
        }
        try (Socket client = connect("settler", 1)) {
            client.getOutputStream().write(RawFrames.attach(0, 0, "ranges", 0x41));
            client.getOutputStream().write(RawFrames.flow(COUNT));
            Awaitility.await().until(() -> broker.counters().messagesOut.sum() == COUNT);
            client.getOutputStream().write(RawFrames.settled(10, 19)); // two ranges, then one over both and more
            client.getOutputStream().write(RawFrames.settled(COUNT - 200, COUNT - 191));
            client.getOutputStream().write(RawFrames.settled(0, COUNT - 11));
            Awaitility.await().untilAsserted(() -> assertThat(owed("ranges")).isEqualTo(10));
        }
        try (JMSContext context = broker.jms().createContext()) {
            assertThat(context.createConsumer(context.createQueue("ranges")).receiveBody(String.class, 60_000))
                    .isEqualTo(Integer.toString(COUNT - 10));
        }
    }

    private long owed(String queue) {
        return broker.shard().lookup().find(queue).quota().messages();
    }

    @ParameterizedTest(name = "links-max {0}, {1} attaches")
    @CsvSource({"400, 1500", "10000, 2500"})
    void refusedLinksCountUntilTheirClientDetachesThem(int linksMax, int attaches) throws Exception {
        start("ringtable.amqp.links-max", linksMax);
        try (Socket greedy = connect("greedy", 4)) {
            List<byte[]> frames = new ArrayList<>();
            for (int i = 0; i < attaches; i++) {
                frames.add(RawFrames.attach(i % 4, i / 4, "\u0001", 0x42)); // no name of an address
            }
            try {
                greedy.getOutputStream().write(RawFrames.join(frames.toArray(byte[][]::new)));
                assertThat(answer(greedy))
                        .contains("amqp:resource-limit-exceeded")
                        .contains("RT-4320");
            } catch (IOException e) {
                assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
            }
        }
        Awaitility.await().until(() -> broker.counters().connections.sum() == 0);
        assertThat(broker.counters().protocolErrors.sum()).isEqualTo(1);
    }

    @Test
    void transfersWithoutAnEndAreBounded() throws Exception {
        // A connection may hold 8 MiB, four times what it may have without an outcome.
        start(
                "ringtable.amqp.max-message-size",
                MIB,
                "ringtable.amqp.buffered-bytes-max",
                2 * MIB,
                "ringtable.amqp.transaction-bytes-max",
                1_024);
        int sessions = 20;
        try (Socket greedy = connect("greedy", sessions)) {
            for (int channel = 0; channel < sessions; channel++) {
                greedy.getOutputStream().write(RawFrames.attach(channel, 0, "greedy-" + channel, 0x42));
            }
            awaitCredit(greedy, sessions);
            byte[] most = new byte[60_000];
            try {
                for (int i = 0; i < 16; i++) { // nearly 1 MiB on each
                    for (int channel = 0; channel < sessions; channel++) {
                        greedy.getOutputStream().write(RawFrames.transfer(channel, 0, 0, most));
                    }
                }
                assertThat(answer(greedy))
                        .contains("amqp:resource-limit-exceeded")
                        .contains("RT-4321");
            } catch (IOException e) {
                assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
            }
        }
        Awaitility.await().until(() -> broker.counters().connections.sum() == 0);
    }

    @Test
    void aTransferBeforeItsLinkIsAttachedEndsTheConnection() throws Exception {
        start();
        try (Socket greedy = connect("greedy", 1)) {
            // In one piece: the address is new, so the attach is answered after the transfer has been read.
            greedy.getOutputStream()
                    .write(RawFrames.join(
                            RawFrames.attach(0, 0, "not-yet", 0x42), RawFrames.transfer(0, 0, 0, new byte[20_000])));
            assertThat(answer(greedy))
                    .contains("amqp:link:transfer-limit-exceeded")
                    .contains("RT-4042");
        }
    }

    @Test
    void aCommandOfATransactionIsBounded() throws Exception {
        start();
        try (Socket greedy = connect("greedy", 1)) {
            byte[] coordinator = RawFrames.described(0x30, RawFrames.bytes(0x45));
            greedy.getOutputStream().write(RawFrames.attachTo(0, 0, coordinator));
            awaitCredit(greedy, 1);
            greedy.getOutputStream()
                    .write(RawFrames.join(
                            RawFrames.transfer(0, 0, 0, new byte[60_000]),
                            RawFrames.transfer(0, 0, 0, new byte[60_000])));
            assertThat(answer(greedy))
                    .contains("amqp:link:message-size-exceeded")
                    .contains("RT-4081");
        }
    }

    @Test
    void largeMessagesOfManySessionsAtOnceAllFit() throws Exception {
        start("ringtable.amqp.max-message-size", MIB / 2, "ringtable.amqp.buffered-bytes-max", MIB / 2);
        int sessions = 6;
        AtomicInteger accepted = new AtomicInteger();
        try (Connection connection = broker.jms().createConnection()) {
            List<MessageProducer> producers = new ArrayList<>();
            Session session = null;
            for (int i = 0; i < sessions; i++) {
                session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                producers.add(session.createProducer(session.createQueue("large")));
            }
            for (MessageProducer producer : producers) {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(new byte[400_000]);
                producer.send(message, counting(accepted));
            }
            Awaitility.await().untilAtomic(accepted, CoreMatchers.equalTo(sessions));
        }
    }

    private static CompletionListener counting(AtomicInteger accepted) {
        return new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                accepted.incrementAndGet();
            }

            @Override
            public void onException(Message message, Exception failure) {
                accepted.set(Integer.MIN_VALUE);
            }
        };
    }

    @Test
    void temporaryAddressesOfOneConnectionAreBounded() throws Exception {
        start("ringtable.amqp.temporary-addresses-max", 20);
        try (Connection greedy = broker.jms().createConnection();
                Connection honest = broker.jms().createConnection()) {
            Session session = greedy.createSession(false, Session.AUTO_ACKNOWLEDGE);
            for (int i = 0; i < 20; i++) {
                session.createTemporaryQueue();
            }
            assertThatThrownBy(session::createTemporaryQueue)
                    .hasMessageContaining("RT-4322")
                    .hasMessageContaining("amqp.temporary-addresses-max=20");
            Session other = honest.createSession(false, Session.AUTO_ACKNOWLEDGE);
            assertThat(other.createTemporaryQueue()).isNotNull();
        }
    }
}
