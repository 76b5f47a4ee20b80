/**
 * AMQP clients of three languages against the broker, unchanged, each with each.
 * <p>
 * Thread: the test's. Must not know: any class of the broker.
 */
package io.ringtable.acceptance.interop;
