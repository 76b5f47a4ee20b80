/**
 * Gives the policies of an address by its name. Policies say whether the broker creates it on use, how often it
 * delivers a message, and where the message moves then. Policies also say how much of a topic it keeps, and how much
 * may be owed.
 * <p>
 * Thread: any; everything is immutable but the one reference to the policies that count. Must not know: subscriptions,
 * the rest of the dispatcher.
 */
package io.ringtable.broker.dispatch.policy;
