package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.jdbc.StoreEngine;
import io.ringtable.broker.store.jdbc.StoreSettings;

/** Opens PostgreSQL for a broker whose store URL begins with {@code jdbc:postgresql:}. */
public final class PostgresqlEngine implements StoreEngine {

    @Override
    public String urlPrefix() {
        return "jdbc:postgresql:";
    }

    @Override
    public String supported() {
        return PostgresqlDialect.SUPPORTED + " (jdbc:postgresql://host:5432/database)";
    }

    @Override
    public RingStore open(StoreSettings settings) {
        return new PostgresqlRingStore(settings, new PostgresqlDialect(settings.properties()));
    }
}
