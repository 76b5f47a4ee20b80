package io.ringtable.broker;

import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.dispatch.DispatchSettings;
import io.ringtable.broker.inbox.InboxSettings;
import io.ringtable.broker.ring.RingGeometry;
import java.time.Duration;
import java.util.Objects;

/**
 * What a shard runs with.
 *
 * @param ringCapacity slots of a new ring; see {@link RingGeometry}
 * @param lease how long a silent owner keeps the shard, by the database's clock; 1 s to 10 min
 */
public record ShardSettings(
        int ringCapacity,
        Duration lease,
        CommitSettings commit,
        DispatchSettings dispatch,
        InboxSettings inbox,
        RestartSettings restarts) {

    public static final ShardSettings DEFAULTS =
            new ShardSettings(65_536, Duration.ofSeconds(10), CommitSettings.DEFAULTS, DispatchSettings.DEFAULTS);

    /** With restarts as they are by default. */
    public ShardSettings(
            int ringCapacity, Duration lease, CommitSettings commit, DispatchSettings dispatch, InboxSettings inbox) {
        this(ringCapacity, lease, commit, dispatch, inbox, RestartSettings.DEFAULTS);
    }

    /** With the inbox as it is by default. */
    public ShardSettings(int ringCapacity, Duration lease, CommitSettings commit, DispatchSettings dispatch) {
        this(ringCapacity, lease, commit, dispatch, InboxSettings.DEFAULTS);
    }

    public ShardSettings {
        Objects.requireNonNull(commit, "commit");
        Objects.requireNonNull(dispatch, "dispatch");
        Objects.requireNonNull(inbox, "inbox");
        Objects.requireNonNull(restarts, "restarts");
        new RingGeometry(ringCapacity); // refuses what no ring can be
        if (lease.toMillis() < 1_000 || lease.toMinutes() > 10) {
            throw new IllegalArgumentException("RT-1006 lease=" + lease + " must be between 1 s and 10 min");
        }
        if (commit.batchMessagesMax() > ringCapacity / 4) {
            throw new IllegalArgumentException("RT-1003 commit.batch-messages-max=" + commit.batchMessagesMax()
                    + " > a quarter of ring.capacity=" + ringCapacity
                    + ": raise ring.capacity or lower commit.batch-messages-max");
        }
    }

    RingGeometry geometry() {
        return new RingGeometry(ringCapacity);
    }
}
