/**
 * Gives state one thread, one owner, one door: agents, the thread that runs each, and the check that no other thread
 * touches its state.
 * <p>
 * Must not know: any other part of the broker.
 */
package io.ringtable.broker.agent;
