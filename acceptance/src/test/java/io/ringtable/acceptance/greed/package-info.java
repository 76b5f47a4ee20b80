/**
 * Greedy clients beside an honest one: what the honest client feels of each attack, and what the attack was.
 * <p>
 * Thread: the test's; the honest client has two of its own; the attackers have a process of their own. Must not know:
 * any class of the broker.
 */
package io.ringtable.acceptance.greed;
