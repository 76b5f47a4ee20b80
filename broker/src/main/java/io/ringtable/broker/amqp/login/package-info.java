/**
 * Logins by SASL: names and passwords, and what wrong ones cost.
 * <p>
 * Thread: event loops ask, {@code amqp-login-N} hashes. Must not know: links, messages, the rest of the broker.
 */
package io.ringtable.broker.amqp.login;
