package io.ringtable.broker.catalog;

import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.CatalogChange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whose client ids are: a client id with durable subscriptions belongs to the user who first used one of them. Without users everybody
 * is the same user, whose name is empty and who owns nothing.
 * <p>
 * Thread: committer changes it, any looks things up.
 */
public final class ClientOwners {
    private final Map<String, String> byClient = new ConcurrentHashMap<>();

    /** As the tables say; called at recovery. */
    public void recovered(List<CatalogChange.OwnClient> stored) {
        stored.forEach(row -> byClient.put(row.clientId(), row.owner()));
    }

    /** Null if it is nobody's yet. */
    public String of(String clientId) {
        return byClient.get(clientId);
    }

    /** Durable when it returns; refused if the client id is another user's. */
    public void own(String clientId, String user, CatalogWriter alterations) {
        if (user.isEmpty() || clientId.isEmpty()) {
            return;
        }
        String owner = byClient.get(clientId);
        if (owner == null) {
            make(new CatalogChange.OwnClient(clientId, user), alterations);
            byClient.put(clientId, user);
        } else if (!owner.equals(user)) {
            throw new Refusal.Refused(notYours(clientId));
        }
    }

    /** Its last durable subscription is gone. */
    public void disown(String clientId, CatalogWriter alterations) {
        if (byClient.containsKey(clientId)) {
            make(new CatalogChange.OwnClient(clientId, null), alterations);
            byClient.remove(clientId);
        }
    }

    /** Made twice it says the same: so it need not be found out whether it has happened. */
    private static void make(CatalogChange.OwnClient change, CatalogWriter alterations) {
        alterations.make(List.of(change), 0, tables -> tables.clientOwners().contains(change));
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
