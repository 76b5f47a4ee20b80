package io.ringtable.broker.setting;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads the settings of a kind again and again, and each document once: one change costs the same among many.
 * <p>
 * Thread: one at a time.
 */
public final class SettingReader<T> {
    private final Function<Setting, Optional<T>> read;
    private Map<Setting, Optional<T>> known = Map.of(); // by the object, which stays the same as long as it is stored

    /** @param read makes something of a setting; empty if it does not count */
    public SettingReader(Function<Setting, Optional<T>> read) {
        this.read = read;
    }

    /** Returns what is made of the settings that count, in their order. */
    public List<T> read(List<Setting> settings) {
        Map<Setting, Optional<T>> now = new IdentityHashMap<>(settings.size());
        List<T> all = new ArrayList<>(settings.size());
        for (Setting setting : settings) {
            Optional<T> made = known.get(setting);
            if (made == null) {
                made = read.apply(setting);
            }
            now.put(setting, made);
            made.ifPresent(all::add);
        }
        known = now;
        return all;
    }
}
