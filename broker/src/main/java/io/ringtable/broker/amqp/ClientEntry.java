package io.ringtable.broker.amqp;

import io.ringtable.broker.amqp.attach.Containers;
import io.ringtable.broker.amqp.link.Conditions;
import io.ringtable.broker.amqp.link.OpenConnection;
import io.ringtable.broker.amqp.link.UserLimit;
import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.message.Printable;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;

/**
 * Counts one client against what bounds clients: all of them together, those of its user, and its container id.
 * <p>
 * Thread: the connection's event loop.
 */
final class ClientEntry {
    private final OpenConnection client;
    private final AmqpServer server;
    private final Admission admission;
    private boolean counted; // among the open connections
    private UserLimit limit; // against which it counts; null before
    private boolean entered; // counted under its container id

    ClientEntry(OpenConnection client, AmqpServer server) {
        this.client = client;
        this.server = server;
        this.admission = server.admission();
    }

    /**
     * Counts the client, until {@link #leave()}.
     *
     * @param sole whether the client wants to be the only one of its container id
     * @return why the broker refuses the client, which counts no more then; null if the broker serves it
     */
    ErrorCondition enter(boolean sole) {
        ErrorCondition refusal = refusal(sole);
        if (refusal != null) {
            leave();
        }
        return refusal;
    }

    private ErrorCondition refusal(boolean sole) {
        counted = admission.enter();
        if (!counted) {
            return Conditions.limit(
                    "RT-4035",
                    "too many connections: ringtable.amqp.connections-max="
                            + server.settings().connectionsMax() + ": close some or raise it");
        }
        limit = admission.enter(client.user());
        if (limit == null) {
            return Conditions.limit(
                    "RT-4370",
                    "user '" + Printable.value(client.user()) + "' has as many connections as it may, "
                            + admission.connectionsMax(client.user())
                            + ": close some, or raise ringtable.security.user-connections-max. A user may have a"
                            + " connections-max of its own (connectionsMax of a user that was made at run time)");
        }
        String container = client.containerId();
        if (!client.user().isEmpty() && container.startsWith(ClientOwners.GLOBAL_PREFIX)) {
            return containerRefusal(
                    "RT-4353",
                    "begins as the names of global subscriptions do, by which the broker knows whose they are: choose"
                            + " another client id");
        }
        String owner = client.user().isEmpty() ? null : server.shard().lookup().ownerOf(container);
        if (owner != null && !owner.equals(client.user())) {
            return containerRefusal("RT-4332", "belongs to another user, who used it first: choose another client id");
        }
        Containers.Entry entry = server.containers().enter(container, client.user(), sole);
        entered = entry == Containers.Entry.ENTERED;
        return switch (entry) {
            case ENTERED -> null;
            case IN_USE ->
                containerRefusal(
                        "RT-4036", "is in use by another connection: close that one or choose another client id");
            case OF_ANOTHER_USER -> containerRefusal("RT-4335", "is in use by another user: choose another client id");
        };
    }

    private ErrorCondition containerRefusal(String code, String why) {
        return Conditions.of(
                AmqpError.INVALID_FIELD,
                code + " container id '" + Printable.value(client.containerId()) + "' " + why,
                Map.of(Symbol.valueOf("invalid-field"), Symbol.valueOf("container-id")));
    }

    /** Returns the bounds of the user, against which the client counts once it has entered. */
    UserLimit limit() {
        return limit;
    }

    /** Has the user follow the bounds of now. */
    void boundsChanged() {
        if (limit != null) {
            admission.boundsChanged(limit);
        }
    }

    /** Gives up what a client counts for that is gone, or refused. */
    void leave() {
        if (counted) {
            counted = false;
            admission.leave();
        }
        if (limit != null) {
            admission.leave(limit);
            limit = null;
        }
        if (entered) {
            entered = false;
            server.containers().leave(client.containerId());
        }
    }
}
