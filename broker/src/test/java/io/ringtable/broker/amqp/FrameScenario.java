package io.ringtable.broker.amqp;

import static org.hamcrest.CoreMatchers.nullValue;

import io.ringtable.broker.TestSettings;
import java.nio.file.Path;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Frame by frame, against a real broker: what the specification asks and what clients depend on. */
abstract class FrameScenario {
    static final int CREDIT = 10;

    @TempDir
    Path directory;

    TestBroker broker;
    ProtonTestClient peer;

    @BeforeEach
    void connect() throws Exception {
        broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.link-credit", linkCredit()));
        peer = open("peer");
    }

    /** Returns the credit that the broker gives a sender. */
    int linkCredit() {
        return CREDIT;
    }

    @AfterEach
    void disconnect() {
        peer.close();
        broker.close();
    }

    final ProtonTestClient open(String container) throws Exception {
        return FramePeer.open(broker, container);
    }

    static void done(ProtonTestClient client) {
        FramePeer.done(client);
    }

    /** @return the incoming window of the session then, in frames */
    final long attachSender(ProtonTestClient client, int handle, String queue) {
        return FramePeer.attachSender(client, handle, queue, linkCredit());
    }

    static void attachReceiver(ProtonTestClient client, String name, int handle, String queue) {
        FramePeer.attachReceiver(client, name, handle, queue);
    }

    static void publish(ProtonTestClient client, int handle, int deliveryId, byte[] message) {
        FramePeer.transfer(client, handle, deliveryId, false, message);
    }

    /** Credit for the peer's receiver. */
    final void flow(int handle, int deliveryCount, int credit) {
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

    /** Closes the peer's link. */
    final void close(int handle) {
        peer.expectDetach().withHandle(handle).withClosed(true).withError(nullValue());
        peer.remoteDetach().withHandle(handle).withClosed(true).now();
        done(peer);
    }
}
