/**
 * Makes the SDK's client of the properties, with metrics where Micrometer is there.
 * <p>
 * Thread: the one that first asks for the client, which connects then. Must not know: JMS.
 */
package io.ringtable.spring.boot.client;
