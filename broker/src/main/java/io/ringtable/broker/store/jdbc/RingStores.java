package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Opens a store on the engine that its JDBC URL names. Thread: any. */
public final class RingStores {
    private RingStores() {}

    /** Opens a store on the engine that {@link #engine} finds. */
    public static RingStore open(StoreSettings settings) {
        return engine(settings).open(settings);
    }

    /**
     * Returns the engine of the URL, before anything is opened. An unknown engine is refused as {@link
     * StoreFailure.Kind#UNSUPPORTED}, with the known ones named.
     */
    public static StoreEngine engine(StoreSettings settings) {
        String url = settings.properties().url();
        List<StoreEngine> engines = engines();
        return engines.stream()
                .filter(engine -> url == null ? engine.embedded() : url.startsWith(engine.urlPrefix()))
                .findFirst()
                .orElseThrow(() -> new StoreFailure(
                        StoreFailure.Kind.UNSUPPORTED,
                        "RT-3001",
                        "ringtable.store.url='" + settings.properties().shownUrl()
                                + "' names no supported engine; supported are "
                                + engines.stream().map(StoreEngine::supported).collect(Collectors.joining("; "))));
    }

    /** Returns every engine on the class path, in alphabetical order of their URLs. */
    public static List<StoreEngine> engines() {
        return ServiceLoader.load(StoreEngine.class, RingStores.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparing(StoreEngine::urlPrefix))
                .toList();
    }
}
