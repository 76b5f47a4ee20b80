package io.ringtable.client.internal;

import io.ringtable.client.ClientStatistics;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a client does. Thread: any. */
final class Counters {

    final LongAdder published = new LongAdder();
    final LongAdder accepted = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder publishTransfers = new LongAdder();
    final LongAdder received = new LongAdder();
    final LongAdder acknowledged = new LongAdder();
    final LongAdder notAcknowledged = new LongAdder();
    final LongAdder settlementsLost = new LongAdder();
    final LongAdder dispositionsSent = new LongAdder();
    final LongAdder connections = new LongAdder();

    ClientStatistics snapshot() {
        return new ClientStatistics(
                published.sum(),
                accepted.sum(),
                rejected.sum(),
                publishTransfers.sum(),
                received.sum(),
                acknowledged.sum(),
                notAcknowledged.sum(),
                settlementsLost.sum(),
                dispositionsSent.sum(),
                connections.sum());
    }
}
