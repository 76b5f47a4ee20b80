package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Says what a node needs whose database has the extension Citus. Our tables are its own, as on any server. A caller's
 * transaction commits on all nodes or on none (ADR 78). Thread: any.
 */
final class PostgresqlCitus {
    /** Leaves what we make on the node where we make it. Elsewhere these settings mean nothing. */
    static final String LOCAL_SCHEMA = "-c citus.enable_ddl_propagation=off -c citus.use_citus_managed_tables=off";

    private static final String REFUSED = "RT017";
    private static final Pattern REASON = Pattern.compile("(RT-\\d{4}) (.*)", Pattern.DOTALL);

    private PostgresqlCitus() {}

    /** Refuses a node on which what applications publish could be lost, or the broker's tables are not its own. */
    static void verify(Connection connection, StatementFiles<PostgresqlStatement> files) throws SQLException {
        try (Statement check = connection.createStatement()) {
            check.execute(files.sql(PostgresqlStatement.VERIFY_CITUS));
        } catch (PSQLException refused) {
            ServerErrorMessage reason = refused.getServerErrorMessage();
            Matcher text = REASON.matcher(reason == null ? "" : String.valueOf(reason.getMessage()));
            if (REFUSED.equals(refused.getSQLState()) && text.matches()) {
                throw StoreErrors.unsupported(text.group(1), text.group(2));
            }
            throw refused;
        }
    }
}
