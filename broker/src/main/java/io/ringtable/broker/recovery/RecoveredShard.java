package io.ringtable.broker.recovery;

import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.state.RingState;

/** Holds the state with which the committer begins. */
public record RecoveredShard(RingState state, Deduplicator deduplicator) {}
