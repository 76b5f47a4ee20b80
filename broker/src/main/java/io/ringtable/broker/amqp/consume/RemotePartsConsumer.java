package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.SharedCredit;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.status.LinkStatus;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.engine.Link;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Is a link on which a client receives from an address of which this node has no part. Other nodes that have parts
 * serve it, and end with it.
 * <p>
 * Thread: the connection's event loop.
 */
public final class RemotePartsConsumer implements SharedLink {
    private final ConsumerLinks links;
    private final OpenConnection connection;
    private final Sender sender;
    private final Address address;
    private final ConsumerRights rights;
    private final Supplier<CompletionStage<ErrorCondition>> unsubscribe; // null unless a close of the link does so
    private final boolean isOfMany; // whether the subscription stays while others read it
    private SharedCredit shared; // null before other nodes serve the link
    private boolean ended;

    /**
     * @param browses whether it only looks
     * @param unsubscribe deletes the durable subscription that ends when the client closes the link, and returns why it
     *     does not; null if there is none
     * @param isOfMany whether that subscription stays as long as other links read it
     */
    public RemotePartsConsumer(
            ConsumerLinks links,
            Sender sender,
            Address address,
            boolean browses,
            Supplier<CompletionStage<ErrorCondition>> unsubscribe,
            boolean isOfMany) {
        this.links = links;
        this.connection = links.connection();
        this.sender = sender;
        this.address = address;
        this.rights = new ConsumerRights(links.rights(), address, browses);
        this.unsubscribe = unsubscribe;
        this.isOfMany = isOfMany;
        links.attached(address);
    }

    @Override
    public Link<?> link() {
        return sender;
    }

    /** Begins to hear the client, once the link is attached on both ends. */
    public void begin() {
        sender.detachHandler(detached -> onDetach(false));
        sender.closeHandler(closed -> onDetach(true));
    }

    @Override
    public void shareWith(SharedCredit credit) {
        shared = credit;
        credit.begin(this);
        sender.creditStateUpdateHandler(changed -> credit.creditChanged());
    }

    @Override
    public LinkStatus status(LinkStatus.Key key) {
        long credit = LinkFlow.credit(sender);
        LinkStatus.Counts counts = new LinkStatus.Counts(credit, 0, 0); // each other node lists what it has delivered
        return key.of(
                LinkStatus.CONSUMER, address.name(), null, counts, credit == 0 ? LinkStatus.WaitsFor.CREDIT : null);
    }

    @Override
    public ErrorCondition refusal() {
        return rights.refusal();
    }

    // ---- the end

    private void onDetach(boolean closed) {
        if (sender.isLocallyClosedOrDetached()) {
            return; // the answer to the broker's own detach
        }
        end(false);
        if (!closed) {
            sender.detach();
        } else if (unsubscribe == null) {
            close(null);
        } else {
            // AMQP 1.0 section 2.6.6: closing a link ends its terminus, here the durable subscription.
            unsubscribe.get().thenAccept(refusal -> connection.mailbox().post(() -> close(refusal)));
        }
    }

    /** Closes the link. @param refusal why the subscription is not deleted; null if it is */
    private void close(ErrorCondition refusal) {
        if (connection.isRunning() && sender.isLocallyOpen()) {
            boolean isRead = refusal != null && AmqpError.RESOURCE_LOCKED.equals(refusal.getCondition());
            if (refusal != null && !(isOfMany && isRead)) {
                sender.setCondition(refusal);
            }
            sender.close();
        }
    }

    @Override
    public void detach(ErrorCondition condition) {
        boolean isAttached = !ended && connection.isRunning() && sender.isLocallyOpen();
        if (isAttached && shared != null) {
            shared.end(false); // the client's session at the other nodes stays
        }
        end(true);
        if (isAttached) {
            sender.setCondition(condition);
            sender.close();
        }
    }

    @Override
    public void end(boolean lost) {
        if (ended) {
            return;
        }
        ended = true;
        if (shared != null) {
            shared.end(lost);
        }
        links.ended(address);
        connection.ended(this);
    }
}
