/**
 * Makes spans of the steps of sampled messages, with Micrometer Tracing.
 * <p>
 * Thread: {@code tracer}. Must not know: how a step came about, and what exports the spans.
 */
package io.ringtable.broker.trace.span;
