/**
 * What operators see and set: users, health, and the read-only status over HTTP.
 * <p>
 * Thread: HTTP's and the AMQP server's login threads; nothing here holds state that moves. Must not know: SQL, AMQP
 * frames.
 */
package io.ringtable.broker.admin;
