package io.ringtable.broker.catalog;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says whose client ids are: a client id with durable subscriptions belongs to the user who first used one of them.
 * Without users everybody is the same user, whose name is empty and who owns nothing.
 * <p>
 * Thread: committer changes it (before it starts: whoever recovers), any looks things up.
 */
public final class ClientOwners {
    private final Map<String, String> byClient = new ConcurrentHashMap<>();

    /** Null if it is nobody's yet. */
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
