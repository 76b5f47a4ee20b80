package io.ringtable.broker.config;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The database that holds the ring.
 *
 * @param url JDBC URL; without one the store is the embedded SQLite file ringtable.db in the data directory.
 * @param username User of the database; none where the URL or the engine needs none.
 * @param password Password of the database's user; never printed.
 * @param readersMax Connections for reads, staged bodies and the lease, beside the one that flushes.
 * @param connectTimeout Longest wait for a connection.
 * @param statementTimeout Longest wait for one call; the outcome of a write that takes longer counts as unknown.
 * @param delayedDurability Start on a database whose commits return before their log is on disk; accepted messages can be lost in a crash.
 */
@Validated
@ConfigurationProperties("ringtable.store")
public record StoreProperties(
        String url,
        String username,
        String password,
        @DefaultValue("4") @Within(min = "1", max = "64") int readersMax,

        @DefaultValue("5s") @Within(min = "100ms", max = "5m")
        Duration connectTimeout,

        @DefaultValue("30s") @Within(min = "1s", max = "10m")
        Duration statementTimeout,

        @DefaultValue("false") boolean delayedDurability) {

    /** Some drivers take user and password in the URL: only what stands before its properties is shown. */
    @Override
    public String toString() {
        String shown = url == null ? null : url.replaceAll("//[^/@]*@", "//").replaceAll("[?;].*", "");
        return "StoreProperties[url=" + shown + ", username=" + username + "]";
    }
}
