package io.ringtable.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.test.driver.ProtonTestServer;
import org.apache.qpid.protonj2.test.driver.ProtonTestServerOptions;
import org.apache.qpid.protonj2.test.driver.actions.TransferInjectAction;

/** The other side of a client, frame by frame: what it expects and what it answers. */
final class ScriptedBroker implements AutoCloseable {

    final ProtonTestServer peer;

    ScriptedBroker() {
        this(0);
    }

    /** @param port 0 = any that is free */
    ScriptedBroker(int port) {
        peer = new ProtonTestServer(new ProtonTestServerOptions().setServerPort(port));
        peer.start();
    }

    String uri() {
        return "amqp://127.0.0.1:" + peer.getServerURI().getPort();
    }

    ClientBuilder client() {
        return RingtableClient.builder()
                .uri(uri())
                .connectTimeout(Duration.ofSeconds(60))
                .requestTimeout(Duration.ofSeconds(60))
                .closeTimeout(Duration.ofMillis(500))
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(10)));
    }

    void acceptsConnection() {
        peer.expectSASLAnonymousConnect();
        peer.expectOpen().respond();
    }

    void acceptsConnectionWithBatches() {
        peer.expectSASLAnonymousConnect();
        peer.expectOpen().respond().withOfferedCapabilities("RINGTABLE_BATCH");
    }

    /** A publisher's link, with credit. */
    void acceptsPublisher(int credit) {
        peer.expectBegin().respond();
        peer.expectAttach().ofSender().respond();
        peer.remoteFlow().withLinkCredit(credit).queue();
    }

    /** A subscription's link, which gives credit at once. */
    void acceptsSubscription() {
        peer.expectBegin().respond();
        peer.expectAttach().ofReceiver().respond();
        peer.expectFlow();
    }

    void sends(int deliveryId, String text) {
        TransferInjectAction transfer = peer.remoteTransfer();
        // The subscription's session is the first.
        transfer.onChannel(0);
        transfer.withHandle(0)
                .withDeliveryId(deliveryId)
                .withDeliveryTag(new byte[] {(byte) deliveryId})
                .withMore(false)
                .withMessageFormat(0)
                .withBody()
                .withString(text)
                .also()
                .now();
    }

    /** Sections of a message as they are, whatever they say. */
    void sends(int deliveryId, byte[] message) {
        TransferInjectAction transfer = peer.remoteTransfer();
        transfer.onChannel(0);
        transfer.withHandle(0)
                .withDeliveryId(deliveryId)
                .withDeliveryTag(new byte[] {(byte) deliveryId})
                .withMore(false)
                .withMessageFormat(0)
                .withPayload(message)
                .now();
    }

    /** Accepts one transfer of the session that was opened last. */
    void accepts(int deliveryId) {
        peer.remoteDisposition()
                .withRole(true)
                .withFirst(deliveryId)
                .withSettled(true)
                .withState()
                .accepted()
                .now();
    }

    void done() {
        peer.waitForScriptToComplete(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        peer.close();
    }
}
