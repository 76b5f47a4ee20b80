/**
 * One thread, one owner, one door: agents, the thread that runs each, and the check that nobody else touches its state.
 * <p>
 * Must not know: anything else of the broker.
 */
package io.ringtable.broker.agent;
