package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.Rejections;
import io.ringtable.broker.amqp.transaction.LocalTransaction;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Tells a publisher what became of its transfers (AMQP 1.0 section 3.4), or ends its link where no outcome can tell.
 * <p>
 * Thread: the connection's event loop.
 */
final class TransferOutcomes {
    private final PublisherLink link;
    private final OpenConnection connection;
    private final Receiver receiver;
    private boolean hearsOfRejections;

    TransferOutcomes(PublisherLink link, OpenConnection connection, Receiver receiver) {
        this.link = link;
        this.connection = connection;
        this.receiver = receiver;
        this.hearsOfRejections = Rejections.areTakenBy(receiver);
    }

    /** Tells every outcome: another node carries the link, and tells the client as the client can hear. */
    void tellAll() {
        hearsOfRejections = true;
    }

    /** Settles the transfer of a publication; that of a divided batch when all have ended. */
    void tell(Publication publication, ErrorCondition refusal) {
        SplitBatch batch = publication.batch();
        if (batch == null) {
            tell(publication.delivery(), publication.transaction(), refusal);
        } else if (batch.ended(publication.count(), refusal)) {
            tell(publication.delivery(), publication.transaction(), batch.refusal());
        }
    }

    /**
     * Settles the transfer, unless the client is gone.
     *
     * @param transaction null if there is none
     * @param refusal null if the transfer is accepted
     */
    void tell(IncomingDelivery delivery, LocalTransaction transaction, ErrorCondition refusal) {
        if (!connection.isRunning() || !receiver.isRemotelyOpen()) {
            return;
        }
        ErrorCondition condition = refusal == null ? null : Rejections.of(delivery, refusal);
        if (delivery.isRemotelySettled()) {
            delivery.settle();
            if (condition != null && transaction == null && !Rejections.isAboutRoom(condition)) {
                detachLater(condition);
            }
        } else if (condition == null || hearsOfRejections) {
            DeliveryState outcome = condition == null ? Accepted.getInstance() : new Rejected(condition);
            delivery.disposition(transaction == null ? outcome : transaction.answer(condition), true);
        } else {
            detachLater(condition);
        }
    }

    /**
     * Detaches the link, since no outcome can tell. Later, since the caller may be going through what waits on the
     * link.
     */
    private void detachLater(ErrorCondition condition) {
        connection.mailbox().post(() -> link.detach(condition));
    }

    /**
     * Gathers the outcomes of a batch whose messages go to several parts of a queue, those of each part as one work.
     * The transfer has one outcome, once all works have theirs: it is accepted if all messages are durable.
     */
    static final class SplitBatch {
        private final int messages;
        private int without; // publications that have no outcome yet
        private int accepted; // messages
        private ErrorCondition refusal; // the first; null = none

        SplitBatch(int publications, int messages) {
            this.without = publications;
            this.messages = messages;
        }

        /**
         * Hears what became of one part's messages.
         *
         * @param condition null if they are accepted
         * @return whether it was the last
         */
        boolean ended(int count, ErrorCondition condition) {
            if (condition == null) {
                accepted += count;
            } else if (refusal == null) {
                refusal = condition;
            }
            return --without == 0;
        }

        /** Returns why the batch is refused, and how much of it is stored nevertheless; null if it is accepted. */
        ErrorCondition refusal() {
            return refusal == null || accepted == 0
                    ? refusal
                    : Conditions.of(
                            refusal.getCondition(),
                            refusal.getDescription() + "; " + accepted + " of the " + messages
                                    + " messages of its batch are stored, in other parts of the queue");
        }
    }
}
