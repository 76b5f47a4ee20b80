package io.ringtable.broker.config;

import jakarta.validation.Valid;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Holds the properties directly under {@code ringtable.}; the other records hold the groups.
 *
 * @param dataDir Directory of the embedded SQLite file and of this node's identity. The broker creates it if it is
 *     missing.
 * @param queues Names of queues that the broker creates at the start if they are missing, even where auto-create
 *     forbids it.
 * @param topics Names of topics that the broker creates at the start if they are missing, even where auto-create
 *     forbids it.
 * @param shards Number of shards that the node has, each with a ring, a committer and a connection for flushes of its
 *     own. An address lives in one of them. More can be added later, never fewer.
 * @param stores Databases beside that of ringtable.store, each with the shards that lie in it.
 * @param lease How long a silent owner keeps the shard, by the database's clock, before a stand-by takes over.
 * @param cluster How this node works with the other nodes of its cluster.
 */
@Validated
@ConfigurationProperties("ringtable")
public record RingtableProperties(
        @DefaultValue("./data") Path dataDir,
        @DefaultValue List<String> queues,
        @DefaultValue List<String> topics,

        @DefaultValue("1") @Within(min = "1", max = "64") int shards,

        @DefaultValue List<StoreProperties.@Valid Named> stores,

        @DefaultValue("10s") @Within(min = "1s", max = "10m")
        Duration lease,

        @DefaultValue Cluster cluster) {

    /**
     * @param user Name of the user as which other nodes log in to carry their clients to this one, with all rights of
     *     these clients. Without it no node may.
     * @param password Password of that user, with which this node logs in at other nodes to carry its clients to them.
     *     Without it this node carries none.
     * @param enabled Whether several nodes serve the shards at the same time, each those that it owns. Otherwise one
     *     node serves all, and the others stand by.
     * @param shards Numbers of the shards that this node may take. Without them it may take any.
     */
    public record Cluster(
            String user,
            String password,
            @DefaultValue("false") boolean enabled,
            @DefaultValue List<Integer> shards) {
        /** Takes an empty name for none: it is that of clients without a login. */
        public Cluster {
            user = user == null || user.isBlank() ? null : user;
            password = password == null || password.isEmpty() ? null : password;
            shards = List.copyOf(shards);
        }

        @Override
        public String toString() {
            return "Cluster[user=" + user + ", enabled=" + enabled + ", shards=" + shards + "]";
        }
    }

    /** Lists every record that holds properties; names outside them are refused. */
    static final List<Class<? extends Record>> RECORDS = List.of(
            RingtableProperties.class,
            AmqpProperties.class,
            StoreProperties.class,
            SecurityProperties.class,
            RingProperties.class,
            CommitProperties.class,
            DispatchProperties.class,
            InboxProperties.class,
            RestartProperties.class,
            WatermarkProperties.class,
            ConsoleProperties.class,
            MetricsProperties.class,
            TracingProperties.class);
}
