package io.ringtable.broker.store.jdbc;

import java.sql.SQLException;

/** Something done on a connection, or on what stands for one. */
@FunctionalInterface
public interface SqlWork<C, T> {
    T on(C connection) throws SQLException;
}
