/**
 * What must be refused, survived or contained: bad configuration, bad disks, bad clients. Each with a clear error, nothing
 * lost and nothing hanging.
 * <p>
 * Thread: the test's. Must not know: any class of the broker.
 */
package io.ringtable.acceptance.badinput;
