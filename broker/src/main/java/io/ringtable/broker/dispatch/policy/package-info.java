/**
 * Says what holds for an address by its name: whether it is created on use, how often a message is delivered, where it
 * moves then, how much of a topic is kept.
 * <p>
 * Thread: any; everything is immutable. Must not know: subscriptions, the rest of the dispatcher.
 */
package io.ringtable.broker.dispatch.policy;
