package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Tells the shared code what it has to know of an engine. Thread: any. */
public interface Dialect {

    /** Returns the engine's folder below {@code db/}. */
    String engine();

    /** Returns the file or the database, as failures name it; without secrets. */
    String place();

    /**
     * Returns the schema that holds our tables, so that they may stand beside other applications' tables; connections
     * use it. Null if the database has no schemas: then the broker owns the whole database.
     */
    default String schema() {
        return null;
    }

    /** Returns a source whose every call connects anew. A connection comes configured, with auto-commit on. */
    DataSource dataSource();

    /** Returns the source of the one connection that writes the ring. */
    default DataSource writerDataSource() {
        return dataSource();
    }

    /** Returns the source for steps of the schema, which may take as long as they need. */
    default DataSource migrationDataSource() {
        return dataSource();
    }

    /** Returns the statement that reads which steps of the schema the database has taken. */
    String historyRows();

    /**
     * Refuses a server that is too old or not configured as durability needs it, as {@link
     * StoreFailure.Kind#UNSUPPORTED} with the supported versions named. A server that is only a copy for now is {@link
     * StoreFailure.Kind#UNAVAILABLE}. Called for each writing connection, as a fail-over may lead to another server.
     */
    StoreLimits verify(Connection connection) throws SQLException;

    /**
     * Classifies a failed call, seen by itself: {@link StoreFailure.Kind#UNAVAILABLE} for a lost connection. The caller
     * knows whether a commit may have been under way, and then answers {@link StoreFailure.Kind#OUTCOME_UNKNOWN}.
     */
    StoreFailure.Kind classify(SQLException failure);

    /** Answers whether the server takes no writes, so that another one may be the primary: its connections go. */
    default boolean isOfReplica(SQLException failure) {
        return false;
    }
}
