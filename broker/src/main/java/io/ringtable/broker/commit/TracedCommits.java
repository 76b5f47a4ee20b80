package io.ringtable.broker.commit;

import io.ringtable.broker.agent.LongestTurn;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.trace.TraceContext;
import io.ringtable.broker.trace.TracedStep;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.Committed;
import io.ringtable.broker.work.Settle;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells of commits and settlements of sampled messages, and passes everything on to another monitor.
 * <p>
 * Thread: committer.
 */
public final class TracedCommits implements CommitMonitor {
    private final CommitMonitor next;
    private final MessageTraces traces;
    private final List<Message> sampled = new ArrayList<>(); // stored by the flush that is being told of
    private long durableAt;

    public TracedCommits(CommitMonitor next, MessageTraces traces) {
        this.next = next;
        this.traces = traces;
    }

    @Override
    public void committed(List<Committed> messages) {
        durableAt = System.nanoTime();
        for (Committed each : messages) {
            if (each.message().traceAt() != 0 && each.first() && each.sequence() >= 0) {
                sampled.add(each.message());
            }
        }
        next.committed(messages);
    }

    @Override
    public void settled(List<Settle> settlements) {
        for (Settle each : settlements) {
            if (each.trace() != null) {
                tell(each);
            }
        }
        next.settled(settlements);
    }

    private void tell(Settle settle) {
        traces.ended(new TracedStep(
                TracedStep.Kind.SETTLE,
                settle.trace().context(),
                settle.trace().at(),
                durableAt,
                settle.subscription().address().name(),
                settle.subscription().name(),
                settle.bytes(),
                null,
                null));
    }

    @Override
    public void flushed(int messages, int settlements, long bytes, long nanos) {
        if (!sampled.isEmpty()) {
            long begun = System.nanoTime() - nanos;
            for (Message message : sampled) {
                traces.ended(new TracedStep(
                        TracedStep.Kind.COMMIT,
                        TraceContext.of(message),
                        begun,
                        durableAt,
                        message.address().name(),
                        TracedStep.NO_SUBSCRIPTION,
                        message.bytes(),
                        null,
                        null));
            }
            sampled.clear();
        }
        next.flushed(messages, settlements, bytes, nanos);
    }

    @Override
    public void reclaimed(long movedToBacklog, long nanos) {
        next.reclaimed(movedToBacklog, nanos);
    }

    @Override
    public void collected(int messages, int settlements, long oldestMs) {
        next.collected(messages, settlements, oldestMs);
    }

    @Override
    public void duplicates(int messages) {
        next.duplicates(messages);
    }

    @Override
    public void storeTrouble(String why) {
        next.storeTrouble(why);
    }

    @Override
    public LongestTurn committerTurn() {
        return next.committerTurn();
    }

    @Override
    public LongestTurn dispatcherTurn() {
        return next.dispatcherTurn();
    }
}
