package io.ringtable.spring.boot.transaction;

import io.ringtable.client.jdbc.TransactionalAcknowledger;
import io.ringtable.client.jdbc.TransactionalPublisher;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes {@link TransactionalPublisher} and {@link TransactionalAcknowledger} on the application's data source. Both
 * join {@code @Transactional}, with the transaction managers of JDBC and of JPA.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
        })
@ConditionalOnClass({DataSourceUtils.class, PlatformTransactionManager.class})
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnBean(PlatformTransactionManager.class)
@Conditional(OnServerEngine.class)
public class RingtableTransactionAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TransactionalPublisher ringtableTransactionalPublisher(DataSource dataSource, ObjectProvider<JsonMapper> json) {
        TransactionalPublisher publisher = TransactionalPublisher.of(dataSource);
        JsonMapper mapper = json.getIfUnique();
        return mapper == null ? publisher : publisher.jsonMapper(mapper);
    }

    @Bean
    @ConditionalOnMissingBean
    TransactionalAcknowledger ringtableTransactionalAcknowledger(DataSource dataSource) {
        return TransactionalAcknowledger.of(dataSource);
    }
}
