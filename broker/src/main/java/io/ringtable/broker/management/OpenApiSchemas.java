package io.ringtable.broker.management;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes the schemas of records, as JSON Schema describes what {@link ManagementJson} writes. A component of a primitive
 * type is always there; others may be absent.
 * <p>
 * Thread: one.
 */
final class OpenApiSchemas {
    private static final String REFERENCE = "#/components/schemas/";

    private final Map<String, ObjectNode> schemas = new TreeMap<>();
    private final Map<String, Class<?>> types = new TreeMap<>();

    /** Returns all schemas that were asked for, with those inside them. */
    ObjectNode all() {
        ObjectNode all = ManagementJson.MAPPER.createObjectNode();
        schemas.forEach(all::set);
        return all;
    }

    /** Returns the schema of a page. */
    ObjectNode listOf(Class<?> item) {
        ObjectNode list = node("object");
        ObjectNode properties = list.putObject("properties");
        ObjectNode items = properties.putObject("items").put("type", "array");
        items.set("items", of(item));
        properties.putObject("next").put("type", "string").put("description", "Cursor of the page behind it.");
        ObjectNode silent = properties.putObject("silent").put("type", "array");
        silent.put("description", "Nodes of the cluster, and parts of one, that did not answer; absent if all did.");
        silent.set("items", node("string"));
        list.putArray("required").add("items");
        return list;
    }

    ObjectNode of(Type type) {
        if (type instanceof ParameterizedType generic) {
            return ofGeneric(generic);
        }
        Class<?> plain = (Class<?>) type;
        if (plain == int.class || plain == Integer.class) {
            return node("integer").put("format", "int32");
        } else if (plain == long.class || plain == Long.class) {
            return node("integer").put("format", "int64");
        } else if (plain == double.class || plain == Double.class) {
            return node("number");
        } else if (plain == boolean.class || plain == Boolean.class) {
            return node("boolean");
        } else if (plain == String.class) {
            return node("string");
        } else if (plain == Instant.class) {
            return node("string").put("format", "date-time");
        } else if (plain.isEnum()) {
            ObjectNode node = node("string");
            ArrayNode values = node.putArray("enum");
            for (Object value : plain.getEnumConstants()) {
                values.add(((Enum<?>) value).name());
            }
            return node;
        } else if (plain.isRecord()) {
            return ofRecord(plain);
        } else if (plain == Object.class || JsonNode.class.isAssignableFrom(plain)) {
            return ManagementJson.MAPPER.createObjectNode(); // anything
        }
        throw new IllegalArgumentException("no schema for " + type);
    }

    private ObjectNode ofGeneric(ParameterizedType generic) {
        Class<?> raw = (Class<?>) generic.getRawType();
        Type[] arguments = generic.getActualTypeArguments();
        if (Collection.class.isAssignableFrom(raw)) {
            ObjectNode list = node("array");
            if (Set.class.isAssignableFrom(raw)) {
                list.put("uniqueItems", true);
            }
            list.set("items", of(arguments[0]));
            return list;
        }
        if (Map.class.isAssignableFrom(raw)) {
            ObjectNode map = node("object");
            map.set("additionalProperties", of(arguments[1]));
            return map;
        }
        throw new IllegalArgumentException("no schema for " + generic);
    }

    private ObjectNode ofRecord(Class<?> type) {
        String name = type.getSimpleName();
        Class<?> known = types.putIfAbsent(name, type);
        if (known == null) {
            schemas.put(name, fieldsOf(type));
        } else if (known != type) {
            throw new IllegalArgumentException(known + " and " + type + " have one name in the description");
        }
        return ManagementJson.MAPPER.createObjectNode().put("$ref", REFERENCE + name);
    }

    private ObjectNode fieldsOf(Class<?> type) {
        ObjectNode schema = node("object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = ManagementJson.MAPPER.createArrayNode();
        for (RecordComponent component : type.getRecordComponents()) {
            properties.set(component.getName(), of(component.getGenericType()));
            if (component.getType().isPrimitive()) {
                required.add(component.getName());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        return schema.put("additionalProperties", false);
    }

    private static ObjectNode node(String type) {
        return ManagementJson.MAPPER.createObjectNode().put("type", type);
    }
}
