package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.CatalogChange;
import java.util.List;

/**
 * Gives client ids to the users who first make a durable subscription with them, and takes them back with the last one.
 * <p>
 * Thread: committer, between flushes.
 */
final class ClientOwnership {
    private final ClientOwners owners;
    private final CatalogWriter writer;

    ClientOwnership(ClientOwners owners, CatalogWriter writer) {
        this.owners = owners;
        this.writer = writer;
    }

    /** Durable when it returns; refused if the client id is another user's. */
    void own(String clientId, String user) {
        if (user.isEmpty() || clientId.isEmpty()) {
            return;
        }
        String owner = owners.of(clientId);
        if (owner == null) {
            write(new CatalogChange.OwnClient(clientId, user));
            owners.put(clientId, user);
        } else if (!owner.equals(user)) {
            throw new Refusal.Refused(notYours(clientId));
        }
    }

    /** Its last durable subscription is gone. */
    void disown(String clientId) {
        if (owners.of(clientId) != null) {
            write(new CatalogChange.OwnClient(clientId, null));
            owners.remove(clientId);
        }
    }

    /** Made twice it says the same: so it need not be found out whether it has happened. */
    private void write(CatalogChange.OwnClient change) {
        writer.write(List.of(change), 0, tables -> tables.clientOwners().contains(change));
    }

    private static Refusal notYours(String clientId) {
        return new Refusal(
                Refusal.Reason.NOT_ALLOWED,
                "RT-4332",
                "client id '" + Printable.value(clientId)
                        + "' belongs to another user, who used it first: choose another"
                        + " client id, or let the operator hand it over");
    }
}
