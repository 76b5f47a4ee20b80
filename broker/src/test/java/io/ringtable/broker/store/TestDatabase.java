package io.ringtable.broker.store;

import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.opentest4j.TestAbortedException;

/**
 * Holds a database of its own, without rows at first, for one test. An engine implements it to pass
 * {@link RingStoreContract}.
 */
public interface TestDatabase {

    /** Where it is. */
    StoreSettings settings();

    /** A store on it; may be called again, after the first was closed or (unless the file is exclusive) before. */
    default RingStore open() {
        return RingStores.open(settings());
    }

    /** A connection beside the store's, to look and to tamper with; the caller closes it. */
    Connection connect() throws SQLException;

    /** From now on the engine itself refuses each row of the ring that belongs to the address. */
    void refuseRowsOf(long addressId) throws SQLException;

    /** Takes a chunk of the staged body away, behind the store's back. */
    void loseChunk(long bodyId) throws SQLException;

    /** Damages the ring row of the message behind the store's back: its place then holds another sequence or none. */
    void damageRing(long sequence) throws SQLException;

    /** The access paths of the statements that run per flush, per message read and per reclaim. */
    List<QueryPlan> hotPlans() throws SQLException;

    /** The access path of the statement of that file, with tables that may be empty; blank if the engine tells none. */
    String plan(String statement) throws SQLException;

    /** Returns the words of a plan before the name of our table when the engine reads it from one end to the other. */
    String scan();

    /** Restores the owner row of the time when the shard had that epoch, as a backup or a promoted replica has it. */
    void bringBackEpoch(long epoch) throws SQLException;

    /** Makes the lease begin an hour later, as if the clock of the server had been set back by that since. */
    default void setClockBack() throws SQLException {
        throw new TestAbortedException("an embedded engine has no lease");
    }

    /** Cuts every connection of the store, as a failing network would; an engine without a network skips the test. */
    default void cutConnections() throws SQLException {
        throw new TestAbortedException("there is no connection to cut in an embedded engine");
    }

    /** Removes it. */
    void close() throws Exception;

    /**
     * How the engine finds the rows of one statement.
     *
     * @param statement the file's name
     * @param plan as the engine tells it
     * @param key what the plan must name
     * @param forbidden what it must not contain, such as a scan of the whole table
     */
    record QueryPlan(String statement, String plan, String key, String forbidden) {}
}
