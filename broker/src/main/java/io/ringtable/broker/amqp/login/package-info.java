/**
 * Logs clients in by SASL, one mechanism a class.
 * <p>
 * Thread: event loops; {@link io.ringtable.broker.login.Logins} hashes elsewhere. Must not know: links, messages, the
 * rest of the broker.
 */
package io.ringtable.broker.amqp.login;
