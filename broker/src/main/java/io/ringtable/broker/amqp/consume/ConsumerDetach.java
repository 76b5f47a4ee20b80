package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import org.apache.qpid.protonj2.engine.Sender;

/**
 * Answers a client that detaches or closes a link on which it receives. Closing ends a durable subscription.
 * <p>
 * Thread: the connection's event loop.
 */
final class ConsumerDetach {
    private final ConsumerLink link;
    private final ConsumerLinks links;
    private final OpenConnection connection;
    private final Sender sender;
    private final Subscription subscription;
    private final Home home;

    ConsumerDetach(ConsumerLink link, ConsumerLinks links, Sender sender, Subscription subscription, Home home) {
        this.link = link;
        this.links = links;
        this.connection = links.connection();
        this.sender = sender;
        this.subscription = subscription;
        this.home = home;
    }

    void onDetach(boolean closed) {
        if (sender.isLocallyClosedOrDetached()) {
            return; // the answer to the broker's own detach: the subscription stays
        }
        link.end(false);
        if (!closed) {
            sender.detach();
        } else if (subscription.isStored() && !subscription.address().isQueue()) {
            // AMQP 1.0 section 2.6.6: closing a link ends its terminus, here the durable subscription.
            home.catalog()
                    .unsubscribe(links.rights().subscriptionUser(), subscription)
                    .whenComplete((done, failure) -> connection.mailbox().post(() -> unsubscribed(failure)));
        } else {
            closeSender();
        }
    }

    /** Closes the link; a shared subscription stays until its last link is closed. */
    private void unsubscribed(Throwable failure) {
        if (failure != null && !(subscription.shared() && Conditions.isInUse(failure))) {
            sender.setCondition(Conditions.of(failure));
        }
        closeSender();
    }

    private void closeSender() {
        if (connection.isRunning() && sender.isLocallyOpen()) {
            sender.close();
        }
    }
}
