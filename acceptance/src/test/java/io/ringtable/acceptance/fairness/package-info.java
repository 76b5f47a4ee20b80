/**
 * A full address beside a free one, on one link.
 * <p>
 * Thread: the test's and the JMS sessions'. Must not know: any class of the broker.
 */
package io.ringtable.acceptance.fairness;
