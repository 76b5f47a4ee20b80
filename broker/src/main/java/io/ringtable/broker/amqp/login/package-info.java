/**
 * Logs clients in by SASL, one mechanism a class, and bounds the cost of wrong passwords.
 * <p>
 * Thread: event loops ask, {@code amqp-login-N} hashes. Must not know: links, messages, the rest of the broker.
 */
package io.ringtable.broker.amqp.login;
