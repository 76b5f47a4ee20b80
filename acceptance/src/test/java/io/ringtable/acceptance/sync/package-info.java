/**
 * Whether what is accepted has been synced: read from the system calls of the processes that store and serve.
 * <p>
 * Thread: the test's. Must not know: any class of the broker.
 */
package io.ringtable.acceptance.sync;
