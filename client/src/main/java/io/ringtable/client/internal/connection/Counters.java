package io.ringtable.client.internal.connection;

import io.ringtable.client.ClientStatistics;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a client does. Thread: any. */
public final class Counters {

    public final LongAdder published = new LongAdder();
    public final LongAdder accepted = new LongAdder();
    public final LongAdder rejected = new LongAdder();
    public final LongAdder publishTransfers = new LongAdder();
    public final LongAdder received = new LongAdder();
    public final LongAdder acknowledged = new LongAdder();
    public final LongAdder notAcknowledged = new LongAdder();
    final LongAdder settlementsLost = new LongAdder();
    final LongAdder dispositionsSent = new LongAdder();
    final LongAdder connections = new LongAdder();

    public ClientStatistics snapshot() {
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
