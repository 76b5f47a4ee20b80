package io.ringtable.broker.catalog;

import io.ringtable.broker.message.PublisherLogin;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Holds the logins by which messages of a shard were published, with the ids that stored messages have of them.
 * <p>
 * Thread: committer adds and asks for ids; before it starts, the housekeeper during recovery. Any asks for logins.
 */
public final class LoginIds {
    /** The most logins of a shard: some 30 MB of memory. Those that come later are not kept. */
    public static final int LOGINS_MAX = 100_000;

    private static final int ROOM = 16;

    private final int shard;
    private final Map<PublisherLogin, Integer> ids = new HashMap<>(); // committer's
    private volatile AtomicReferenceArray<PublisherLogin> logins = new AtomicReferenceArray<>(ROOM); // by id
    private int highest; // the highest id, as the lowest is 1; committer's

    LoginIds(int shard) {
        this.shard = shard;
    }

    /** Returns the login of a stored message; {@link PublisherLogin#UNKNOWN} if the id has none. Thread: any. */
    public PublisherLogin of(int id) {
        if (id == PublisherLogin.NOBODY_ID) {
            return PublisherLogin.NOBODY;
        }
        AtomicReferenceArray<PublisherLogin> all = logins;
        PublisherLogin found = id > 0 && id < all.length() ? all.get(id) : null;
        return found == null ? PublisherLogin.UNKNOWN : found;
    }

    // ---- for the committer

    /** Returns the id of a login; {@link PublisherLogin#NOBODY_ID} if somebody has none yet. */
    public int idOf(PublisherLogin login) {
        int id = login.idIn(this, shard);
        if (id != PublisherLogin.NOBODY_ID || login.kind() == PublisherLogin.Kind.NOBODY) {
            return id;
        }
        if (login.kind() == PublisherLogin.Kind.UNKNOWN) {
            return PublisherLogin.UNKNOWN_ID;
        }
        id = ids.getOrDefault(login, PublisherLogin.NOBODY_ID);
        if (id != PublisherLogin.NOBODY_ID) {
            login.knownAs(this, shard, id);
        }
        return id;
    }

    public boolean isFull() {
        return ids.size() >= LOGINS_MAX;
    }

    /** Returns the id of the next login. */
    public int nextId() {
        return highest + 1;
    }

    /** Adds a login that is durable. */
    public void add(PublisherLogin login, int id) {
        AtomicReferenceArray<PublisherLogin> all = logins;
        if (id >= all.length()) {
            all = larger(all, id);
        }
        all.set(id, login);
        logins = all;
        ids.put(login, id);
        highest = Math.max(highest, id);
        login.knownAs(this, shard, id);
    }

    private static AtomicReferenceArray<PublisherLogin> larger(AtomicReferenceArray<PublisherLogin> all, int id) {
        AtomicReferenceArray<PublisherLogin> larger = new AtomicReferenceArray<>(Math.max(id + 1, 2 * all.length()));
        for (int i = 0; i < all.length(); i++) {
            larger.set(i, all.get(i));
        }
        return larger;
    }

    /** Has a login that the shard does not keep count as unknown from now on. */
    public void leaveOut(PublisherLogin login) {
        login.knownAs(this, shard, PublisherLogin.UNKNOWN_ID);
    }
}
