/**
 * Makes the template and the listeners of the SDK, with the application's Jackson, transactions, validator and
 * observations.
 * <p>
 * Thread: the one that starts the application. Must not know: JMS.
 */
package io.ringtable.spring.boot.listener;
