/**
 * Answers administrators: the table of operations, who may ask for each, and what is said of it in the audit log. HTTP
 * and the management node of AMQP bring the requests.
 * <p>
 * Thread: any. Must not know: HTTP, AMQP, what the operations do.
 */
package io.ringtable.broker.management;
