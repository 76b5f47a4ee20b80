package io.ringtable.spring.boot.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.ringtable.broker.config.Bound;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.StoreProperties;
import java.sql.Connection;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

/** Where data sources of every kind lead, without a connection. */
class StoreOfDataSourceTest {
    private static final String URL = "jdbc:postgresql://db/shop";

    @Test
    void readsAPool() {
        try (HikariDataSource pool = pool(URL)) {
            assertFound(pool, URL, "shop", "hush");
        }
    }

    @Test
    void readsAPoolBehindAProxy() {
        try (HikariDataSource pool = pool(URL)) {
            assertFound(new LazyConnectionDataSourceProxy(pool), URL, "shop", "hush");
        }
    }

    @Test
    void readsAPoolOverADriversDataSource() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(postgresql());
            StoreProperties found = read(pool, Map.of());

            assertThat(found.url()).startsWith("jdbc:postgresql://db").contains("/shop");
            assertThat(found.username()).isEqualTo("shop");
            assertThat(found.password()).isEqualTo("hush");
        }
    }

    @Test
    void readsDataSourcesWithoutAPool() {
        assertFound(new DriverManagerDataSource(URL, "shop", "hush"), URL, "shop", "hush");
        assertThat(read(postgresql(), Map.of()).username()).isEqualTo("shop");
    }

    @Test
    void keepsPropertiesOfTheDriver() {
        try (HikariDataSource pool = pool(URL)) {
            pool.addDataSourceProperty("sslmode", "verify-full");
            pool.addDataSourceProperty("sslrootcert", "/etc/ca & co.pem");
            assertThat(read(pool, Map.of()).url())
                    .isEqualTo(URL + "?sslmode=verify-full&sslrootcert=%2Fetc%2Fca+%26+co.pem");
        }
        try (HikariDataSource pool = pool("jdbc:sqlserver://db;databaseName=shop")) {
            pool.addDataSourceProperty("trustStore", "a;b}c");
            assertThat(read(pool, Map.of()).url())
                    .isEqualTo("jdbc:sqlserver://db;databaseName=shop;trustStore={a;b}}c}");
        }
    }

    @Test
    void takesTheBrokersOwnUserWhereThereIsOne() {
        StoreProperties found = read(
                new DriverManagerDataSource(URL, "shop", "hush"),
                Map.of(
                        "ringtable.store.username", "broker",
                        "ringtable.store.password", "silence",
                        "ringtable.store.readers-max", "2"));

        assertThat(found.username()).isEqualTo("broker");
        assertThat(found.password()).isEqualTo("silence");
        assertThat(found.readersMax()).isEqualTo(2);
    }

    @Test
    void refusesTwoDatabases() {
        assertThatThrownBy(() -> read(
                        new DriverManagerDataSource(URL, "shop", "hush"),
                        Map.of("ringtable.store.url", "jdbc:postgresql://other/shop")))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1151 ringtable.embedded.data-source=shopData and ringtable.store.url=");
    }

    @Test
    void refusesADataSourceThatDoesNotSayWhereItLeads() {
        DataSource hidden = new AbstractDataSource() {
            @Override
            public Connection getConnection() {
                throw new AssertionError("nobody connects");
            }

            @Override
            public Connection getConnection(String username, String password) {
                throw new AssertionError("nobody connects");
            }
        };

        assertThatThrownBy(() -> read(hidden, Map.of()))
                .hasMessageStartingWith("RT-1152 ringtable.embedded.data-source=shopData is a "
                        + hidden.getClass().getName() + ", which does not say where it connects")
                .hasMessageContaining("set ringtable.store.url");
    }

    @Test
    void refusesAnotherEngineWithoutShowingSecrets() {
        assertThatThrownBy(() -> read(new DriverManagerDataSource("jdbc:h2:mem:shop;PASSWORD=hush"), Map.of()))
                .hasMessageStartingWith(
                        "RT-1153 ringtable.embedded.data-source=shopData connects to jdbc:h2:mem:shop, and the broker")
                .hasMessageNotContaining("hush");
        assertThatThrownBy(() -> read(new DriverManagerDataSource("jdbc:sqlite:shop.db"), Map.of()))
                .hasMessageStartingWith("RT-1153");
    }

    private static void assertFound(DataSource source, String url, String username, String password) {
        StoreProperties found = read(source, Map.of());
        assertThat(found.url()).isEqualTo(url);
        assertThat(found.username()).isEqualTo(username);
        assertThat(found.password()).isEqualTo(password);
    }

    private static StoreProperties read(DataSource source, Map<String, String> configured) {
        return new StoreOfDataSource("shopData", Bound.of(StoreProperties.class, configured)).of(source);
    }

    private static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername("shop");
        pool.setPassword("hush");
        return pool;
    }

    private static PGSimpleDataSource postgresql() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"db"});
        source.setDatabaseName("shop");
        source.setUser("shop");
        source.setPassword("hush");
        return source;
    }
}
