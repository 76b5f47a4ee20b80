/**
 * One owner at a time: stand-by, take-over, fencing, and a file that is in use.
 * <p>
 * Thread: the test's. Must not know: any class of the broker.
 */
package io.ringtable.acceptance.ownership;
