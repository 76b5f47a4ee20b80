/**
 * Takes the steps of sampled messages through the broker to whoever makes spans of them.
 * <p>
 * Thread: any tells of a step; {@code tracer} passes it on. Must not know: Spring, Micrometer, OpenTelemetry, AMQP,
 * SQL.
 */
package io.ringtable.broker.trace;
