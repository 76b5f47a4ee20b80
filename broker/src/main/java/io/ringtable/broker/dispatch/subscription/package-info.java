/**
 * Holds every subscription with its consumers, their credit, its dispatch bound and its place in the lists of the
 * dispatcher.
 * <p>
 * Thread: {@code dispatcher}; consumers settle their deliveries on their own threads. Must not know: how the store is
 * read, what becomes of a message that is not accepted, fanning out.
 */
package io.ringtable.broker.dispatch.subscription;
