package io.ringtable.spring.boot.broker;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.StoreProperties;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.postgresql.ds.common.BaseDataSource;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.util.ClassUtils;

/**
 * Reads from an application's {@link DataSource} where its database is and how to log in. The broker opens connections
 * of its own there. Borrowed ones would end its lease whenever the application has taken the whole pool (ADR 27).
 * <p>
 * Thread: the one that starts the context.
 */
final class StoreOfDataSource {
    private static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String SQLSERVER = "jdbc:sqlserver:";
    private static final boolean HAS_SPRING_JDBC = ClassUtils.isPresent(
            "org.springframework.jdbc.datasource.AbstractDriverBasedDataSource",
            StoreOfDataSource.class.getClassLoader());

    private final String name;
    private final StoreProperties configured;

    /**
     * Begins to read a data source.
     *
     * @param name of its bean, for errors
     * @param configured holds what the data source does not say: time-outs, readers, and user and password if the
     *     broker has its own
     */
    StoreOfDataSource(String name, StoreProperties configured) {
        this.name = name;
        this.configured = configured;
    }

    private record Login(String url, String username, String password) {}

    /**
     * Returns the store's properties with URL, user and password of the data source.
     *
     * @throws ConfigurationRefused RT-1151 if the store has a URL already
     * @throws ConfigurationRefused RT-1152 if the data source does not say where it connects
     * @throws ConfigurationRefused RT-1153 if the database is neither PostgreSQL nor SQL Server
     */
    StoreProperties of(DataSource source) {
        if (configured.url() != null) {
            throw new ConfigurationRefused(
                    "RT-1151",
                    "ringtable.embedded.data-source=" + name + " and ringtable.store.url=" + configured.shownUrl()
                            + " name two databases: remove one of them");
        }
        Login login = login(source);
        if (login == null || login.url() == null) {
            throw new ConfigurationRefused(
                    "RT-1152",
                    "ringtable.embedded.data-source=" + name + " is a "
                            + source.getClass().getName() + ", which does not say where it connects: remove it, and set"
                            + " ringtable.store.url, .username and .password");
        }
        StoreProperties found = new StoreProperties(
                login.url(),
                configured.username() == null ? login.username() : configured.username(),
                configured.username() == null ? login.password() : configured.password(),
                configured.readersMax(),
                configured.connectTimeout(),
                configured.statementTimeout(),
                configured.delayedDurability());
        if (!login.url().startsWith(POSTGRESQL) && !login.url().startsWith(SQLSERVER)) {
            throw new ConfigurationRefused(
                    "RT-1153",
                    "ringtable.embedded.data-source=" + name + " connects to " + found.shownUrl()
                            + ", and the broker stores beside tables on PostgreSQL and SQL Server only: remove it to"
                            + " store in a file in ringtable.data-dir");
        }
        return found;
    }

    private Login login(DataSource source) {
        HikariDataSource pool = unwrapped(source, HikariDataSource.class);
        if (pool != null) {
            return login(pool);
        }
        if (HAS_SPRING_JDBC) {
            Login plain = SpringJdbc.login(source);
            if (plain != null) {
                return plain;
            }
        }
        BaseDataSource postgresql = unwrapped(source, BaseDataSource.class);
        return postgresql == null
                ? null
                : new Login(postgresql.getURL(), postgresql.getUser(), postgresql.getPassword());
    }

    private Login login(HikariDataSource pool) {
        if (pool.getJdbcUrl() == null) {
            return pool.getDataSource() == null ? null : login(pool.getDataSource());
        }
        Credentials credentials = pool.getCredentials();
        return new Login(
                withProperties(pool.getJdbcUrl(), pool.getDataSourceProperties()),
                credentials.getUsername(),
                credentials.getPassword());
    }

    /** Adds the driver's properties, such as those for TLS, which a pool keeps beside its URL. */
    private static String withProperties(String url, Properties properties) {
        Map<String, String> others = new TreeMap<>();
        properties.stringPropertyNames().forEach(key -> others.put(key, properties.getProperty(key)));
        others.remove("user");
        others.remove("password");
        if (others.isEmpty()) {
            return url;
        }
        if (url.startsWith(SQLSERVER)) {
            return url + ";"
                    + others.entrySet().stream()
                            .map(each -> each.getKey() + "={" + each.getValue().replace("}", "}}") + "}")
                            .collect(Collectors.joining(";"));
        }
        return url
                + (url.indexOf('?') < 0 ? "?" : "&")
                + others.entrySet().stream()
                        .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"));
    }

    private static <T> T unwrapped(DataSource source, Class<T> type) {
        try {
            if (type.isInstance(source)) {
                return type.cast(source);
            }
            return source.isWrapperFor(type) ? source.unwrap(type) : null;
        } catch (SQLException notWrapped) { // what a wrapper says that cannot tell
            return null;
        }
    }

    /** Knows Spring's own data sources, where the application has them. */
    private static final class SpringJdbc {
        static Login login(DataSource source) {
            AbstractDriverBasedDataSource plain = unwrapped(source, AbstractDriverBasedDataSource.class);
            return plain == null ? null : new Login(plain.getUrl(), plain.getUsername(), plain.getPassword());
        }
    }
}
