package io.ringtable.broker.catalog;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says who owns which client ids: the first user of a client id with durable subscriptions owns it. Without users
 * everybody is the same user, whose name is empty and who owns nothing.
 * <p>
 * Thread: committer changes the owners; before it starts, the housekeeper during recovery. Any looks things up.
 */
public final class ClientOwners {
    private final Map<String, String> byClient = new ConcurrentHashMap<>();

    /** Returns the owner of a client id; null if there is none yet. */
    public String of(String clientId) {
        return byClient.get(clientId);
    }

    public void put(String clientId, String owner) {
        byClient.put(clientId, owner);
    }

    public void remove(String clientId) {
        byClient.remove(clientId);
    }
}
