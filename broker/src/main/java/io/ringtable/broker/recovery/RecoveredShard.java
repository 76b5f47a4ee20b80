package io.ringtable.broker.recovery;

import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.state.RingState;

/** Where the committer begins. */
public record RecoveredShard(RingState state, Deduplicator deduplicator) {}
