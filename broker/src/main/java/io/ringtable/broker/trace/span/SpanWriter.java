package io.ringtable.broker.trace.span;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.ringtable.broker.trace.StepWriter;
import io.ringtable.broker.trace.TracedStep;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Makes a span of each step, as a child of the span that the publisher wrote into its message. Names of attributes
 * follow OpenTelemetry's semantic conventions for messaging, version 1.41.
 * <p>
 * Thread: {@code tracer}.
 */
public final class SpanWriter implements StepWriter {
    private static final String SYSTEM = "ringtable";

    private final Tracer tracer;

    /** @param tracer must record what a sampled parent asks for, as OpenTelemetry's samplers by parent do */
    public SpanWriter(Tracer tracer) {
        this.tracer = Objects.requireNonNull(tracer, "tracer");
    }

    @Override
    public void write(TracedStep step) {
        String name = step.kind().name().toLowerCase(Locale.ROOT);
        long now = System.nanoTime();
        long clock = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        Span.Builder span = tracer.spanBuilder()
                .setParent(parent(step.context()))
                .name(name + " " + step.address())
                .startTimestamp(micros(step.begun(), now, clock), TimeUnit.MICROSECONDS)
                .tag("messaging.system", SYSTEM)
                .tag("messaging.operation.name", name)
                .tag("messaging.destination.name", step.address())
                .tag("messaging.message.envelope.size", step.bytes());
        switch (step.kind()) {
            case PUBLISH -> span.kind(Span.Kind.SERVER);
            case SETTLE -> span.tag("messaging.operation.type", name);
            default -> {
                // Internal, and no type of operation that the conventions know.
            }
        }
        if (!step.subscription().isEmpty()) {
            span.tag("messaging.destination.subscription.name", step.subscription());
        }
        if (step.outcome() != null) {
            span.tag("messaging.ringtable.outcome", step.outcome());
        }
        if (step.error() != null) {
            span.tag("error.type", step.error());
        }
        span.start().end(micros(step.ended(), now, clock), TimeUnit.MICROSECONDS);
    }

    private TraceContext parent(io.ringtable.broker.trace.TraceContext context) {
        return tracer.traceContextBuilder()
                .traceId(context.traceId())
                .spanId(context.spanId())
                .sampled(true)
                .build();
    }

    /** Returns a time of {@link System#nanoTime} in µs since the epoch, by the clock as it is now. */
    private static long micros(long nanoTime, long now, long clockMicros) {
        return clockMicros - TimeUnit.NANOSECONDS.toMicros(now - nanoTime);
    }
}
