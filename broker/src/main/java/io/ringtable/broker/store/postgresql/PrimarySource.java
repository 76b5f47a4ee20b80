package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.postgresql.core.BaseConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects to the one of several servers that takes writes. A promotion begins a new timeline of the server's log. The
 * source refuses a server of an earlier timeline: a former primary that stood still has none of the later messages.
 * Once the source has seen a later timeline, it cuts its connections of earlier ones. So a call that hangs on a frozen
 * server ends when the next primary is found.
 * <p>
 * Thread: any. Failure: a host that does not answer costs its share of the time for a connection.
 */
final class PrimarySource extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(PrimarySource.class);
    private static final String PRIMARY = "primary";

    private final transient String question; // verify_primary
    private final int callMs;
    private final transient Map<Connection, Timeline> open = new WeakHashMap<>(); // guarded by this
    private transient Timeline latest; // guarded by this; null = none seen

    /** Names a timeline of a server and all of its copies. */
    private record Timeline(long system, int number) {
        boolean isBefore(Timeline other) {
            return system == other.system && number < other.number;
        }
    }

    /**
     * @param url names one server or several
     * @param question the statement verify_primary
     * @param call longest wait for an answer to a call
     */
    PrimarySource(String url, String question, Duration call) {
        this.question = question;
        this.callMs = Math.toIntExact(call.toMillis());
        setUrl(url);
    }

    /** Answers whether the URL names several servers. */
    boolean isOfSeveral() {
        return getServerNames().length > 1;
    }

    /** Gives each server a share of the time for a connection, in seconds. Call it when all else is set. */
    void share(int connectSeconds) {
        if (!isOfSeveral()) {
            setSocketTimeout((callMs + 999) / 1000);
            return;
        }
        if (!List.of("any", PRIMARY, "master").contains(getTargetServerType())) {
            throw StoreErrors.unsupported(
                    "RT-1228",
                    "a store's URL names " + getServerNames().length + " servers with targetServerType="
                            + getTargetServerType() + ", and the broker writes: leave it out, or let it be primary");
        }
        setTargetServerType(PRIMARY);
        int share = (connectSeconds + getServerNames().length - 1) / getServerNames().length;
        setConnectTimeout(share);
        setSocketTimeout(share); // also for a server that takes connections and says nothing
        setLoginTimeout(0);
    }

    @Override
    public void setLoginTimeout(int seconds) {
        super.setLoginTimeout(getServerNames().length > 1 ? 0 : seconds); // a pool sets its own
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        Connection connection = super.getConnection(user, password);
        if (isOfSeveral()) {
            try {
                join(connection);
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        }
        return connection;
    }

    private void join(Connection connection) throws SQLException {
        String host = connection
                .unwrap(BaseConnection.class)
                .getQueryExecutor()
                .getHostSpec()
                .toString();
        Timeline its;
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(question)) {
            answer.next();
            if (answer.getBoolean(1)) {
                throw new SQLException(
                        "server " + host + " is a standby by now", PSQLState.CONNECTION_REJECTED.getState());
            }
            its = new Timeline(answer.getLong(2), answer.getInt(3));
        }
        cut(entered(connection, its, host));
        connection.setNetworkTimeout(Runnable::run, callMs);
    }

    /** @return connections to former primaries */
    private synchronized List<Connection> entered(Connection connection, Timeline its, String host)
            throws SQLException {
        if (latest != null && its.isBefore(latest)) {
            throw new SQLException(
                    "RT-1227 server " + host + " takes writes on timeline " + its.number + " of its log, and timeline "
                            + latest.number + " has begun elsewhere. Nothing is read or written there: restart the"
                            + " broker if the earlier timeline is wanted, as after a restore",
                    PSQLState.CONNECTION_REJECTED.getState());
        }
        if (latest != null && !its.equals(latest)) {
            LOG.warn("the primary is {} now, on timeline {} of its log after {}", host, its.number, latest.number);
        }
        latest = its;
        List<Connection> former = new ArrayList<>();
        for (Iterator<Map.Entry<Connection, Timeline>> each = open.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Connection, Timeline> known = each.next();
            if (!known.getValue().equals(its)) {
                former.add(known.getKey());
                each.remove();
            }
        }
        open.put(connection, its);
        return former;
    }

    private static void cut(List<Connection> former) throws SQLException {
        for (Connection connection : former) {
            connection.abort(Runnable::run);
        }
    }
}
