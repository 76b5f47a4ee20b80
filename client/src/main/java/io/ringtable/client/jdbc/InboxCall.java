package io.ringtable.client.jdbc;

import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Message.BodyKind;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.internal.error.Errors;
import java.nio.charset.StandardCharsets;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Lays a message or a settlement into the inbox in the broker's database, by the function or procedure that does so in
 * the caller's transaction.
 * <p>
 * Thread: the caller's; holds nothing.
 */
final class InboxCall {
    /** Calls in the form that JDBC defines. */
    private static final String PUBLISH = "{call ringtable.publish(?, ?, ?)}";

    /** Serves SQL Server, where two procedures cannot have one name. */
    private static final String PUBLISH_BYTES = "{call ringtable.publish_bytes(?, ?, ?)}";

    private static final String POSTGRESQL = "PostgreSQL"; // as JDBC's metadata names the product
    private static final String SQL_SERVER = "Microsoft SQL Server";

    private static final String SETTLE = "{call ringtable.settle(?)}";

    /** Begins the function's message on every engine; SQLSTATEs differ. */
    private static final String SETTLED_ALREADY = "RT-3060 ";

    private static final String SPRING = "org.springframework.jdbc.datasource.DataSourceUtils";

    /** Lists the keys that are headers of the message; the same as in the database. */
    private static final Set<String> RESERVED = Set.of(
            "durable",
            "priority",
            "ttl",
            "message-id",
            "correlation-id",
            "content-type",
            "subject",
            "reply-to",
            "group-id");

    private InboxCall() {}

    static void requireSpring() {
        try {
            Class.forName(SPRING, false, InboxCall.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw Errors.configuration(
                    "Spring JDBC is not on the class path",
                    "add spring-jdbc, or hand the connection in: publish(connection, address, message),"
                            + " acknowledge(connection, message)",
                    e);
        }
    }

    /** Acts in the transaction that Spring holds on the data source. */
    static void publish(DataSource dataSource, Address address, Message message, JsonMapper mapper) {
        SpringTransaction.join(dataSource, connection -> publish(connection, address, message, mapper));
    }

    static void publish(Connection connection, Address address, Message message, JsonMapper mapper) {
        String properties = json(properties(message), JsonMapper.shared());
        boolean text = message.bodyKind() == BodyKind.TEXT;
        try {
            boolean overloaded = isPostgresql(connection);
            try (CallableStatement call = connection.prepareCall(overloaded || text ? PUBLISH : PUBLISH_BYTES)) {
                call.setString(1, address.toString());
                if (text) {
                    call.setString(2, (String) message.body());
                } else {
                    call.setBytes(2, bytes(message, mapper));
                }
                if (overloaded) {
                    call.setObject(3, properties, Types.OTHER); // a jsonb
                } else {
                    call.setString(3, properties);
                }
                call.execute();
            }
        } catch (SQLException e) {
            throw InboxErrors.notPublished(address, e);
        }
    }

    private static boolean isPostgresql(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case POSTGRESQL -> true;
            case SQL_SERVER -> false;
            default -> throw InboxErrors.noInbox(product);
        };
    }

    /** Acts in the transaction that Spring holds on the data source. */
    static void settle(DataSource dataSource, ReceivedMessage message) {
        SpringTransaction.join(dataSource, connection -> settle(connection, message));
    }

    static void settle(Connection connection, ReceivedMessage message) {
        try (CallableStatement call = connection.prepareCall(SETTLE)) {
            call.setString(1, message.deliveryTag());
            call.execute();
        } catch (SQLException e) {
            if (String.valueOf(e.getMessage()).contains(SETTLED_ALREADY)) {
                throw InboxErrors.alreadyAcknowledged(message, e);
            }
            throw InboxErrors.notAcknowledged(message, e);
        }
    }

    private static byte[] bytes(Message message, JsonMapper mapper) {
        return message.bodyKind() == BodyKind.BYTES
                ? (byte[]) message.body()
                : json(message.body(), mapper).getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, Object> properties(Message message) {
        Map<String, Object> all = new LinkedHashMap<>();
        message.properties().forEach((name, value) -> all.put(applicationName(name), simple(name, value)));
        message.messageId().ifPresent(value -> all.put("message-id", value));
        message.correlationId().ifPresent(value -> all.put("correlation-id", value));
        message.subject().ifPresent(value -> all.put("subject", value));
        message.replyTo().ifPresent(value -> all.put("reply-to", value));
        message.contentType().ifPresent(value -> all.put("content-type", value));
        message.groupId().ifPresent(value -> all.put("group-id", value));
        if (message.bodyKind() == BodyKind.JSON) {
            all.putIfAbsent("content-type", "application/json");
        }
        if (message.priority() != Message.PRIORITY_NORMAL) {
            all.put("priority", message.priority());
        }
        message.timeToLive().map(Duration::toMillis).ifPresent(value -> all.put("ttl", value));
        return all;
    }

    private static String applicationName(String name) {
        if (RESERVED.contains(name)) {
            throw Errors.content(
                    "property '" + name + "' has the name of a header, which the inbox would take it for: use another",
                    null);
        }
        return name;
    }

    private static Object simple(String name, Object value) {
        boolean isFinite =
                !(value instanceof Double || value instanceof Float) || Double.isFinite(((Number) value).doubleValue());
        if (value instanceof Character) {
            return value.toString();
        }
        if (isFinite
                && (value == null || value instanceof String || value instanceof Boolean || value instanceof Number)) {
            return value;
        }
        throw Errors.content(
                "property '" + name + "' is " + value + ", a "
                        + value.getClass().getName() + ", which JSON does not know: make it a string",
                null);
    }

    private static String json(Object value, JsonMapper mapper) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException unwritable) {
            throw Errors.content("a " + value.getClass().getName() + " cannot be written as JSON", unwritable);
        }
    }
}
