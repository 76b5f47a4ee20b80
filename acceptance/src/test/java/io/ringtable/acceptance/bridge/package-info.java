/**
 * The bridge of the command line between Ringtable and Apache ActiveMQ Artemis, each a process of its own, through hard
 * kills.
 * <p>
 * Thread: the test's. Must not know: the classes of the bridge; it is started as a user starts it.
 */
package io.ringtable.acceptance.bridge;
