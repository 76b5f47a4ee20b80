/**
 * Makes the JMS connection factory over Qpid JMS, before Spring Boot's own auto-configuration looks for one. Lets
 * {@code JmsTemplate}, {@code JmsClient} and {@code @JmsListener} take addresses such as {@code topic://news}.
 * <p>
 * Thread: the one that starts the application; what is made here serves any. Must not know: the SDK.
 */
package io.ringtable.spring.boot.jms;
