package io.ringtable.broker.trace;

/** Makes a span of a step. Thread: {@code tracer}. */
@FunctionalInterface
public interface StepWriter {
    void write(TracedStep step);
}
