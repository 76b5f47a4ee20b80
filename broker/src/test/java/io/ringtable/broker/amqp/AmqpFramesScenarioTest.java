package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.CoreMatchers.containsString;
import static org.hamcrest.CoreMatchers.nullValue;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.wire.Encoded;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.test.driver.codec.messaging.DeleteOnNoMessages;
import org.apache.qpid.protonj2.test.driver.codec.messaging.TerminusDurability;
import org.apache.qpid.protonj2.test.driver.codec.primitives.Symbol;
import org.apache.qpid.protonj2.test.driver.codec.primitives.UnknownDescribedType;
import org.apache.qpid.protonj2.test.driver.codec.primitives.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.awaitility.Awaitility;
import org.hamcrest.CustomMatcher;
import org.hamcrest.Matcher;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Frame by frame, against a real broker: what the specification asks and what clients depend on. */
@Timeout(60)
class AmqpFramesScenarioTest {
    private static final int CREDIT = 10;
    private static final int SECONDS = 10;

    @TempDir
    private Path directory;

    private TestBroker broker;
    private ProtonTestClient peer;

    @BeforeEach
    void connect() throws Exception {
        broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.link-credit", CREDIT));
        peer = open("peer");
    }

    private ProtonTestClient open(String container) throws Exception {
        return FramePeer.open(broker, container);
    }

    @AfterEach
    void disconnect() {
        peer.close();
        broker.close();
    }

    private static void done(ProtonTestClient client) {
        client.waitForScriptToComplete(SECONDS, TimeUnit.SECONDS);
    }

    private void attachSender(ProtonTestClient client, int handle, String queue) {
        client.expectAttach().ofReceiver().withTarget().withAddress(queue);
        client.expectFlow().withLinkCredit(CREDIT);
        client.remoteAttach()
                .ofSender()
                .withName("to-" + queue)
                .withHandle(handle)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress(queue)
                .withCapabilities("queue")
                .and()
                .now();
        done(client);
    }

    private void attachReceiver(ProtonTestClient client, String name, int handle, String queue) {
        client.expectAttach().ofSender().withSource().withAddress(queue);
        client.remoteAttach()
                .ofReceiver()
                .withName(name)
                .withHandle(handle)
                .withSource()
                .withAddress(queue)
                .withCapabilities("queue")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(client);
    }

    private void publish(ProtonTestClient client, int handle, int deliveryId, byte[] message) {
        client.remoteTransfer()
                .withHandle(handle)
                .withDeliveryId(deliveryId)
                .withDeliveryTag(new byte[] {(byte) deliveryId})
                .withMessageFormat(0)
                .withSettled(false)
                .withMore(false)
                .withPayload(message)
                .now();
    }

    @Test
    void outcomesOfNeighbouringDeliveriesLeaveInRangesAndCreditInBatches() {
        attachSender(peer, 0, "ranges");
        AtomicInteger frames = new AtomicInteger();
        AtomicInteger outcomes = new AtomicInteger();
        AtomicInteger credit = new AtomicInteger(CREDIT);
        for (int i = 0; i < 2 * CREDIT; i++) {
            peer.expectDisposition()
                    .withCapture(frame -> {
                        frames.incrementAndGet();
                        long last = frame.getLast() == null
                                ? frame.getFirst().longValue()
                                : frame.getLast().longValue();
                        outcomes.addAndGet((int) (last - frame.getFirst().longValue()) + 1);
                    })
                    .optional();
            peer.expectFlow()
                    .withCapture(flow -> credit.set(flow.getLinkCredit().intValue()))
                    .optional();
        }
        for (int i = 0; i < 5; i++) {
            publish(peer, 0, i, Encoded.text("message " + i));
        }
        Awaitility.await().atMost(SECONDS, TimeUnit.SECONDS).until(() -> outcomes.get() == 5);
        assertThat(frames.get()).isBetween(1, 5);
        assertThat(broker.shard().lookup().find("ranges").quota().messages()).isGreaterThanOrEqualTo(5);
    }

    @Test
    void aDrainIsAnsweredOnAnEmptyQueueAndVoidsTheCredit() {
        attachReceiver(peer, "r", 0, "empty");
        peer.expectFlow().withDeliveryCount(7).withLinkCredit(0).withDrain(true);
        peer.remoteFlow()
                .withHandle(0)
                .withDeliveryCount(0)
                .withLinkCredit(7)
                .withDrain(true)
                .withNextIncomingId(0)
                .withIncomingWindow(100)
                .withNextOutgoingId(0)
                .withOutgoingWindow(100)
                .now();
        done(peer);
    }

    @Test
    void aMessageComesBackByteForByteWithWhateverItCarried() {
        byte[] message = Encoded.message(
                new Header().setDurable(true).setPriority((byte) 6),
                new Properties().setMessageId("id-1").setTo("bytes"),
                new Data(new byte[] {1, 2, 3}),
                new Data(new byte[] {4}));
        attachSender(peer, 0, "bytes");
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 0, 0, message);
        done(peer);
        attachReceiver(peer, "r", 1, "bytes");
        peer.expectTransfer()
                .withMessageFormat(0)
                .withSettled(false)
                .withMore(false)
                .withPayload(message);
        flow(1, 0, 1);
        done(peer);
    }

    private void flow(int handle, int deliveryCount, int credit) {
        peer.remoteFlow()
                .withHandle(handle)
                .withDeliveryCount(deliveryCount)
                .withLinkCredit(credit)
                .withNextIncomingId(deliveryCount)
                .withIncomingWindow(1_000)
                .withNextOutgoingId(1)
                .withOutgoingWindow(1_000)
                .now();
    }

    @Test
    void releasedDoesNotCountAndModifiedDoes() {
        attachSender(peer, 0, "again");
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 0, 0, Encoded.text("x"));
        done(peer);
        attachReceiver(peer, "r", 1, "again");
        peer.expectTransfer().withDeliveryId(0).withPayload(Encoded.text("x"));
        flow(1, 0, 1);
        done(peer);
        peer.expectTransfer().withDeliveryId(1).withPayload(Encoded.text("x"));
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(0)
                .withSettled(true)
                .withState()
                .released()
                .now();
        flow(1, 1, 1);
        done(peer);
        peer.expectTransfer()
                .withDeliveryId(2)
                .withMessage()
                .withHeader()
                .withDeliveryCount(1)
                .and()
                .withData("x".getBytes(StandardCharsets.UTF_8));
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(1)
                .withSettled(true)
                .withState()
                .modified(true)
                .now();
        flow(1, 2, 1);
        done(peer);
    }

    @Test
    void anAcknowledgementThatIsNotSettledIsAnsweredWhenItIsDurable() {
        attachSender(peer, 0, "second");
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 0, 0, Encoded.text("x"));
        done(peer);
        attachReceiver(peer, "r", 1, "second");
        peer.expectTransfer().withDeliveryId(0);
        flow(1, 0, 1);
        done(peer);
        peer.expectDisposition()
                .withRole(false)
                .withFirst(0)
                .withSettled(true)
                .withState()
                .accepted();
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(0)
                .withSettled(false)
                .withState()
                .accepted()
                .now();
        done(peer);
    }

    @Test
    void aRangeWhoseEndIsSettledAlreadyEndsThere() {
        attachSender(peer, 0, "gaps");
        for (int i = 0; i < 4; i++) {
            peer.expectDisposition().optional();
            peer.expectFlow().optional();
        }
        for (int i = 0; i < 4; i++) {
            publish(peer, 0, i, Encoded.text("m" + i));
        }
        Address queue = broker.shard().lookup().find("gaps");
        Awaitility.await().until(() -> peer.getPerformativeCount() >= 4 + 2);
        attachReceiver(peer, "r", 1, "gaps");
        for (int i = 0; i < 4; i++) {
            peer.expectTransfer().withDeliveryId(i);
        }
        flow(1, 0, 4);
        done(peer);
        // 2 first, then 0 to 2: 3 must stay owed.
        settled(2, 2);
        settled(0, 2);
        Awaitility.await()
                .untilAsserted(() -> assertThat(queue.quota().messages()).isLessThanOrEqualTo(CREDIT + 1));
        peer.expectDetach().withClosed(true);
        peer.remoteDetach().withHandle(1).withClosed(true).now();
        done(peer);
        attachReceiver(peer, "r2", 2, "gaps");
        peer.expectTransfer().withPayload(Encoded.text("m3"));
        flow(2, 0, 1);
        done(peer);
    }

    private void settled(int first, int last) {
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(first)
                .withLast(last)
                .withSettled(true)
                .withState()
                .accepted()
                .now();
    }

    @Test
    void aBatchIsManyMessagesWithOneOutcome() {
        attachSender(peer, 0, "batched");
        byte[] batch = Encoded.message(
                new Data(Encoded.text("one")), new Data(Encoded.text("two")), new Data(Encoded.text("three")));
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        transferBatch(0, batch);
        done(peer);
        attachReceiver(peer, "r", 1, "batched");
        peer.expectTransfer().withMessageFormat(0).withPayload(Encoded.text("one"));
        peer.expectTransfer().withMessageFormat(0).withPayload(Encoded.text("two"));
        peer.expectTransfer().withMessageFormat(0).withPayload(Encoded.text("three"));
        flow(1, 0, 3);
        done(peer);
    }

    private void transferBatch(int deliveryId, byte[] batch) {
        peer.remoteTransfer()
                .withHandle(0)
                .withDeliveryId(deliveryId)
                .withDeliveryTag(new byte[] {(byte) deliveryId})
                .withMessageFormat(0x80013700L)
                .withSettled(false)
                .withPayload(batch)
                .now();
    }

    @Test
    void aBatchWithOneBadMessageIsRefusedAsAWhole() {
        attachSender(peer, 0, "bad-batch");
        peer.expectDisposition()
                .withFirst(0)
                .withSettled(true)
                .withState()
                .rejected("amqp:decode-error", containsString("RT-4043"));
        transferBatch(0, Encoded.message(new Data(Encoded.text("good")), new Data(new byte[] {1, 2, 3})));
        done(peer);
        Address queue = broker.shard().lookup().find("bad-batch");
        Awaitility.await()
                .untilAsserted(() -> assertThat(queue.quota().messages()).isLessThanOrEqualTo(CREDIT));
    }

    @Test
    void aTransferWithoutCreditDetachesTheLinkAndNothingElse() {
        attachSender(peer, 0, "greedy");
        for (int i = 0; i < 40; i++) {
            peer.expectDisposition().optional();
            peer.expectFlow().optional();
        }
        peer.expectDetach().withError("amqp:link:transfer-limit-exceeded", containsString("RT-4042"));
        byte[] burst = Encoded.text("x");
        peer.remoteBytes().withBytes(transfers(400, burst)).now();
        done(peer);
    }

    /** Frames of transfers on handle 0, written by hand so that they all arrive together. */
    private static byte[] transfers(int count, byte[] payload) {
        int size = 8 + 15 + payload.length;
        java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate(count * size);
        for (int i = 0; i < count; i++) {
            bytes.putInt(size).put((byte) 2).put((byte) 0).putShort((short) 0);
            bytes.put(new byte[] {0, 0x53, 0x14, (byte) 0xc0, 10, 3}); // transfer, a list of three
            bytes.put((byte) 0x43); // handle 0
            bytes.put((byte) 0x70).putInt(i); // delivery-id
            bytes.put(new byte[] {(byte) 0xa0, 1, (byte) i}); // tag
            bytes.put(payload);
        }
        return bytes.array();
    }

    @Test
    void anUnknownTemporaryAddressIsRefusedByAttachingWithoutATarget() {
        peer.expectAttach().ofReceiver().withTarget(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:not-found", containsString("RT-4048"));
        peer.remoteAttach()
                .ofSender()
                .withName("late")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("temporary:gone")
                .withCapabilities("temporary-queue")
                .and()
                .now();
        done(peer);
    }

    @Test
    void aNameThatOnlyTemporaryAddressesHaveIsNeverCreated() {
        peer.expectAttach().ofReceiver().withTarget(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:not-found", containsString("RT-2019"));
        peer.remoteAttach()
                .ofSender()
                .withName("late")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("temporary:gone")
                .and()
                .now();
        done(peer);
    }

    @Test
    void aDynamicSourceIsATemporaryQueueThatOthersSendToAndOneConnectionReads() throws Exception {
        AtomicReference<String> made = new AtomicReference<>();
        peer.expectAttach()
                .ofSender()
                .withSource()
                .withDynamic(true)
                .withAddress(new CustomMatcher<String>("a temporary name") {
                    @Override
                    public boolean matches(Object name) {
                        made.set((String) name);
                        return name != null && made.get().startsWith("temporary:");
                    }
                });
        attachDynamicSource("replies", 0, new DeleteOnClose());
        String name = made.get();
        flow(0, 0, 10);
        try (ProtonTestClient other = open("other")) {
            attachSender(other, 0, name);
            other.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
            peer.expectTransfer().withPayload(Encoded.text("a reply"));
            publish(other, 0, 0, Encoded.text("a reply"));
            done(other);
            done(peer);

            other.expectAttach().ofSender().withSource(nullValue());
            other.expectDetach().withClosed(true).withError("amqp:resource-locked", containsString("RT-4065"));
            other.remoteAttach()
                    .ofReceiver()
                    .withName("spy")
                    .withHandle(1)
                    .withSource()
                    .withAddress(name)
                    .and()
                    .withTarget()
                    .withAddress("me")
                    .and()
                    .now();
            done(other);

            close(0);
            assertThat(broker.shard().lookup().find(name)).isNull();
            other.expectDisposition()
                    .withFirst(1)
                    .withSettled(true)
                    .withState()
                    .rejected("amqp:not-found", containsString("RT-2010"));
            publish(other, 0, 1, Encoded.text("too late"));
            done(other);
        }
    }

    @Test
    void aDynamicNodeThatIsToOutliveItsLinkIsRefused() {
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:not-implemented", containsString("RT-4062"));
        attachDynamicSource("outlives", 0, new DeleteOnNoMessages());
    }

    private void attachDynamicSource(String link, int handle, Object lifetime) {
        peer.remoteAttach()
                .ofReceiver()
                .withName(link)
                .withHandle(handle)
                .withSource()
                .withDynamic(true)
                .withDynamicNodeProperties(Map.of("lifetime-policy", lifetime))
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(peer);
    }

    @Test
    void anotherConnectionOfTheContainerStealsALinkByItsName() throws Exception {
        attachReceiver(peer, "mine", 0, "stolen");
        peer.expectDetach().withClosed(true).withError("amqp:link:stolen", containsString("RT-4049"));
        try (ProtonTestClient second = open("peer")) {
            attachReceiver(second, "mine", 0, "stolen");
            done(peer);
        }
    }

    @Test
    void aSecondLinkOfTheSameNameOnTheSameSessionStealsTheFirst() {
        attachReceiver(peer, "twin", 0, "twins");
        peer.expectDetach().withHandle(0).withClosed(true).withError("amqp:link:stolen", containsString("RT-4049"));
        peer.expectAttach().ofSender().withSource().withAddress("twins");
        peer.remoteAttach()
                .ofReceiver()
                .withName("twin")
                .withHandle(1)
                .withSource()
                .withAddress("twins")
                .withCapabilities("queue")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(peer);
        peer.remoteDetach().withHandle(0).withClosed(true).now();
        attachSender(peer, 2, "twins");
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 2, 0, Encoded.text("for the second"));
        done(peer);
        peer.expectTransfer().withPayload(Encoded.text("for the second"));
        flow(1, 0, 1);
        done(peer);
    }

    @Test
    void aSecondLinkOfTheSameNameOnAnotherSessionStealsTheFirstOfThatSession() {
        int channel = 7;
        peer.expectBegin();
        peer.remoteBegin()
                .withNextOutgoingId(0)
                .withIncomingWindow(100)
                .withOutgoingWindow(100)
                .onChannel(channel)
                .now();
        done(peer);
        attachOn(channel, 0);
        peer.expectDetach().withHandle(0).withClosed(true).withError("amqp:link:stolen", containsString("RT-4049"));
        attachOn(channel, 1);
    }

    private void attachOn(int channel, int handle) {
        peer.expectAttach().ofSender().withSource().withAddress("twins");
        peer.remoteAttach()
                .ofReceiver()
                .withName("twin")
                .withHandle(handle)
                .withSource()
                .withAddress("twins")
                .withCapabilities("queue")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .onChannel(channel)
                .now();
        done(peer);
    }

    @Test
    void aStolenDurableSubscriptionStays() throws Exception {
        attachDurable(peer);
        peer.expectDetach().withClosed(true).withError("amqp:link:stolen", containsString("RT-4049"));
        try (ProtonTestClient second = open("peer")) {
            attachDurable(second);
            done(peer);
            peer.remoteDetach().withHandle(0).withClosed(true).now();
            peer.expectEnd();
            peer.remoteEnd().now();
            done(peer);
            assertThat(broker.shard().lookup().find("peer", "kept")).isNotNull();
            second.expectDetach().withClosed(true);
            second.remoteDetach().withHandle(0).withClosed(true).now();
            done(second);
            assertThat(broker.shard().lookup().find("peer", "kept")).isNull();
        }
    }

    private static void attachDurable(ProtonTestClient client) {
        client.expectAttach().ofSender().withSource().withAddress("rates");
        client.remoteAttach()
                .ofReceiver()
                .withName("kept")
                .withHandle(0)
                .withSource()
                .withAddress("rates")
                .withCapabilities("topic")
                .withDurability(TerminusDurability.UNSETTLED_STATE)
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(client);
    }

    @Test
    void theLinksOfASharedSubscriptionAreNamedUpToTheBarAndTheLastToCloseEndsIt() {
        attachShared("board", 0, "shared");
        attachShared("board|2", 1, "shared");
        assertThat(broker.shard().lookup().find("peer", "board").shared()).isTrue();
        attachShared("board|global", 2, "shared", "global");
        assertThat(broker.shard().lookup().find("", "board").shared()).isTrue();
        close(0);
        assertThat(broker.shard().lookup().find("peer", "board")).isNotNull();
        close(1);
        assertThat(broker.shard().lookup().find("peer", "board")).isNull();
        assertThat(broker.shard().lookup().find("", "board")).isNotNull();
    }

    private void close(int handle) {
        peer.expectDetach().withHandle(handle).withClosed(true).withError(nullValue());
        peer.remoteDetach().withHandle(handle).withClosed(true).now();
        done(peer);
    }

    private void attachShared(String link, int handle, String... capabilities) {
        peer.expectAttach().ofSender().withName(link).withSource().withAddress("topic://rates");
        remoteAttachShared(link, handle, capabilities);
        done(peer);
    }

    private void remoteAttachShared(String link, int handle, String... capabilities) {
        peer.remoteAttach()
                .ofReceiver()
                .withName(link)
                .withHandle(handle)
                .withSource()
                .withAddress("topic://rates")
                .withCapabilities(capabilities)
                .withDurability(TerminusDurability.UNSETTLED_STATE)
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
    }

    @Test
    void globalWithoutSharedAndAnEmptyNameAreRefused() {
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:invalid-field", containsString("RT-4056"));
        remoteAttachShared("board", 0, "global");
        done(peer);
        peer.remoteDetach().withHandle(0).withClosed(true).now();
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:invalid-field", containsString("RT-4056"));
        remoteAttachShared("|global", 1, "shared", "global");
        done(peer);
    }

    @Test
    void noLocalIsObeyedOnTopicsAndOnlyWhatIsObeyedIsAnswered() throws Exception {
        attachNoLocal("topic://rates", new CustomMatcher<Object>("no-local under the client's key alone") {
            @Override
            public boolean matches(Object filters) {
                return filters instanceof Map<?, ?> map && map.toString().contains("mine") && map.size() == 1;
            }
        });
        flow(0, 0, 10);
        attachTopicSender(peer, 1);
        peer.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
        publish(peer, 1, 0, Encoded.text("own"));
        done(peer);
        try (ProtonTestClient other = open("other")) {
            attachTopicSender(other, 0);
            peer.expectTransfer().withPayload(Encoded.text("another's"));
            other.expectDisposition().withFirst(0).withSettled(true).withState().accepted();
            publish(other, 0, 0, Encoded.text("another's"));
            done(other);
            done(peer);
        }
    }

    @Test
    void noLocalMeansNothingOnAQueueAndTheAnswerSaysSo() {
        attachNoLocal("queue://work", nullValue());
    }

    @Test
    void noLocalIsRefusedWhereItCannotBeObeyed() {
        peer.expectAttach().ofSender().withSource(nullValue());
        peer.expectDetach().withClosed(true).withError("amqp:not-implemented", containsString("RT-4055"));
        remoteAttachNoLocal("topic://rates", "shared");
        done(peer);
    }

    private void attachNoLocal(String address, Matcher<?> answered) {
        peer.expectAttach().ofSender().withSource().withAddress(address).withFilter(answered);
        remoteAttachNoLocal(address);
        done(peer);
    }

    private void remoteAttachNoLocal(String address, String... capabilities) {
        var source = peer.remoteAttach()
                .ofReceiver()
                .withName("no-local")
                .withHandle(0)
                .withSource()
                .withAddress(address)
                .withFilterMap(Map.of(
                        "mine",
                        new UnknownDescribedType(UnsignedLong.valueOf(0x0000468C00000003L), List.of()),
                        "theirs",
                        new UnknownDescribedType(Symbol.valueOf("example:filter"), "x")));
        if (capabilities.length > 0) {
            source.withCapabilities(capabilities);
        }
        source.and().withTarget().withAddress("me").and().now();
    }

    private static void attachTopicSender(ProtonTestClient client, int handle) {
        client.expectAttach().ofReceiver().withTarget().withAddress("topic://rates");
        client.expectFlow().withLinkCredit(CREDIT);
        client.remoteAttach()
                .ofSender()
                .withName("to-rates")
                .withHandle(handle)
                .withInitialDeliveryCount(0)
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("topic://rates")
                .and()
                .now();
        done(client);
    }

    @Test
    void prefixesDecideTheKindWhereNothingElseDoes() {
        peer.expectAttach().ofSender().withSource().withAddress("topic://rates");
        peer.remoteAttach()
                .ofReceiver()
                .withName("by-prefix")
                .withHandle(0)
                .withSource()
                .withAddress("topic://rates")
                .and()
                .withTarget()
                .withAddress("me")
                .and()
                .now();
        done(peer);
        assertThat(broker.shard().lookup().find("rates").kind()).isEqualTo(AddressKind.TOPIC);
    }

    @Test
    void anEmptyFrameComesWellWithinTheClientsIdleTimeOut() throws Exception {
        try (ProtonTestClient quiet = new ProtonTestClient()) {
            quiet.queueClientSaslAnonymousConnect();
            quiet.remoteOpen().withContainerId("quiet").withIdleTimeOut(400).queue();
            quiet.expectOpen();
            quiet.expectEmptyFrame();
            quiet.expectEmptyFrame();
            quiet.expectEmptyFrame();
            quiet.connect("127.0.0.1", broker.port());
            quiet.waitForScriptToComplete(2, TimeUnit.SECONDS);
        }
    }

    @Test
    void aConnectionWithoutSaslIsServedWhileThereAreNoUsers() throws Exception {
        try (ProtonTestClient plain = new ProtonTestClient()) {
            plain.remoteAMQPHeader().queue();
            plain.expectAMQPHeader();
            plain.remoteOpen().withContainerId("plain").queue();
            plain.expectOpen();
            plain.remoteClose().queue();
            plain.expectClose();
            plain.connect("127.0.0.1", broker.port());
            done(plain);
        }
    }
}
