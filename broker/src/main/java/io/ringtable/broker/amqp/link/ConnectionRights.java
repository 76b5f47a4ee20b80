package io.ringtable.broker.amqp.link;

import io.ringtable.broker.access.AccessControl;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.access.OriginRights;
import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Rights;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * Answers what the user of one connection may do by the rules that count now. Keeps answers, so that one costs a
 * look-up for each message. A refusal is the same whether the address exists or not.
 * <p>
 * Temporary addresses need no rule. Everybody who knows the name of one may send to it, and only the connection that
 * made it receives from it.
 * <p>
 * Thread: the connection's event loop.
 */
public final class ConnectionRights {
    /** The most addresses whose answers are kept. */
    private static final int ADDRESSES_KEPT = 1_000;

    private final OpenConnection connection;
    private final AccessControl control;
    private final CatalogLookup lookup;
    private final Supplier<Set<String>> deadLetterQueues; // and those of expired messages
    private final AmqpCounters counters;
    private final PeerLog log;
    private final Map<String, Set<Permission>> permitted = new HashMap<>(); // by address, by the rules below
    private AccessRules rules; // that the rights follow from; null before the first question
    private Identity who; // whose rights they are
    private Rights rights;

    /** @param deadLetterQueues names of all queues to which policies move messages now */
    public ConnectionRights(
            OpenConnection connection,
            AccessControl control,
            CatalogLookup lookup,
            Supplier<Set<String>> deadLetterQueues,
            AmqpCounters counters,
            PeerLog log) {
        this.connection = connection;
        this.control = control;
        this.lookup = lookup;
        this.deadLetterQueues = deadLetterQueues;
        this.counters = counters;
        this.log = log;
    }

    private Rights rights() {
        AccessRules now = control.rules();
        Identity user = connection.identity();
        if (now != rules || user != who) {
            rules = now;
            who = user;
            rights = now.of(user);
            permitted.clear();
        }
        return rights;
    }

    /** Returns why the user may not do that; null if it may. */
    public ErrorCondition refusal(Permission permission, String address) {
        return permits(permission, address) ? null : refused(permission, address);
    }

    /** Tells whether the user may do that, without a word about a refusal. */
    public boolean permits(Permission permission, String address) {
        Rights now = rights();
        if (now.unlimited() || address.startsWith(Address.TEMPORARY_PREFIX)) {
            return true;
        }
        Set<Permission> known = permitted.get(address);
        if (known == null) {
            if (permitted.size() >= ADDRESSES_KEPT) {
                permitted.clear();
            }
            known = now.on(address);
            permitted.put(address, known);
        }
        return known.contains(permission);
    }

    /** Tells whether a rule lets the user do that: where there are no rules, none does. */
    public boolean permitsByRule(Permission permission, String address) {
        return !rights().unlimited() && permits(permission, address);
    }

    private ErrorCondition refused(Permission permission, String address) {
        return refused(
                AmqpError.UNAUTHORIZED_ACCESS,
                "RT-4350 user '" + Printable.value(connection.user()) + "' may not " + permission.verb() + " '"
                        + Printable.value(address) + "': have an administrator add a rule to ringtable.security.rules."
                        + " The rule gives this user, or a group of it, the permission '" + permission
                        + "' for that address");
    }

    private ErrorCondition refused(Symbol condition, String text) {
        counters.permissionsRefused.increment();
        log.warn("{}, permission refused: {}", connection, text);
        return Conditions.of(condition, text);
    }

    // ---- what consumers read

    /**
     * Returns how far the user may read a queue whose messages follow the rights of the addresses that they came from.
     * Returns null if the rights of the address itself count.
     *
     * @param permission to receive or to browse
     */
    public OriginRights byOrigin(Permission permission, String address) {
        return rights().byOrigin(permission, address, deadLetterQueues.get());
    }

    /** Returns why the user may read nothing of an address; null if it may read some. */
    public ErrorCondition readRefusal(Permission permission, String address) {
        OriginRights origins = byOrigin(permission, address);
        if (origins == null) {
            return refusal(permission, address);
        }
        return origins.permitsSome() ? null : refused(permission, address);
    }

    /** Returns why a consumer cannot go on as it began; null if it can. @param began as {@link #byOrigin} said then */
    public ErrorCondition readRefusal(Permission permission, String address, OriginRights began) {
        ErrorCondition refusal = readRefusal(permission, address);
        if (refusal != null || Objects.equals(began, byOrigin(permission, address))) {
            return refusal;
        }
        return refused(
                LinkError.DETACH_FORCED,
                "RT-4351 the rights of user '" + Printable.value(connection.user()) + "' have changed, and with them"
                        + " which messages of '" + Printable.value(address) + "' it sees: attach anew");
    }

    // ---- durable subscriptions

    /** Returns the user as the catalogue asks for it. */
    public SubscriptionUser subscriptionUser() {
        Rights now = rights();
        return new SubscriptionUser(connection.user(), address -> now.permits(Permission.MANAGE, address.name()));
    }

    /**
     * Returns why the user may neither see nor close a durable subscription; null if it may. A subscription that is
     * nobody's yet is for users who may read its topic.
     */
    public ErrorCondition ownerRefusal(Subscription subscription) {
        String topic = subscription.address().name();
        String owner = lookup.ownerOf(subscription);
        boolean isMine = owner == null ? permits(Permission.RECEIVE, topic) : owner.equals(connection.user());
        if (isMine || permits(Permission.MANAGE, topic)) {
            return null;
        }
        return refused(
                AmqpError.UNAUTHORIZED_ACCESS,
                SubscriptionUser.NOT_YOURS + " " + SubscriptionUser.notYours(connection.user(), subscription.name()));
    }
}
