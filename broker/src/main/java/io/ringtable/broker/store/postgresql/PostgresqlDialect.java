package io.ringtable.broker.store.postgresql;

import com.zaxxer.hikari.util.DriverDataSource;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.Dialect;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets connections to the server up, and knows which servers are supported and what SQLSTATEs mean. Thread: any. */
final class PostgresqlDialect implements Dialect {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresqlDialect.class);

    static final String ENGINE = "postgresql";
    static final String SCHEMA = "ringtable";
    static final String SUPPORTED = "PostgreSQL 15 to 18";

    /** Means that a function found no segment for a claim: prepare and call again. */
    static final String SEGMENT_MISSING = "RT018";

    /**
     * Limits the bodies that are not staged. A body of up to 8,100 bytes lies in its row. A larger one lies in chunks
     * of 2 KB in the TOAST table of its segment, and goes with the segment at no cost. A staged body costs a commit of
     * its own, and its rows have to be deleted and vacuumed. The bound keeps one body below a millisecond of the flush
     * that everybody waits for.
     */
    static final int INLINE_BYTES_MAX = 64 * 1024;

    static final int FLUSH_MESSAGES_MAX = RingGeometry.CAPACITY_STEP / 2; // half of the smallest ring

    private static final String READ_ONLY = "25006"; // a replica, or a database that was set so
    private static final int VERSION_MIN = 150_000;
    private static final int VERSION_TESTED = 189_999;
    private static final int BINARY_TIMESTAMPTZ_ARRAY = 1185; // the only type of ours that the driver sends as text

    /** Reads dozens of files once in a process, which may open many stores. */
    private static final StatementFiles<PostgresqlStatement> STATEMENTS =
            new StatementFiles<>(ENGINE, PostgresqlStatement.class);

    private final PrimarySource dataSource;
    private final DataSource migrationDataSource;
    private final boolean delayedDurabilityAllowed;
    private final String place;
    private final AtomicReference<String> told = new AtomicReference<>(); // what the log was last warned of

    PostgresqlDialect(StoreProperties settings) {
        place = settings.shownUrl();
        delayedDurabilityAllowed = settings.delayedDurability();
        dataSource = connecting(settings);
        long statementMs = settings.statementTimeout().toMillis();
        long lockMs = Math.max(1, statementMs / 3); // the lock wait ends before the whole call does
        addOptions(
                dataSource,
                "-c statement_timeout=" + statementMs
                        + " -c lock_timeout=" + lockMs
                        + " -c idle_in_transaction_session_timeout=" + statementMs // a paused broker keeps no lock
                        + " -c default_transaction_isolation=read\\ committed"
                        + " -c client_min_messages=warning"
                        + " -c jit=off"); // compiling costs more than any of our statements
        dataSource.setPrepareThreshold(1);
        dataSource.setBinaryTransferEnable(String.valueOf(BINARY_TIMESTAMPTZ_ARRAY));
        dataSource.share(seconds(settings.connectTimeout()));
        PGSimpleDataSource migrating = connecting(settings);
        migrating.setTargetServerType(dataSource.getTargetServerType());
        addOptions(migrating, "-c client_min_messages=warning");
        migrationDataSource = ofShortUrl(migrating);
    }

    private static PrimarySource connecting(StoreProperties settings) {
        // The server gives up first and says so. The driver gives up only if it hears no more from the server.
        PrimarySource source = new PrimarySource(
                settings.url(),
                STATEMENTS.sql(PostgresqlStatement.VERIFY_PRIMARY),
                settings.statementTimeout().plusSeconds(1));
        if (settings.username() != null) {
            source.setUser(settings.username());
        }
        if (settings.password() != null) {
            source.setPassword(settings.password());
        }
        source.setApplicationName("ringtable");
        source.setCurrentSchema(SCHEMA);
        source.setConnectTimeout(seconds(settings.connectTimeout()));
        source.setLoginTimeout(seconds(settings.connectTimeout()));
        source.setTcpKeepAlive(true);
        source.setLogServerErrorDetail(false); // a detail would carry a row's contents into the log
        addOptions(source, PostgresqlCitus.LOCAL_SCHEMA);
        return source;
    }

    /** Adds options for the start of a session, after those of the URL. */
    private static void addOptions(PGSimpleDataSource source, String options) {
        String given = source.getOptions();
        source.setOptions((given == null ? "" : given + " ") + options);
    }

    /**
     * Wraps the source with a URL that says only where. The URL of PGSimpleDataSource has 1,500 characters, in which
     * Flyway searches for passwords at every start: a quarter of a second.
     */
    private static DataSource ofShortUrl(PGSimpleDataSource source) {
        String url = source.getUrl();
        return new DriverDataSource(
                url.substring(0, url.indexOf('?')),
                Driver.class.getName(),
                Driver.parseURL(url, null),
                source.getUser(),
                source.getPassword());
    }

    private static int seconds(Duration duration) {
        return (int) Math.min(Integer.MAX_VALUE - 1, (duration.toMillis() + 999) / 1000);
    }

    StatementFiles<PostgresqlStatement> statements() {
        return STATEMENTS;
    }

    @Override
    public String place() {
        return place;
    }

    @Override
    public String engine() {
        return ENGINE;
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public DataSource dataSource() {
        return dataSource;
    }

    @Override
    public DataSource migrationDataSource() {
        return migrationDataSource;
    }

    @Override
    public String historyRows() {
        return STATEMENTS.sql(PostgresqlStatement.VERIFY_SCHEMA);
    }

    @Override
    public StoreLimits verify(Connection connection) throws SQLException {
        String name = version(connection);
        PostgresqlCitus.verify(connection, STATEMENTS);
        try (Statement question = connection.createStatement();
                ResultSet answer = question.executeQuery(STATEMENTS.sql(PostgresqlStatement.VERIFY_DURABILITY))) {
            answer.next();
            if (answer.getBoolean(4)) {
                throw StoreErrors.replica("this " + name + " is a replica in recovery and takes no writes: let"
                        + " ringtable.store.url name the primary, or all servers of its cluster");
            }
            String synchronous = answer.getString(6);
            String delayed = delayed(name, weak(answer, synchronous));
            String unreplicated = synchronous.isEmpty() ? unreplicated(answer.getInt(7)) : null;
            tell(name, delayed, unreplicated);
            return new StoreLimits(
                    name, INLINE_BYTES_MAX, FLUSH_MESSAGES_MAX, answer.getInt(5), false, delayed, unreplicated);
        }
    }

    /** Returns the settings by which a commit may return before it is where a crash, or a fail-over, finds it. */
    private static List<String> weak(ResultSet answer, String synchronous) throws SQLException {
        List<String> weak = new ArrayList<>();
        if (!"on".equals(answer.getString(1))) {
            weak.add("fsync=" + answer.getString(1));
        }
        if ("off".equals(answer.getString(2))) {
            weak.add("synchronous_commit=off");
        }
        if ("local".equals(answer.getString(2)) && !synchronous.isEmpty()) {
            weak.add("synchronous_commit=local beside synchronous_standby_names='" + synchronous + "'");
        }
        if (!"on".equals(answer.getString(3))) {
            weak.add("full_page_writes=" + answer.getString(3));
        }
        return weak;
    }

    /** Returns why there may be a fail-over to a server that lacks commits; null if there is no such server. */
    private String unreplicated(int standbys) {
        if (standbys == 0 && !dataSource.isOfSeveral()) {
            return null;
        }
        return "synchronous_standby_names is empty, and "
                + (standbys == 0
                        ? "none of the other servers that the URL names follows"
                        : "what follows is not waited for");
    }

    /** Warns once of each thing, and says when it is over. */
    private void tell(String name, String delayed, String unreplicated) {
        String now = Objects.toString(delayed, "") + Objects.toString(unreplicated, "");
        String before = told.getAndSet(now);
        if (now.equals(before)) {
            return;
        }
        if (delayed != null) {
            LOG.warn("RT-3031 {} runs with {}: accepted messages can be lost or damaged in a crash", name, delayed);
        }
        if (unreplicated != null) {
            LOG.warn(
                    "RT-1226 {} at {}: {}. A fail-over can lose accepted messages: set synchronous_standby_names (with"
                            + " Patroni synchronous_mode and synchronous_mode_strict)",
                    name,
                    place,
                    unreplicated);
        }
        if (now.isEmpty() && before != null) {
            LOG.info("the last warning about the durability of {} at {} is over", name, place);
        }
    }

    private String version(Connection connection) throws SQLException {
        try (Statement question = connection.createStatement();
                ResultSet answer = question.executeQuery(STATEMENTS.sql(PostgresqlStatement.VERIFY_VERSION))) {
            answer.next();
            String full = answer.getString(1);
            int version = answer.getInt(2);
            if (!isSupported(full, version)) {
                throw StoreErrors.unsupported("RT-3002", "the server is '" + full + "'; supported are " + SUPPORTED);
            }
            String name = full.replaceAll("^(PostgreSQL [0-9.]+).*", "$1");
            if (version > VERSION_TESTED) {
                LOG.warn("RT-3030 {} is newer than {}, the versions that this broker is tested with", name, SUPPORTED);
            }
            return name;
        }
    }

    static boolean isSupported(String full, int version) {
        return full.startsWith("PostgreSQL ") && version >= VERSION_MIN;
    }

    /** Returns the settings that delay durability; null if there are none. */
    private String delayed(String name, List<String> weak) {
        if (weak.isEmpty()) {
            return null;
        }
        String settings = String.join(", ", weak);
        if (!delayedDurabilityAllowed) {
            throw StoreErrors.unsupported(
                    "RT-3007",
                    name + " runs with " + settings
                            + ": committed messages can be lost or damaged in a crash. Switch"
                            + " it on, or allow it with ringtable.store.delayed-durability=true");
        }
        return settings;
    }

    @Override
    public boolean isOfReplica(SQLException failure) {
        return READ_ONLY.equals(failure.getSQLState());
    }

    @Override
    public Kind classify(SQLException failure) {
        String state = failure.getSQLState();
        if (state == null || state.length() != 5) {
            return Kind.UNAVAILABLE; // the pool gave no connection, or the driver lost it
        }
        return switch (state) {
            case "RT015" -> Kind.FENCED;
            case "RT017" -> Kind.UNSUPPORTED;
            case SEGMENT_MISSING -> Kind.RETRYABLE;
            // a serialization failure, a deadlock, a lock or a statement that took too long, an index being rebuilt
            case "40001", "40P01", "55P03", "57014", "55006", "53000", "53200", "53400" -> Kind.RETRYABLE;
            // disk full, a replica or a read-only database, a device that fails
            case "53100", READ_ONLY, "58030" -> Kind.NOT_WRITABLE;
            // shut down by its administrator, crashed, starting; a session that was idle; too many of them; a database
            // that takes no connections for now
            case "57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "53300", "40003", "55000" -> Kind.UNAVAILABLE;
            // no such database, no privilege
            case "3D000", "42501" -> Kind.UNSUPPORTED;
            default -> classifyByClass(state.substring(0, 2));
        };
    }

    private static Kind classifyByClass(String stateClass) {
        return switch (stateClass) {
            case "08" -> Kind.UNAVAILABLE; // connection
            case "22", "23", "54" -> Kind.REFUSED; // data, constraint, a limit of the engine
            case "28" -> Kind.UNSUPPORTED; // user or password
            default -> Kind.CORRUPT;
        };
    }
}
