package io.ringtable.broker.store.sqlserver;

import com.microsoft.sqlserver.jdbc.SQLServerException;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;

/**
 * Decides what a caller can conclude from an error number of the server, or, without one, from a SQLSTATE of the
 * driver. The table is in docs/sqlserver.md. Thread: any.
 */
final class SqlserverErrors {
    /** Comes from our procedures. */
    static final int FENCED = 50015;

    static final int CORRUPT = 50016;
    static final int OTHER_CAPACITY = 50017;
    /** Means that a later call has begun a crossing anew. */
    static final int CROSSING_PASSED = 50019;

    /** Means that a row with this key exists already. */
    static final int DUPLICATE_KEY = 2627;

    private static final int UNMAPPED = 33_557_097;
    private static final int TIME_OUT = -2; // of a client library, passed on by some gateways
    private static final int SEVERITY_UNKNOWN = 0;
    private static final int SEVERITY_RESOURCES = 17;
    private static final int SEVERITY_CONNECTION_ENDED = 20;

    private SqlserverErrors() {}

    static Kind kind(SQLException failure) {
        int severity = failure instanceof SQLServerException server && server.getSQLServerError() != null
                ? server.getSQLServerError().getErrorSeverity()
                : SEVERITY_UNKNOWN;
        if (failure instanceof SQLTimeoutException) {
            return Kind.UNAVAILABLE;
        }
        if (isLostOnItsWay(String.valueOf(failure.getMessage()))) {
            return Kind.RETRYABLE;
        }
        return failure.getErrorCode() == UNMAPPED
                ? unmapped(String.valueOf(failure.getMessage()))
                : kind(failure.getErrorCode(), severity, failure.getSQLState());
    }

    /**
     * Recognizes a fault of Babelfish 4.3, which now and then takes a value of a table-valued parameter for NULL. The
     * server then refuses the parameter itself, before anything of ours runs, or the row that would have had no body.
     * The values that we sent were whole.
     */
    static boolean isLostOnItsWay(String message) {
        return message.contains("_tds_tvp_temp_table_")
                || message.contains("violates check constraint")
                        && message.contains("slot_body_is_here_or_in_overflow");
    }

    /**
     * Decides by the text alone. Babelfish has this one number for everything that PostgreSQL knows and SQL Server does
     * not.
     */
    static Kind unmapped(String message) {
        if (message.contains("lock timeout")) {
            return Kind.RETRYABLE;
        }
        if (message.contains("No space left")
                || message.contains("could not extend")
                || message.contains("read-only")) {
            return Kind.NOT_WRITABLE;
        }
        boolean mayPass = message.contains("terminating connection")
                || message.contains("sql_dialect is not set to tsql") // what a session says after isLostOnItsWay
                || message.contains("database system is")
                || message.contains("statement timeout")
                || message.contains("deleted while still in use") // a table variable, lost by other sessions' DDL
                || message.contains("could not find pg_class tuple for index") // its primary key, likewise
                || message.contains("too many clients");
        return mayPass ? Kind.UNAVAILABLE : Kind.CORRUPT;
    }

    /**
     * Decides the kind of a failure. A time-out is UNAVAILABLE, which makes a write OUTCOME_UNKNOWN: the request to
     * stop may have crossed with the commit.
     *
     * @param number of the server; 0 if the driver itself failed
     * @param severity 0 if unknown
     * @param state may be null
     */
    static Kind kind(int number, int severity, String state) {
        return switch (number) {
            case FENCED -> Kind.FENCED;
            case CORRUPT -> Kind.CORRUPT;
            case OTHER_CAPACITY -> Kind.UNSUPPORTED;
            // deadlock, lock time-out, no lock left, snapshot conflict, rows moved under a dirty read (of read_inbox);
            // no memory, none granted in time
            case CROSSING_PASSED, 1205, 1222, 1204, 3960, 601, 701, 802, 8645, 8651 -> Kind.RETRYABLE;
            // unique, not null, check and foreign key, too long, out of range, no such value, row too large
            case DUPLICATE_KEY, 2601, 515, 547, 8152, 2628, 220, 232, 8115, 241, 242, 245, 248, 295, 511, 517, 8023 ->
                Kind.REFUSED;
            // filegroup full, no page, space allocator, log full, file cannot grow; Azure: quota of the database
            case 1105, 1101, 1121, 9002, 5149, 3257, 40544 -> Kind.NOT_WRITABLE;
            // database or filegroup read-only, device error, log cannot be written
            case 3906, 3908, 652, 1924, 823, 9001 -> Kind.NOT_WRITABLE;
            // offline, cannot be opened, restoring, recovering, suspect, in single user mode
            case 942, 945, 921, 922, 924, 926, 927, 4060, 4064 -> Kind.UNAVAILABLE;
            // availability groups: no access to a secondary, not joined, role is changing, no quorum
            case 976, 978, 979, 982, 983, 41131, 41142 -> Kind.UNAVAILABLE;
            // shutting down, paused, starting, session killed, too many connections
            case 596, 6005, 17142, 17147, 17148, 18401, 17809 -> Kind.UNAVAILABLE;
            // network
            case TIME_OUT, 64, 121, 233, 258, 10053, 10054, 10060, 10061, 11001 -> Kind.UNAVAILABLE;
            // Azure, passing: moved, busy, not there at the moment, session limits, too many operations
            case 40143,
                    40197,
                    40501,
                    40540,
                    40549,
                    40550,
                    40551,
                    40552,
                    40553,
                    40613,
                    10928,
                    10929,
                    49918,
                    49919,
                    49920 -> Kind.UNAVAILABLE;
            // user or password, no access to the database, no permission, no such procedure or table
            case 18452, 18456, 18470, 18486, 18487, 18488, 916, 229, 262, 300, 15247, 2812 -> Kind.UNSUPPORTED;
            // damaged pages
            case 605, 824, 825, 829, 5180, 7105 -> Kind.CORRUPT;
            default -> unlisted(number, severity, state);
        };
    }

    private static Kind unlisted(int number, int severity, String state) {
        if (severity >= SEVERITY_CONNECTION_ENDED || state == null || state.startsWith("08")) {
            return Kind.UNAVAILABLE; // also a pool that had no connection to give
        }
        if (severity == SEVERITY_RESOURCES) {
            return Kind.NOT_WRITABLE;
        }
        if (number != 0) {
            return Kind.CORRUPT;
        }
        return switch (state) {
            case "HYT00", "HYT01", "HY008" -> Kind.UNAVAILABLE; // the driver's own time-outs
            case "22000", "22001", "22003", "22018", "23000" -> Kind.REFUSED;
            case "40001" -> Kind.RETRYABLE;
            default -> Kind.CORRUPT;
        };
    }
}
