package io.ringtable.broker.amqp.attach;

import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.relay.RemoteHome;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Shard;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Deletes a client's durable subscription at the node that has it, since the client makes one of the same name for
 * another topic. That is as if the client had unsubscribed before (Jakarta Messaging 3.1 section 8.3.3).
 * <p>
 * Thread: the connection's event loop.
 */
final class SubscriptionRemoval {
    private final AttachSteps steps;
    private final CatalogMailbox catalog;
    private final CatalogLookup lookup;
    private final ConnectionRights rights;
    private final Sender sender;
    private final SubscriptionName named;

    /** @param sender the link that is attached to the new subscription, or asks another node's way to be made */
    SubscriptionRemoval(
            AttachSteps steps, Shard shard, ConnectionRights rights, Sender sender, SubscriptionName named) {
        this.steps = steps;
        this.catalog = shard.catalog();
        this.lookup = shard.lookup();
        this.rights = rights;
        this.sender = sender;
        this.named = named;
    }

    /** Deletes the subscription wherever it is, then goes on. */
    void anywhere(Runnable then) {
        steps.lookAgain(sender, () -> {
            RemoteHome elsewhere = steps.elsewhere(named);
            if (elsewhere == null) {
                here(named.shared(), then); // or it has gone meanwhile
                return;
            }
            steps.when(
                    sender,
                    () -> steps.makeWay(sender, elsewhere, named.shared()),
                    refusal -> goOn(refusal, then),
                    notNeeded -> {});
        });
    }

    private void goOn(ErrorCondition refusal, Runnable then) {
        if (refusal == null) {
            then.run();
        } else {
            steps.refuse(sender, refusal);
        }
    }

    /** Deletes the subscription at this node, if it is here, then goes on. @param shared whether the new one is */
    void here(boolean shared, Runnable then) {
        Subscription existing = lookup.find(named.clientId(), named.name());
        ErrorCondition refusal = existing == null ? null : rights.ownerRefusal(existing);
        if (refusal != null) {
            steps.refuse(sender, refusal);
            return;
        }
        steps.when(
                sender,
                () -> catalog.makeWay(rights.subscriptionUser(), named.clientId(), named.name(), shared),
                done -> then.run(),
                notNeeded -> {});
    }
}
