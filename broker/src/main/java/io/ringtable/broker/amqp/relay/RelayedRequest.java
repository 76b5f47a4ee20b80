package io.ringtable.broker.amqp.relay;

import io.netty.util.concurrent.Future;
import io.ringtable.broker.amqp.carried.CarriedClient;
import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.NodeName;
import io.ringtable.wire.RingtableSymbols;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Sends one request to the management node of another node, for an administrator of this one, and takes the answer. The
 * request has a session of the relay for itself, so that its user is that session's.
 * <p>
 * Thread: the relay's event loop. Failure: is told, with whether the other node may have done what was asked.
 */
final class RelayedRequest implements Relay.User {
    private static final byte[] TAG = {0};
    /** Is more than the other node lets an answer have, so that no answer waits for the window. */
    private static final int WINDOW_BYTES = 2 * 1024 * 1024;

    private final Relay relay;
    private final CarriedClient client;
    private final ProtonBuffer request;
    private final Relays.RequestAnswer answer;
    private final ByteArrayOutputStream reply = new ByteArrayOutputStream();
    private final Future<?> late;
    private Session session; // null before the relay is open
    private Sender sender; // the same
    private RelayedTransfer transfer; // null before anything has left
    private boolean over;

    RelayedRequest(Relay relay, CarriedClient client, byte[] request, long waitMs, Relays.RequestAnswer answer) {
        this.relay = relay;
        this.client = client;
        this.request = ProtonByteArrayBufferAllocator.wrapped(request, 0, request.length);
        this.answer = answer;
        this.late = relay.loop()
                .schedule(() -> fail("no answer came within " + waitMs + " ms"), waitMs, TimeUnit.MILLISECONDS);
    }

    void begin() {
        relay.use(this);
        relay.whenOpen(() -> relay.post(this::attach), why -> fail(textOf(why)));
    }

    private static String textOf(ErrorCondition why) {
        return why == null ? "it gave no reason" : String.valueOf(why.getDescription());
    }

    private void attach() {
        if (over) {
            return;
        }
        if (!relay.isRunning()) {
            fail("the relay was lost");
            return;
        }
        session = relay.begin(this, () -> relay.post(this::write));
        session.setIncomingCapacity(WINDOW_BYTES);
        String name = CarriedClient.prefix(client.connection()) + client.link();
        Receiver receiver = session.receiver(name); // before the requests' link: answers need it
        receiver.setSource(new Source().setAddress(NodeName.MANAGEMENT));
        receiver.setTarget(new Target());
        receiver.deliveryReadHandler(this::read);
        open(receiver);
        receiver.addCredit(1);
        sender = session.sender(name);
        sender.setSource(new Source().setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL));
        sender.setTarget(new Target().setAddress(NodeName.MANAGEMENT));
        sender.creditStateUpdateHandler(changed -> relay.post(this::write));
        open(sender);
    }

    private <L extends Link<L>> void open(L link) {
        link.setProperties(Map.<Symbol, Object>of(RingtableSymbols.CLIENT, client.said()));
        link.openHandler(opened -> {});
        link.closeHandler(closed -> relay.post(() -> fail(textOf(closed.getRemoteCondition()))));
        link.detachHandler(detached -> relay.post(() -> fail(textOf(detached.getRemoteCondition()))));
        link.open();
    }

    private void write() {
        boolean isWritten = transfer != null && transfer.isComplete();
        if (over || isWritten || !relay.isRunning() || !relay.canWrite() || !LinkFlow.isSendable(sender)) {
            return;
        }
        if (transfer == null) {
            transfer = relay.transfers().begin(sender, TAG, 0, null, false, () -> relay.post(this::onSaid));
        }
        transfer.write(request, true);
    }

    /** Hears that the other node has taken the request, or why it does not. */
    private void onSaid() {
        if (over) {
            return;
        }
        if (transfer.remoteState() instanceof Rejected rejected) {
            transfer.forget();
            transfer = null; // nothing was done
            fail(textOf(rejected.getError()));
        } else if (transfer.remoteState() != null && !transfer.isRemotelySettled()) {
            transfer.settle(null);
        }
    }

    private void read(IncomingDelivery delivery) {
        byte[] bytes = new byte[delivery.available()];
        delivery.readBytes(bytes, 0, bytes.length);
        reply.writeBytes(bytes);
        if (!delivery.isPartial()) {
            delivery.settle();
            relay.post(() -> {
                if (!over) {
                    end();
                    answer.answered(reply.toByteArray());
                }
            });
        }
    }

    private void fail(String why) {
        if (!over) {
            boolean mayBeDone = transfer != null;
            end();
            answer.failed(why, mayBeDone);
        }
    }

    private void end() {
        over = true;
        late.cancel(false);
        relay.left(this);
        if (session != null && relay.isRunning() && session.isLocallyOpen()) {
            session.close();
        }
    }

    @Override
    public void relayWritable() {
        relay.post(this::write);
    }

    @Override
    public void lost(Relay its, ErrorCondition why) {
        fail(textOf(why));
    }

    @Override
    public void stopped() {
        fail("this node stops");
    }
}
