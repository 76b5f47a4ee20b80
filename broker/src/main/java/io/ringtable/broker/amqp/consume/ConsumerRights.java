package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.access.OriginRights;
import io.ringtable.broker.access.Permission;
import io.ringtable.broker.amqp.link.ConnectionRights;
import io.ringtable.broker.amqp.selector.OriginSelector;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Knows by which rights a link reads its subscription, and how far.
 * <p>
 * Thread: the connection's event loop.
 */
final class ConsumerRights {
    private final ConnectionRights rights;
    private final Address address;
    private final Subscription subscription; // null if other nodes have it, and look themselves
    private final Permission permission;
    private final OriginRights byOrigin; // null unless the user sees a part of a dead-letter or expiry queue

    ConsumerRights(ConnectionRights rights, Subscription subscription, boolean browses) {
        this(rights, subscription.address(), subscription, browses);
    }

    /** Makes the rights of a link that other nodes serve. */
    ConsumerRights(ConnectionRights rights, Address address, boolean browses) {
        this(rights, address, null, browses);
    }

    private ConsumerRights(ConnectionRights rights, Address address, Subscription subscription, boolean browses) {
        this.rights = rights;
        this.address = address;
        this.subscription = subscription;
        this.permission = browses ? Permission.BROWSE : Permission.RECEIVE;
        this.byOrigin = rights.byOrigin(permission, address.name());
    }

    /** Returns what the link gets of the queue. @param selector what the client wants; null = every message */
    Selector within(Selector selector) {
        return byOrigin == null ? selector : new OriginSelector(byOrigin, selector);
    }

    /** Returns why the link cannot go on by the rules that count now; null if it can. */
    ErrorCondition refusal() {
        ErrorCondition refusal = rights.readRefusal(permission, address.name(), byOrigin);
        boolean isOwned = subscription != null && subscription.isStored() && !address.isQueue();
        return refusal == null && isOwned ? rights.ownerRefusal(subscription) : refusal;
    }
}
