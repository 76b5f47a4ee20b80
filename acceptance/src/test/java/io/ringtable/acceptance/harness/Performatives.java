package io.ringtable.acceptance.harness;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.security.SaslInit;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/** Makes the performatives of clients that write their frames themselves, honest ones and greedy ones. Thread: any. */
public final class Performatives {
    public static final byte[] AMQP = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    public static final byte[] SASL = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};
    public static final byte[] NO_PAYLOAD = {};
    /** Of a session, both ways: more frames than anybody sends. */
    public static final long WINDOW = 1 << 20;
    /** Bytes that a frame of the broker's default size holds beside the performative. */
    public static final int PAYLOAD_MAX = 60_000;

    private static final int FRAME_MAX = 65_536;

    private Performatives() {}

    // ---- connections and sessions

    public static SaslInit anonymous() {
        return new SaslInit().setMechanism(Symbol.valueOf("ANONYMOUS"));
    }

    public static SaslInit plain(String user, String password) {
        byte[] response = ("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8);
        return new SaslInit().setMechanism(Symbol.valueOf("PLAIN")).setInitialResponse(new Binary(response));
    }

    public static Open open(String container) {
        return new Open().setContainerId(container).setMaxFrameSize(FRAME_MAX);
    }

    public static Begin begin() {
        return new Begin().setNextOutgoingId(0).setIncomingWindow(WINDOW).setOutgoingWindow(WINDOW);
    }

    /** The windows of a session as they are at its beginning. */
    private static Flow window() {
        return new Flow()
                .setNextIncomingId(0)
                .setIncomingWindow(WINDOW)
                .setNextOutgoingId(0)
                .setOutgoingWindow(WINDOW);
    }

    /** A flow of the session that the broker has to answer: when it has, it has read everything before. */
    public static Flow question() {
        return window().setEcho(true);
    }

    // ---- links

    /** @param kind queue or topic */
    public static Source source(String address, String kind) {
        Source source = new Source();
        source.setAddress(address);
        source.setCapabilities(Symbol.valueOf(kind));
        return source;
    }

    /** @param kind queue or topic */
    public static Target target(String address, String kind) {
        Target target = new Target();
        target.setAddress(address);
        target.setCapabilities(Symbol.valueOf(kind));
        return target;
    }

    public static Attach sender(int handle, String name, Target target) {
        return new Attach()
                .setName(name)
                .setHandle(handle)
                .setRole(Role.SENDER)
                .setSource(new Source())
                .setTarget(target)
                .setInitialDeliveryCount(0);
    }

    public static Attach sender(int handle, String name, String address, String kind) {
        return sender(handle, name, target(address, kind));
    }

    public static Attach receiver(int handle, String name, Source source) {
        return new Attach()
                .setName(name)
                .setHandle(handle)
                .setRole(Role.RECEIVER)
                .setSource(source)
                .setTarget(new Target());
    }

    /** @param deliveryCount how many messages have come on this link */
    public static Flow credit(int handle, long deliveryCount, long credit) {
        return window().setHandle(handle).setDeliveryCount(deliveryCount).setLinkCredit(credit);
    }

    // ---- messages

    /** Unsettled. @param more whether another frame of the message follows */
    public static Transfer transfer(int handle, long delivery, boolean more) {
        return new Transfer()
                .setHandle(handle)
                .setDeliveryId(delivery)
                .setDeliveryTag(
                        ByteBuffer.allocate(Long.BYTES).putLong(delivery).array())
                .setMessageFormat(0)
                .setSettled(false)
                .setMore(more);
    }

    /** A receiver is done with the message. */
    public static Disposition settled(long delivery, DeliveryState outcome) {
        return new Disposition()
                .setRole(Role.RECEIVER)
                .setFirst(delivery)
                .setLast(delivery)
                .setSettled(true)
                .setState(outcome);
    }

    public static Disposition accepted(long delivery) {
        return settled(delivery, Accepted.getInstance());
    }
}
