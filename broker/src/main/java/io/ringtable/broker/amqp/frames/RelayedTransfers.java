package io.ringtable.broker.amqp.frames;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.engine.AMQPPerformativeEnvelopePool;
import org.apache.qpid.protonj2.engine.EngineHandler;
import org.apache.qpid.protonj2.engine.EngineHandlerContext;
import org.apache.qpid.protonj2.engine.IncomingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.OutgoingAMQPEnvelope;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Performative;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * Writes transfers that come from another connection, frame by frame, and finds the one of which the peer speaks.
 * Frames of several links of a session may come in between each other.
 * <p>
 * Protonj2 (1.1.0) keeps what is unsettled in a map that takes ids in their order, and adds a delivery at each of its
 * frames. After frames in between each other it finds deliveries no more, and others stay for ever. So protonj2 takes
 * these transfers for settled, and this handler has their ids. Protonj2 also counts an aborted transfer in no window
 * and in no delivery-count. The peer counts it in both, so here it ends as others do.
 * <p>
 * Thread: the connection's event loop.
 */
public final class RelayedTransfers implements EngineHandler {
    public static final String NAME = "relayed-transfers";

    private final AMQPPerformativeEnvelopePool<OutgoingAMQPEnvelope> envelopes =
            AMQPPerformativeEnvelopePool.outgoingEnvelopePool();
    private final Map<Integer, Map<Integer, RelayedTransfer>> byChannel = new HashMap<>(); // and by id: unsettled ones
    private final Map<Integer, Integer> localChannels = new HashMap<>(); // by the peer's
    private RelayedTransfer writing; // whose frames leave now
    private boolean aborting;
    private EngineHandlerContext context;

    @Override
    public void handlerAdded(EngineHandlerContext added) {
        context = added;
    }

    /**
     * Begins a transfer, of which nothing leaves yet.
     *
     * @param state of its first frame; null = none
     * @param settled whether no answer is wanted
     * @param onSaid runs when the peer has said something of the transfer, within the read of its frame
     */
    public RelayedTransfer begin(
            Sender sender, byte[] tag, int messageFormat, DeliveryState state, boolean settled, Runnable onSaid) {
        OutgoingDelivery delivery = sender.next();
        delivery.setTag(tag);
        delivery.setMessageFormat(messageFormat);
        delivery.disposition(state, true);
        return new RelayedTransfer(this, delivery, settled, onSaid);
    }

    void write(RelayedTransfer transfer, ProtonBuffer bytes, boolean last, boolean aborts) {
        writing = transfer;
        aborting = aborts;
        try {
            transfer.delivery().streamBytes(bytes, last);
        } finally {
            writing = null;
            aborting = false;
        }
    }

    void tell(RelayedTransfer transfer, DeliveryState state) {
        Disposition disposition = new Disposition()
                .setRole(Role.SENDER)
                .setFirst(Integer.toUnsignedLong(transfer.id()))
                .setSettled(true)
                .setState(state);
        context.fireWrite(envelopes.take(disposition, transfer.channel(), null));
    }

    void forget(RelayedTransfer transfer) {
        Map<Integer, RelayedTransfer> ofChannel = byChannel.get(transfer.channel());
        if (transfer.isBegun() && ofChannel != null) {
            ofChannel.remove(transfer.id(), transfer);
        }
    }

    @Override
    public void handleWrite(EngineHandlerContext writes, OutgoingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        if (frame instanceof Transfer transfer) {
            if (writing != null) {
                decorate(transfer, envelope.getChannel());
            }
        } else if (frame instanceof Begin begin) {
            if (begin.hasRemoteChannel()) {
                localChannels.put(begin.getRemoteChannel(), envelope.getChannel());
            }
        } else if (frame instanceof End) {
            byChannel.remove(envelope.getChannel());
        }
        writes.fireWrite(envelope);
    }

    private void decorate(Transfer transfer, int channel) {
        if (!writing.isBegun()) {
            writing.began(channel, (int) transfer.getDeliveryId());
            if (writing.awaitsAnswer()) {
                byChannel.computeIfAbsent(channel, key -> new HashMap<>()).put(writing.id(), writing);
            }
        }
        if (aborting) {
            transfer.setAborted(true).setSettled(true).setMore(false);
        } else {
            transfer.setSettled(writing.isSettled());
        }
    }

    @Override
    public void handleRead(EngineHandlerContext reads, IncomingAMQPEnvelope envelope) {
        Performative frame = envelope.getBody();
        if (frame instanceof Disposition disposition) {
            if (disposition.getRole() == Role.RECEIVER && !byChannel.isEmpty()) {
                hear(disposition, envelope.getChannel());
            }
        } else if (frame instanceof Begin begin) {
            if (begin.hasRemoteChannel()) {
                localChannels.put(envelope.getChannel(), begin.getRemoteChannel());
            }
        } else if (frame instanceof End) {
            localChannels.remove(envelope.getChannel());
        }
        reads.fireRead(envelope);
    }

    private void hear(Disposition disposition, int channelOfPeer) {
        Map<Integer, RelayedTransfer> unsettled = byChannel.get(localChannels.get(channelOfPeer));
        if (unsettled == null || unsettled.isEmpty()) {
            return;
        }
        int first = (int) disposition.getFirst();
        int count = disposition.hasLast() ? (int) disposition.getLast() - first + 1 : 1; // serial numbers, RFC 1982
        List<RelayedTransfer> meant = new ArrayList<>();
        if (count > unsettled.size()) {
            unsettled.forEach((id, transfer) -> {
                if (id - first >= 0 && id - first < count) {
                    meant.add(transfer);
                }
            });
        } else {
            for (int i = 0; i < count; i++) {
                RelayedTransfer transfer = unsettled.get(first + i);
                if (transfer != null) {
                    meant.add(transfer);
                }
            }
        }
        for (RelayedTransfer transfer : meant) {
            if (disposition.getSettled()) {
                unsettled.remove(transfer.id());
            }
            transfer.said(disposition.getState(), disposition.getSettled());
        }
    }
}
