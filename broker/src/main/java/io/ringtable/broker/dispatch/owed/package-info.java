/**
 * Holds what one subscription owes and has not delivered, by priority and by time. A message lies in memory, or is a
 * bit for each message in the store. Decides which message a consumer may have next, by groups and selectors. Decides
 * what the dispatcher reads from the store next.
 * <p>
 * Thread: {@code dispatcher}. Must not know: how credit is counted, connections, the store, how messages are delivered.
 */
package io.ringtable.broker.dispatch.owed;
