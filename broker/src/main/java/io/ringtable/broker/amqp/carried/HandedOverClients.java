package io.ringtable.broker.amqp.carried;

import io.ringtable.broker.amqp.link.AmqpLink.Handing;
import io.ringtable.broker.amqp.link.OpenConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Lets go of a shard that another node takes over, client by client: each goes once its links of the shard are at rest.
 * A client that does not come to rest in time must connect again (ADR 70).
 * <p>
 * Thread: the event loop of the connection that the clients are on.
 */
public final class HandedOverClients {
    private static final long LOOK_MS = 10;
    /** Bounds the wait to a second. Where this node itself stands still, its clients get no less for that. */
    private static final int LOOKS_MAX = 100;

    /** Is a client with links of the shard, which are suspended. */
    public interface Client {
        /** Tells whether the client is there. */
        boolean isThere();

        /** Lets go of the shard, if each of the links is at rest. @return how far the last one is */
        Handing handOver(HandedOver to);

        /** Has the client connect again. */
        void closeFor(String why);
    }

    private final HandedOver to;
    private final String why;
    private final OpenConnection connection;
    private final BooleanSupplier isGone;
    private final Runnable whenDone;
    private final List<Client> clients;
    private int looks;

    /**
     * Makes it for the clients of one connection.
     *
     * @param why clients must connect again
     * @param isGone asked once no client is left: whether nothing of the shard waits for the socket
     * @param whenDone runs when nothing is left
     */
    public HandedOverClients(
            HandedOver to,
            String why,
            OpenConnection connection,
            BooleanSupplier isGone,
            Runnable whenDone,
            List<? extends Client> clients) {
        this.to = to;
        this.why = why;
        this.connection = connection;
        this.isGone = isGone;
        this.whenDone = whenDone;
        this.clients = new ArrayList<>(clients);
    }

    /** Lets go of what is at rest, and looks again soon if something is left. */
    public void goOn() {
        boolean isLate = looks++ >= LOOKS_MAX;
        clients.removeIf(client -> {
            Handing handing = client.isThere() ? client.handOver(to) : Handing.DONE;
            if (handing == Handing.WAITS && isLate) {
                client.closeFor(why);
            }
            return handing == Handing.DONE || handing == Handing.WAITS && isLate;
        });
        if (clients.isEmpty() && isGone.getAsBoolean()) {
            whenDone.run();
        } else if (connection.isRunning()) {
            connection.mailbox().later(this::goOn, LOOK_MS);
        }
    }
}
