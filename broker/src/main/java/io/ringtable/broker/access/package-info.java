/**
 * Says who a client is, and what it may do: identities, rules, and the rights that follow from both.
 * <p>
 * Thread: any; everything is immutable but the one reference to the rules that count. Must not know: connections,
 * configuration, every other package but {@code message}.
 */
package io.ringtable.broker.access;
