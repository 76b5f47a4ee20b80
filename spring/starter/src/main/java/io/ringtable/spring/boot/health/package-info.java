/**
 * Tells whether the application's connections to the broker stand, from what the clients themselves report. A look
 * costs nothing, opens no connection and waits for nobody.
 * <p>
 * Thread: clients report on their I/O threads, anybody looks. Must not know: JMS, the SDK.
 */
package io.ringtable.spring.boot.health;
