package io.ringtable.broker.catalog;

import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Holds what administrators set at run time, as it stands in the table, and tells who gives it meaning of changes.
 * <p>
 * Thread: committer changes the settings; before it starts, the housekeeper during recovery. Those of a shard that
 * another node owns follow the table on {@code cluster-keeper}. Any looks things up.
 */
public final class StoredSettings {
    private final Map<SettingKind, ConcurrentSkipListMap<String, Setting>> byKind = new EnumMap<>(SettingKind.class);
    private final Map<SettingKind, Runnable> listeners = new ConcurrentHashMap<>();
    private long characters; // of all documents; committer's

    public StoredSettings() {
        for (SettingKind kind : SettingKind.values()) {
            byKind.put(kind, new ConcurrentSkipListMap<>());
        }
    }

    /** Returns the settings of a kind by name, as they are now. */
    public List<Setting> of(SettingKind kind) {
        return List.copyOf(byKind.get(kind).values());
    }

    /** Returns the setting of that kind and name; null if there is none. */
    public Setting find(SettingKind kind, String name) {
        return byKind.get(kind).get(name);
    }

    /**
     * Names who is told of each later change of a kind, on the committer's thread, before the caller of the change is
     * answered. The listener returns soon and throws nothing.
     */
    public void listen(SettingKind kind, Runnable changed) {
        listeners.put(kind, changed);
    }

    // ---- for the committer

    /** Returns the number of settings of a kind. */
    public int count(SettingKind kind) {
        return byKind.get(kind).size();
    }

    /** Returns the length of all documents together. */
    public long characters() {
        return characters;
    }

    /** Adds what the table has, without telling anybody. */
    public void recovered(Setting setting) {
        count(byKind.get(setting.kind()).put(setting.name(), setting), -1);
        count(setting, 1);
    }

    public void put(Setting setting) {
        recovered(setting);
        changed(setting.kind());
    }

    public void remove(SettingKind kind, String name) {
        count(byKind.get(kind).remove(name), -1);
        changed(kind);
    }

    /** Replaces all of a kind by what the table has now, and tells of that if it is another. */
    public void replace(SettingKind kind, List<Setting> all) {
        Map<String, Setting> now = new HashMap<>();
        all.forEach(setting -> now.put(setting.name(), setting));
        if (!byKind.get(kind).equals(now)) {
            byKind.get(kind).keySet().retainAll(now.keySet());
            byKind.get(kind).putAll(now);
            changed(kind);
        }
    }

    private void count(Setting setting, int sign) {
        if (setting != null) {
            characters += (long) sign * setting.document().length();
        }
    }

    private void changed(SettingKind kind) {
        Runnable listener = listeners.get(kind);
        if (listener != null) {
            listener.run();
        }
    }
}
