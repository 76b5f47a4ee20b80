package io.ringtable.broker.config;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Names the database that holds the ring.
 *
 * @param url JDBC URL. Without one the store is the embedded SQLite file ringtable.db in the data directory.
 * @param username User of the database. Leave it out where the URL or the engine needs none.
 * @param password Password of the database's user; never printed.
 * @param readersMax Connections for reads, staged bodies and the lease, beside the one that flushes.
 * @param connectTimeout Longest wait for a connection.
 * @param statementTimeout Longest wait for one call. The outcome of a write that takes longer counts as unknown.
 * @param delayedDurability Whether the broker may start on a database whose commits return before their log is on disk.
 *     Accepted messages can then be lost in a crash.
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

    private static final Pattern DATABASE = Pattern.compile("(?i);\\s*database(?:Name)?\\s*=\\s*([^;{]+)");

    /** Treats an empty URL or user, as a script may leave it, as missing. */
    public StoreProperties {
        url = url == null || url.isBlank() ? null : url;
        username = username == null || username.isBlank() ? null : username;
    }

    /**
     * Returns server and database of the URL for messages; the rest may hold secrets, since some drivers take user and
     * password in it.
     */
    public String shownUrl() {
        if (url == null) {
            return null;
        }
        Matcher database = DATABASE.matcher(url);
        String server = url.replaceAll("//[^/@]*@", "//").replaceAll("[?;].*", "");
        return server + (database.find() ? ";databaseName=" + database.group(1) : "");
    }

    /** Returns the properties of a store that lies elsewhere; connections and time-outs are as here. */
    public StoreProperties at(Named other) {
        return new StoreProperties(
                other.url(),
                other.username(),
                other.password(),
                readersMax,
                connectTimeout,
                statementTimeout,
                delayedDurability);
    }

    /** Returns the same with another number of connections beside the one that flushes. */
    public StoreProperties readersMax(int connections) {
        return new StoreProperties(
                url, username, password, connections, connectTimeout, statementTimeout, delayedDurability);
    }

    /**
     * @param name Name of the store, for errors and the status. That of ringtable.store is main.
     * @param shards Numbers of the shards that lie in the store. Shard 0, and those that no store names, lie in main.
     * @param url JDBC URL of a database of the same engine as that of ringtable.store.
     * @param username User of the database. Leave it out where the URL or the engine needs none.
     * @param password Password of the database's user; never printed.
     */
    public record Named(
            @NotBlank(message = "is empty: every store needs a name")
            String name,

            @NotEmpty(message = "is empty: name the shards that lie in the store, or remove the store") @DefaultValue
            Set<Integer> shards,

            @NotBlank(message = "is empty: give the JDBC URL of the database")
            String url,

            String username,
            String password) {

        @Override
        public String toString() {
            return "Named[name=" + name + ", shards=" + shards + "]";
        }
    }

    @Override
    public String toString() {
        return "StoreProperties[url=" + shownUrl() + ", username=" + username + "]";
    }
}
