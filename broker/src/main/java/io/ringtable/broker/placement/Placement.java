package io.ringtable.broker.placement;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreEngine;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Says in which database each shard lies, as the configuration has it. Shards that no store names lie in that of {@code
 * ringtable.store}, as shard 0 always does. Immutable; any thread.
 */
public final class Placement {
    /** The name of {@code ringtable.store}. */
    public static final String MAIN = "main";

    private final int shards;
    private final List<StoreProperties.Named> stores;
    private final Map<Integer, StoreProperties.Named> elsewhere = new HashMap<>(); // by number of the shard

    /**
     * @param stores the databases beside that of {@code ringtable.store}
     * @param shards how many shards the node has
     * @throws ConfigurationRefused if the stores contradict each other, or name a shard that there is not
     */
    public Placement(List<StoreProperties.Named> stores, int shards) {
        this.shards = shards;
        this.stores = List.copyOf(stores);
        Set<String> names = new HashSet<>(Set.of(MAIN));
        for (StoreProperties.Named store : stores) {
            if (!names.add(store.name())) {
                throw new ConfigurationRefused(
                        "RT-1206",
                        "ringtable.stores has two of the name '" + store.name() + "', or one that is called '" + MAIN
                                + "' as ringtable.store is: give each a name of its own");
            }
            store.shards().forEach(shard -> place(shard, store));
        }
    }

    private void place(int shard, StoreProperties.Named store) {
        if (shard < 1 || shard >= shards) {
            throw new ConfigurationRefused(
                    "RT-1207",
                    "store '" + store.name() + "' names shard " + shard + ", and ringtable.shards=" + shards
                            + ": name shards from 1 to " + (shards - 1)
                            + (shard == 0 ? ". Shard 0 lies in ringtable.store" : ", or raise ringtable.shards"));
        }
        StoreProperties.Named other = elsewhere.put(shard, store);
        if (other != null) {
            throw new ConfigurationRefused(
                    "RT-1211",
                    "stores '" + other.name() + "' and '" + store.name() + "' both name shard " + shard
                            + ": let it lie in one of them");
        }
    }

    /** Returns how many shards there are. */
    int shards() {
        return shards;
    }

    /** Answers whether there is more than one database. */
    public boolean isSplit() {
        return !stores.isEmpty();
    }

    /** Returns the name of the store in which the shard lies. */
    public String nameOf(int shard) {
        StoreProperties.Named store = elsewhere.get(shard);
        return store == null ? MAIN : store.name();
    }

    /**
     * Returns the lowest shard of the database in which the shard lies. That number stands for the database: lower
     * shards cannot come, since shards are added at the end and never move.
     */
    int doorOf(int shard) {
        StoreProperties.Named store = elsewhere.get(shard);
        return store == null
                ? 0
                : store.shards().stream().mapToInt(Integer::intValue).min().orElseThrow();
    }

    /** Returns the lowest shard of each database, that of {@code ringtable.store} first. */
    List<Integer> doors() {
        return IntStream.range(0, shards).map(this::doorOf).distinct().boxed().toList();
    }

    /** Returns the settings of the store in which the shard lies. @param main those of {@code ringtable.store} */
    StoreSettings settings(StoreSettings main, int shard) {
        StoreProperties.Named store = elsewhere.get(shard);
        StoreProperties properties =
                store == null ? main.properties() : main.properties().at(store);
        return new StoreSettings(properties, main.dataDir(), shard);
    }

    /**
     * Returns the engine of all stores, before anything is opened.
     *
     * @throws ConfigurationRefused if several databases are not several databases of one server engine
     * @throws io.ringtable.broker.store.StoreFailure if there is no such engine
     */
    StoreEngine engine(StoreSettings main) {
        StoreEngine engine = RingStores.engine(main);
        Map<String, String> byUrl = new HashMap<>();
        for (int door : doors()) {
            StoreProperties properties = settings(main, door).properties();
            String shown = "store '" + nameOf(door) + "' at " + properties.shownUrl();
            if (isSplit() && (engine.embedded() || !properties.url().startsWith(engine.urlPrefix()))) {
                throw new ConfigurationRefused(
                        "RT-1208",
                        shown + " cannot be one of several: shards lie in several databases of PostgreSQL, or in"
                                + " several of SQL Server. On SQLite leave ringtable.stores out: each shard has a file"
                                + " of its own beside the others");
            }
            String same = byUrl.put(String.valueOf(properties.url()), nameOf(door));
            if (same != null) {
                throw new ConfigurationRefused(
                        "RT-1212",
                        shown + " is the database of store '" + same + "' as well: name all of its shards in one");
            }
        }
        return engine;
    }

    /** Returns the address of the database of a shard, for people. */
    String placeOf(StoreSettings main, int shard) {
        return String.valueOf(settings(main, shard).properties().shownUrl());
    }
}
