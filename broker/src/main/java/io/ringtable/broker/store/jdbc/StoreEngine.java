package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.store.RingStore;

/** An engine that can be opened; found by {@link java.util.ServiceLoader}, so that nothing lists engines by name. */
public interface StoreEngine {

    /** What a JDBC URL of this engine begins with, e.g. {@code jdbc:sqlite:}. */
    String urlPrefix();

    /** For people: a URL to copy and the versions that are supported. */
    String supported();

    /** Whether this engine is taken when no URL is configured. */
    default boolean embedded() {
        return false;
    }

    /** Opens the store, or throws {@link io.ringtable.broker.store.StoreFailure}; touches no database it does not support. */
    RingStore open(StoreSettings settings);
}
