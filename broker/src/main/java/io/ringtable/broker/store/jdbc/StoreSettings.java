package io.ringtable.broker.store.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * Where a store lies and how long it may be waited for.
 *
 * @param url JDBC URL; null = the embedded SQLite file {@code ringtable.db} in {@code dataDir}
 * @param username null where the URL or the engine needs none
 * @param password never printed; null where none is needed
 * @param dataDir directory of the embedded file; made if it is missing
 * @param readersMax connections for reads, staging and the lease, at least 1
 * @param connectTimeout longest wait for a connection
 * @param statementTimeout longest wait for one call; a write that takes longer has an unknown outcome
 * @param delayedDurability whether a database may be used whose commits return before their log is on disk
 */
public record StoreSettings(
        String url,
        String username,
        String password,
        Path dataDir,
        int readersMax,
        Duration connectTimeout,
        Duration statementTimeout,
        boolean delayedDurability) {

    private static final int READERS_MAX = 4;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(30);

    public StoreSettings {
        Objects.requireNonNull(dataDir, "dataDir");
        if (readersMax < 1) {
            throw new IllegalArgumentException("RT-1010 store.readers-max=" + readersMax + " < 1: give it at least 1");
        }
        requirePositive("store.connect-timeout", connectTimeout);
        requirePositive("store.statement-timeout", statementTimeout);
    }

    /** With full durability. */
    public StoreSettings(
            String url,
            String username,
            String password,
            Path dataDir,
            int readersMax,
            Duration connectTimeout,
            Duration statementTimeout) {
        this(url, username, password, dataDir, readersMax, connectTimeout, statementTimeout, false);
    }

    /** The embedded file in the directory, everything else as by default. */
    public static StoreSettings embedded(Path dataDir) {
        return of(null, null, null, dataDir);
    }

    /** The database at the URL, everything else as by default. */
    public static StoreSettings of(String url, String username, String password, Path dataDir) {
        return new StoreSettings(url, username, password, dataDir, READERS_MAX, CONNECT_TIMEOUT, STATEMENT_TIMEOUT);
    }

    private static void requirePositive(String property, Duration duration) {
        if (duration.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "RT-1011 " + property + "=" + duration + " < 1 ms: give it a positive duration");
        }
    }

    /** The URL for messages: some drivers take user and password in it, neither is shown. Null if there is none. */
    public String shownUrl() {
        return withoutSecrets(url);
    }

    private static String withoutSecrets(String url) {
        return url == null ? null : url.replaceAll("//[^/@]*@", "//").replaceAll("[?;].*", "");
    }

    @Override
    public String toString() {
        return "StoreSettings[url=" + shownUrl() + ", username=" + username + ", dataDir=" + dataDir + "]";
    }
}
