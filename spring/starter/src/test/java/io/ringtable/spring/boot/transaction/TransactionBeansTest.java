package io.ringtable.spring.boot.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.config.StoreProperties;
import io.ringtable.client.Message;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import io.ringtable.client.jdbc.TransactionalPublisher;
import io.ringtable.spring.boot.OneBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Says where the two beans are, and where not. */
@ExtendWith(OneBroker.class)
@Timeout(120)
class TransactionBeansTest {
    private final ApplicationContextRunner withoutDatabase = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    RingtableTransactionAutoConfiguration.class));

    @Test
    void theyJoinTransactionsOfJdbc() {
        StoreProperties store = OneBroker.database();
        withoutDatabase
                .withPropertyValues(
                        "spring.datasource.url=" + store.url(),
                        "spring.datasource.username=" + store.username(),
                        "spring.datasource.password=" + store.password())
                .run(context -> {
                    assertThat(context).hasSingleBean(TransactionalAcknowledger.class);
                    TransactionalPublisher publisher = context.getBean(TransactionalPublisher.class);
                    TransactionTemplate transactions =
                            new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                    transactions.executeWithoutResult(status -> {
                        publisher.publish("queue://tx-jdbc", Message.text("undone"));
                        status.setRollbackOnly();
                    });
                    transactions.executeWithoutResult(
                            status -> publisher.publish("queue://tx-jdbc", Message.text("done")));
                });
        try (RingtableClient client = RingtableClient.connect(OneBroker.uri());
                Receiver receiver = client.receiver("queue://tx-jdbc")) {
            assertThat(receiver.receive(OneBroker.SOON).orElseThrow().text()).isEqualTo("done");
        }
    }

    @Test
    void noneIsThereWhereTheDatabaseCannotBeTheBrokers() {
        withoutDatabase
                .withPropertyValues("spring.datasource.url=jdbc:sqlite::memory:")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(PlatformTransactionManager.class)
                        .doesNotHaveBean(TransactionalPublisher.class)
                        .doesNotHaveBean(TransactionalAcknowledger.class));
    }

    @Test
    void noneIsThereWithoutADatabase() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RingtableTransactionAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(TransactionalPublisher.class));
    }

    @Test
    void anApplicationsOwnAreTheOnlyOnes() {
        StoreProperties store = OneBroker.database();
        withoutDatabase
                .withPropertyValues("spring.datasource.url=" + store.url())
                .withBean(
                        "mine",
                        TransactionalPublisher.class,
                        () -> TransactionalPublisher.of(new org.postgresql.ds.PGSimpleDataSource()))
                .run(context -> assertThat(context).hasSingleBean(TransactionalPublisher.class));
    }
}
