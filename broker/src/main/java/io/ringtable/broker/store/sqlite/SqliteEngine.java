package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.jdbc.StoreEngine;
import io.ringtable.broker.store.jdbc.StoreSettings;

/** Opens SQLite, embedded, for a broker without a store URL. */
public final class SqliteEngine implements StoreEngine {

    @Override
    public String urlPrefix() {
        return SqliteFile.URL_PREFIX;
    }

    @Override
    public String supported() {
        return "SQLite " + SqliteDialect.VERSION_MIN + " and newer, embedded (jdbc:sqlite:/path/to/ringtable.db)";
    }

    @Override
    public boolean embedded() {
        return true;
    }

    @Override
    public RingStore open(StoreSettings settings) {
        SqliteFile file = SqliteFile.lock(settings);
        try {
            SqliteDialect dialect = new SqliteDialect(file);
            dialect.refuseForeign();
            return new SqliteRingStore(settings, dialect, file);
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }
}
