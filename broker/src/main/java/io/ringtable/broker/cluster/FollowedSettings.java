package io.ringtable.broker.cluster;

import io.ringtable.broker.catalog.StoredSettings;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.setting.access.RuntimeAccess;
import io.ringtable.broker.setting.policy.RuntimePolicies;
import io.ringtable.broker.store.RingStore;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Makes the users, rules, roles and policies of the first shard count in a node that does not own it. They are read
 * from its table, and only what has changed is applied. While this node owns the shard, the shard tells of changes by
 * itself.
 * <p>
 * Thread: housekeeper and keepers of shards begin and end it, cluster-keeper reads. The lock is not held during a read.
 */
final class FollowedSettings {
    private static final List<SettingKind> KINDS =
            List.of(SettingKind.USER, SettingKind.RULE, SettingKind.ROLE, SettingKind.POLICY);

    private final RuntimeAccess access;
    private final StoredSettings settings = new StoredSettings();
    private RingStore store; // that of the first shard; under the lock, as all below
    private CurrentPolicies policies; // null before the node serves
    private long turn; // raised whenever what is being read counts no more
    private boolean isOwn;

    FollowedSettings(RuntimeAccess access) {
        this.access = access;
    }

    StoredSettings settings() {
        return settings;
    }

    /** Says where they lie. */
    synchronized void in(RingStore itsStore) {
        store = itsStore;
    }

    /**
     * Reads them for a node that is about to serve. A database without any shard has none.
     *
     * @throws io.ringtable.broker.store.StoreFailure if they cannot be read: the node must not serve without them
     */
    void begin() {
        RingStore from;
        long mine;
        synchronized (this) {
            from = store;
            isOwn = false;
            policies = null;
            mine = ++turn;
        }
        apply(from.placements().held().isEmpty() ? List.of() : from.readSettings(), mine);
        synchronized (this) {
            access.follow(settings);
        }
    }

    /** Makes the policies count, now and after each change. */
    synchronized void follow(CurrentPolicies those) {
        policies = those;
        RuntimePolicies stored = new RuntimePolicies(those);
        Runnable apply = () -> stored.apply(settings.of(SettingKind.POLICY));
        settings.listen(SettingKind.POLICY, apply);
        apply.run();
    }

    /** Reads them again, unless the first shard is this node's own. */
    void look() {
        RingStore from;
        long mine;
        synchronized (this) {
            if (isOwn || policies == null) {
                return;
            }
            from = store;
            mine = turn;
        }
        apply(from.readSettings(), mine);
    }

    private synchronized void apply(List<Setting> read, long itsTurn) {
        if (itsTurn == turn) {
            Map<SettingKind, List<Setting>> byKind = read.stream().collect(Collectors.groupingBy(Setting::kind));
            KINDS.forEach(kind -> settings.replace(kind, byKind.getOrDefault(kind, List.of())));
        }
    }

    /** Stops to follow the table. */
    synchronized void firstIsOwn() {
        isOwn = true;
        turn++;
    }

    /** Follows the table again. Until the next look what the shard had at its end counts. */
    synchronized void firstIsOthers(StoredSettings had) {
        isOwn = false;
        turn++;
        KINDS.forEach(kind -> settings.replace(kind, had.of(kind)));
        access.follow(settings);
        if (policies != null) {
            follow(policies);
        }
    }
}
