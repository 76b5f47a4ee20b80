/**
 * Tests that the broker refuses, survives or contains bad configuration, bad disks and bad clients. Each case ends with
 * a clear error; nothing is lost, and nothing hangs.
 * <p>
 * Thread: the test's. Must not know: any class of the broker.
 */
package io.ringtable.acceptance.badinput;
