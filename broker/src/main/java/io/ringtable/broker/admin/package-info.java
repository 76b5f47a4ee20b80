/**
 * Serves operators: users, health, and the read-only status over HTTP.
 * <p>
 * Thread: HTTP's and the AMQP server's login threads; the package holds no mutable state. Must not know: SQL, AMQP
 * frames.
 */
package io.ringtable.broker.admin;
