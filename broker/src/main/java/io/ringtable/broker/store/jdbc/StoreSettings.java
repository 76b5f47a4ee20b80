package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.config.Bound;
import io.ringtable.broker.config.StoreProperties;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Holds where a store lies and how the broker speaks with it.
 *
 * @param properties without a URL the store is the embedded SQLite file {@code ringtable.db} in {@code dataDir}
 * @param dataDir directory of the embedded file; created if missing
 */
public record StoreSettings(StoreProperties properties, Path dataDir) {

    public StoreSettings {
        Objects.requireNonNull(properties, "properties");
        Objects.requireNonNull(dataDir, "dataDir");
    }

    /** Returns the settings of the embedded file in the directory, everything else at its default. */
    public static StoreSettings embedded(Path dataDir) {
        return of(null, null, null, dataDir);
    }

    /** Returns the settings of the database at the URL, everything else at its default. */
    public static StoreSettings of(String url, String username, String password, Path dataDir) {
        Map<String, String> given = new HashMap<>();
        given.put("ringtable.store.url", url);
        given.put("ringtable.store.username", username);
        given.put("ringtable.store.password", password);
        given.values().removeIf(Objects::isNull);
        return new StoreSettings(Bound.of(StoreProperties.class, given), dataDir);
    }
}
