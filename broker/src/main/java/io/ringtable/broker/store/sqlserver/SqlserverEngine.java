package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.jdbc.StoreEngine;
import io.ringtable.broker.store.jdbc.StoreSettings;

/** Opens SQL Server for a broker whose store URL begins with {@code jdbc:sqlserver:}. */
public final class SqlserverEngine implements StoreEngine {

    @Override
    public String urlPrefix() {
        return "jdbc:sqlserver:";
    }

    @Override
    public String supported() {
        return SqlserverDialect.SUPPORTED + " (jdbc:sqlserver://host:1433;databaseName=database)";
    }

    @Override
    public RingStore open(StoreSettings settings) {
        return new SqlserverRingStore(settings, new SqlserverDialect(settings.properties()));
    }
}
