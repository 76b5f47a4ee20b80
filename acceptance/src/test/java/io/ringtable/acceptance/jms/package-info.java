/**
 * Tests the demands of Jakarta Messaging 3.1 on a provider, through Qpid JMS unchanged, on every engine that needs
 * nothing installed.
 * <p>
 * Threads: the test's, and those of the client.
 */
package io.ringtable.acceptance.jms;
