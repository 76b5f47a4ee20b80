/**
 * Logs clients in by SASL with names and passwords, and bounds the cost of wrong ones.
 * <p>
 * Thread: event loops ask, {@code amqp-login-N} hashes. Must not know: links, messages, the rest of the broker.
 */
package io.ringtable.broker.amqp.login;
