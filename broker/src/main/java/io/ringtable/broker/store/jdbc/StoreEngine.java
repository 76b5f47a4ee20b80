package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.store.RingStore;

/** Opens stores of one engine; {@link java.util.ServiceLoader} finds it, so that nothing lists engines by name. */
public interface StoreEngine {

    /** Returns what a JDBC URL of this engine begins with, e.g. {@code jdbc:sqlite:}. */
    String urlPrefix();

    /** Tells people a URL to copy and the supported versions. */
    String supported();

    /** Answers whether this engine is taken when no URL is configured. */
    default boolean embedded() {
        return false;
    }

    /** Opens the store, or throws {@link io.ringtable.broker.store.StoreFailure}; touches no unsupported database. */
    RingStore open(StoreSettings settings);
}
