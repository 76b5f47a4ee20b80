package io.ringtable.broker.amqp.management;

import io.ringtable.broker.message.Printable;
import io.ringtable.wire.MalformedMessage;
import java.lang.reflect.Array;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes JSON of AMQP's values, so that a client may send a map instead of a text. A binary becomes its Base64, a
 * timestamp its milliseconds since the epoch.
 * <p>
 * Thread: any; holds nothing.
 */
final class AmqpJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private AmqpJson() {}

    /** @throws MalformedMessage if JSON has no form for the value, or for one inside it */
    static JsonNode of(Object value) throws MalformedMessage {
        if (value == null) {
            return NODES.nullNode();
        }
        if (value instanceof Map<?, ?> map) {
            return object(map);
        }
        if (value instanceof List<?> list) {
            return array(list.toArray());
        }
        if (value.getClass().isArray()) {
            return array(value);
        }
        return simple(value);
    }

    private static JsonNode object(Map<?, ?> map) throws MalformedMessage {
        ObjectNode object = NODES.objectNode();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!(entry.getKey() instanceof String || entry.getKey() instanceof Symbol)) {
                throw RequestDecoder.unreadable(
                        "a map of the body has the key '" + Printable.value(entry.getKey()) + "', which is no string");
            }
            object.set(entry.getKey().toString(), of(entry.getValue()));
        }
        return object;
    }

    private static JsonNode array(Object values) throws MalformedMessage {
        ArrayNode array = NODES.arrayNode();
        for (int i = 0; i < Array.getLength(values); i++) {
            array.add(of(Array.get(values, i)));
        }
        return array;
    }

    private static JsonNode simple(Object value) throws MalformedMessage {
        if (value instanceof Boolean flag) {
            return NODES.booleanNode(flag);
        }
        if (value instanceof String || value instanceof Symbol || value instanceof Character || value instanceof UUID) {
            return NODES.stringNode(value.toString());
        }
        if (value instanceof Binary binary) {
            return NODES.stringNode(Base64.getEncoder().encodeToString(binary.asByteArray()));
        }
        if (value instanceof UnsignedLong number) {
            return NODES.numberNode(number.bigIntegerValue());
        }
        if ((value instanceof Double || value instanceof Float) && Double.isFinite(((Number) value).doubleValue())) {
            return NODES.numberNode(((Number) value).doubleValue());
        }
        if (value instanceof Number number && !(value instanceof Double || value instanceof Float)) {
            return NODES.numberNode(number.longValue());
        }
        throw RequestDecoder.unreadable("the body has the value '" + Printable.value(value) + "' of type "
                + value.getClass().getSimpleName() + ", for which JSON has no form");
    }
}
