/**
 * Shows a shop in five classes. An order and the message of it are one transaction, and so are a message and its
 * shipment.
 * <p>
 * Thread: those of Spring. Must not know: anything of Ringtable but its template, its listener and addresses.
 */
package io.ringtable.examples.orders;
