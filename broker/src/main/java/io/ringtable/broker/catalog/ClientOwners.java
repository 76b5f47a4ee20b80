package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Hash;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says who owns which client ids and which global subscriptions. The first user of a client id with durable
 * subscriptions owns the id. The first user of a global subscription owns that. Without users everybody is the same
 * user, whose name is empty and who owns nothing.
 * <p>
 * Thread: committer changes the owners; before it starts, the housekeeper during recovery. Any looks things up.
 */
public final class ClientOwners {
    /**
     * Begins the keys of global subscriptions, which have no client id: each has an owner of its own. No client id
     * begins so where there are users.
     */
    public static final String GLOBAL_PREFIX = "|global|";

    /** Limits the characters of a key, as the stores do. */
    private static final int KEY_MAX = 400;
    /** Leaves room for a digest behind the beginning of a name that is too long for a key. */
    private static final int NAME_SHOWN = 320;

    private final Map<String, String> byClient = new ConcurrentHashMap<>();

    /** Returns under which key the owner of a subscription stands: its client id or, if it is global, its name. */
    public static String keyOf(String clientId, String name) {
        if (!clientId.isEmpty()) {
            return clientId;
        }
        return GLOBAL_PREFIX
                + (GLOBAL_PREFIX.length() + name.length() <= KEY_MAX
                        ? name
                        : name.substring(0, NAME_SHOWN) + "|" + digest(name));
    }

    private static String digest(String name) {
        return HexFormat.of().formatHex(Hash.sha256(name.getBytes(StandardCharsets.UTF_16)));
    }

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
