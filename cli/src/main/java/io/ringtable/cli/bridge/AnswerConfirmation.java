package io.ringtable.cli.bridge;

import java.util.List;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.messaging.Accepted;

/** Sends outcomes unsettled, and waits until the source has settled each: Ringtable does once it is durable. */
final class AnswerConfirmation implements Confirmation {
    private final SourceLink.Listener listener;
    private List<Carried> asked = List.of();
    private int unanswered;

    AnswerConfirmation(Receiver receiver, SourceLink.Listener listener) {
        this.listener = listener;
        receiver.deliveryStateUpdatedHandler(this::answered);
    }

    @Override
    public void open() {}

    @Override
    public void confirm(List<Carried> messages) {
        asked = messages;
        unanswered = messages.size();
        for (Carried message : messages) {
            message.delivery().disposition(Accepted.getInstance(), false);
        }
    }

    private void answered(IncomingDelivery delivery) {
        if (!delivery.isRemotelySettled() || delivery.isSettled()) {
            return;
        }
        delivery.settle();
        unanswered--;
        if (unanswered == 0) {
            listener.confirmed(asked);
        }
    }
}
