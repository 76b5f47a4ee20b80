/**
 * How the SDK does it: one I/O thread (a Netty event loop) that owns the connection, the protonj2 engine on it, its
 * links, what is pending and what is in flight; application threads reach it through queues and wake it once per batch.
 * <p>
 * Must not know: the broker's code, Micrometer, and Spring but for {@code SpringTransaction}. Nothing here is part of the SDK's interface.
 */
package io.ringtable.client.internal;
