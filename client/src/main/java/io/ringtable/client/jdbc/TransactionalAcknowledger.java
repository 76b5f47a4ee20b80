package io.ringtable.client.jdbc;

import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.AlreadyAcknowledgedException;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableException;
import java.sql.Connection;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Acknowledges messages inside the application's own database transaction: the rows written for a message and its
 * acknowledgement commit together or not at all. So the effects of the message happen exactly once, through crashes of
 * any side. The application's data must lie in the broker's database (PostgreSQL or SQL Server), and its database user
 * must be allowed to execute {@code ringtable.settle}.
 *
 * <pre>{@code
 * TransactionalAcknowledger acknowledger = TransactionalAcknowledger.of(dataSource);
 *
 * client.subscribe("queue://payments", message -> transactions.executeWithoutResult(status -> {
 *     acknowledger.acknowledge(message);
 *     jdbc.update("CALL take_payment(?)", message.text());
 * }));
 * }</pre>
 *
 * The subscription stays in {@link AcknowledgeMode#AUTO}. When the transaction has committed and the handler returned,
 * the SDK tells the broker too, which frees the message sooner than the table would. For a message that comes again
 * after its transaction has committed, {@link #acknowledge} throws {@link AlreadyAcknowledgedException}.
 * <p>
 * Acknowledge first: a second consumer of the same message then waits here, before it has done anything. The
 * transaction must be READ COMMITTED, the level that data sources have unless told otherwise. All consumers of the
 * subscription must work this way: one that acknowledges to the broker alone decides outside of any transaction.
 * <p>
 * Thread: any; what it acknowledges belongs to the transaction of the calling thread.
 */
public final class TransactionalAcknowledger {
    private final DataSource dataSource;

    private TransactionalAcknowledger(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Takes part in the transactions that Spring manages on this data source: {@code @Transactional},
     * {@code TransactionTemplate}, with the transaction managers of JDBC and of JPA. Opens no connection of its own.
     *
     * @throws RingtableException RT-5001 if Spring JDBC is not on the class path
     */
    public static TransactionalAcknowledger of(DataSource dataSource) {
        InboxCall.requireSpring();
        return new TransactionalAcknowledger(Objects.requireNonNull(dataSource, "dataSource"));
    }

    /**
     * Acknowledges in the transaction of the calling thread. Waits for a transaction that is acknowledging the same
     * message.
     *
     * @throws AlreadyAcknowledgedException RT-5027 if the message was acknowledged before
     * @throws RingtableException RT-5025 if the thread is in no transaction on the data source; RT-5028 if the database
     *     refuses it. After RT-5027 and RT-5028 the transaction can only be rolled back
     */
    public void acknowledge(ReceivedMessage message) {
        InboxCall.settle(dataSource, message);
    }

    /**
     * Acknowledges in the transaction that the connection is in; the caller commits it.
     *
     * @throws AlreadyAcknowledgedException RT-5027 if the message was acknowledged before
     * @throws RingtableException RT-5028 if the database refuses it
     */
    public static void acknowledge(Connection connection, ReceivedMessage message) {
        InboxCall.settle(connection, message);
    }
}
