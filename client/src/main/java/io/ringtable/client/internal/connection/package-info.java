/**
 * Keeps a client connected: socket, TLS, login, the protonj2 engine, and the return after a loss. Carries links
 * ({@code ClientLink}) without knowing what they do, and gives them what they share ({@code LinkHost}).
 * <p>
 * Thread: the I/O thread, unless a class says otherwise. Must not know: messages, publishers, subscriptions.
 */
package io.ringtable.client.internal.connection;
