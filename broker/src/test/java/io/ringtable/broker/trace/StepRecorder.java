package io.ringtable.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers the steps of all traces. Thread: any. */
public final class StepRecorder implements MessageTraces {
    private final List<TracedStep> all = new CopyOnWriteArrayList<>();

    @Override
    public boolean isOn() {
        return true;
    }

    @Override
    public boolean admits() {
        return true;
    }

    @Override
    public long passedOver() {
        return 0;
    }

    @Override
    public void ended(TracedStep step) {
        all.add(step);
    }

    @Override
    public long dropped() {
        return 0;
    }

    public List<TracedStep> of(String trace) {
        return all.stream()
                .filter(step -> step.context().traceId().equals(trace))
                .toList();
    }

    /** Returns the one step of that kind; fails if there is none or more than one. */
    public TracedStep only(String trace, TracedStep.Kind kind) {
        List<TracedStep> found =
                of(trace).stream().filter(step -> step.kind() == kind).toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }
}
