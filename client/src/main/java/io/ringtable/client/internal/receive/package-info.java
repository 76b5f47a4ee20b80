/**
 * Brings messages to the application: the I/O thread grants credit, buffers what arrives and sends settlements
 * ({@code ReceiverLink}); handlers ({@code PushSubscription}) or callers ({@code PullReceiver}) take and settle.
 * <p>
 * Must not know: publishing, sockets.
 */
package io.ringtable.client.internal.receive;
