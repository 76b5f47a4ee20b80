/**
 * Makes the publisher and the acknowledger that take part in the application's own database transactions.
 * <p>
 * Thread: the one that starts the application. Must not know: connections to the broker.
 */
package io.ringtable.spring.boot.transaction;
