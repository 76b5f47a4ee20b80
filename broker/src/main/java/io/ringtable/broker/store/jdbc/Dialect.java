package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What the shared code has to know of an engine. Thread: any. */
public interface Dialect {

    /** The engine's folder below {@code db/}. */
    String engine();

    /** The file or the database, as failures name it; without secrets. */
    String place();

    /**
     * The schema that holds our tables, so that they may stand beside other people's; connections have it as theirs. Null
     * where the database has no schemas: then it is ours as a whole.
     */
    default String schema() {
        return null;
    }

    /** Every call connects anew; a connection comes configured, with auto-commit on. */
    DataSource dataSource();

    /** The same for the one connection that writes the ring. */
    default DataSource writerDataSource() {
        return dataSource();
    }

    /** The same for steps of the schema, which may take as long as they need. */
    default DataSource migrationDataSource() {
        return dataSource();
    }

    /**
     * Refuses, as {@link StoreFailure.Kind#UNSUPPORTED} with the supported versions named, a server that is too old or
     * not configured as durability needs it.
     */
    StoreLimits verify(Connection connection) throws SQLException;

    /**
     * What a failed call means, seen by itself: {@link StoreFailure.Kind#UNAVAILABLE} for a lost connection (the caller
     * knows whether a commit may have been under way and answers {@link StoreFailure.Kind#OUTCOME_UNKNOWN} then).
     */
    StoreFailure.Kind classify(SQLException failure);
}
