/**
 * Decides who may log in, for every way in: users and tokens, what wrong ones cost, and which logins wait their turn.
 * One count of failures holds over AMQP and HTTP together.
 * <p>
 * Thread: any asks, {@code login-N} hashes. Must not know: AMQP, HTTP, how users are stored.
 */
package io.ringtable.broker.login;
