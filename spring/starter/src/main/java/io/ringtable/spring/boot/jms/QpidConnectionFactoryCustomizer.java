package io.ringtable.spring.boot.jms;

import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * Changes the Qpid JMS connection factory after the starter has set it up and before anything uses it. Beans of this
 * type are called in their order.
 */
@FunctionalInterface
public interface QpidConnectionFactoryCustomizer {

    void customize(JmsConnectionFactory factory);
}
