package io.ringtable.client.jdbc;

import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.RingtableException;
import java.sql.Connection;
import java.util.Objects;
import javax.sql.DataSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Publishes inside the application's own database transaction: subscribers see the message once that transaction has
 * committed, and never if it rolls back. The publisher needs no connection to the broker, only the broker's database
 * (PostgreSQL or SQL Server). The database user must be allowed to execute {@code ringtable.publish}, and on SQL Server
 * {@code ringtable.publish_bytes} as well unless all messages are text.
 *
 * <pre>{@code
 * TransactionalPublisher events = TransactionalPublisher.of(dataSource);
 *
 * transactions.executeWithoutResult(status -> {
 *     jdbc.update("CALL take_seat(?)", "TP 1901");
 *     events.publish("topic://bookings", Message.json(Map.of("flight", "TP 1901")));
 * });
 * }</pre>
 *
 * Messages of one application thread keep their order, over transactions as well. Everything published this way is
 * durable.
 * <p>
 * Thread: any; what it publishes belongs to the transaction of the calling thread.
 */
public final class TransactionalPublisher {
    private final DataSource dataSource;
    private final JsonMapper jsonMapper;

    private TransactionalPublisher(DataSource dataSource, JsonMapper jsonMapper) {
        this.dataSource = dataSource;
        this.jsonMapper = jsonMapper;
    }

    /**
     * Takes part in the transactions that Spring manages on this data source: {@code @Transactional},
     * {@code TransactionTemplate}, with the transaction managers of JDBC and of JPA. Opens no connection of its own.
     *
     * @throws RingtableException RT-5001 if Spring JDBC is not on the class path
     */
    public static TransactionalPublisher of(DataSource dataSource) {
        InboxCall.requireSpring();
        return new TransactionalPublisher(Objects.requireNonNull(dataSource, "dataSource"), JsonMapper.shared());
    }

    /** Returns the same with another mapper for JSON bodies; the first one has Jackson's defaults. */
    public TransactionalPublisher jsonMapper(JsonMapper mapper) {
        return new TransactionalPublisher(dataSource, Objects.requireNonNull(mapper, "mapper"));
    }

    /**
     * Publishes as {@link #publish(Address, Message)}, with the address written {@code queue://name} or {@code
     * topic://name}.
     */
    public void publish(String address, Message message) {
        publish(Address.of(address), message);
    }

    /**
     * Publishes in the transaction of the calling thread. Returns when the database has the message, which is before
     * any subscriber can see it.
     *
     * @throws RingtableException RT-5025 if the thread is in no transaction on the data source
     * @throws RingtableException RT-5026 if the database refuses the message; roll the transaction back then, the only
     *     choice on PostgreSQL
     * @throws RingtableException RT-5014 if the message cannot be written
     * @throws RingtableException RT-5001 if the database has no inbox
     */
    public void publish(Address address, Message message) {
        InboxCall.publish(dataSource, address, message, jsonMapper);
    }

    /**
     * Publishes in the transaction that the connection is in; the caller commits it. In auto-commit mode the message is
     * a transaction of its own.
     *
     * @throws RingtableException RT-5026 if the database refuses the message, RT-5014 if it cannot be written
     */
    public static void publish(Connection connection, Address address, Message message) {
        InboxCall.publish(connection, address, message, JsonMapper.shared());
    }
}
