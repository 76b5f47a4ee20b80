package io.ringtable.broker.amqp.inspect;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.DescribedType;
import org.apache.qpid.protonj2.types.UnsignedByte;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.UnsignedShort;

/**
 * Turns decoded AMQP values into plain ones, which JSON has: texts, numbers, booleans, lists, maps with text keys.
 * Shows a bounded number of values, each up to a bounded length, and says where it has left some out.
 * <p>
 * Thread: one at a time; one instance for each message.
 */
final class PlainValues {
    /** The most values of one message that are shown. */
    private static final int VALUES_MAX = 4_096;
    /** The most characters of one text, and the most bytes of one binary. */
    static final int TEXT_MAX = 4_096;

    private static final String MORE = "…";

    private int left = VALUES_MAX;

    Map<String, Object> map(Map<?, ?> values) {
        Map<String, Object> plain = new LinkedHashMap<>();
        for (Map.Entry<?, ?> each : values.entrySet()) {
            if (left <= 0) {
                plain.put(MORE, "and more: " + values.size() + " in all");
                break;
            }
            plain.put(String.valueOf(of(each.getKey())), of(each.getValue()));
        }
        return plain;
    }

    Object of(Object value) {
        left--;
        if (value == null || value instanceof Boolean) {
            return value;
        }
        if (value instanceof Number number) {
            return number(number);
        }
        if (value instanceof Binary binary) {
            return hex(binary.asByteArray());
        }
        if (value instanceof byte[] bytes) {
            return hex(bytes);
        }
        if (value instanceof Map<?, ?> map) {
            return map(map);
        }
        if (value instanceof List<?> list) {
            return list(list);
        }
        if (value.getClass().isArray()) {
            return array(value);
        }
        if (value instanceof DescribedType described) {
            Map<String, Object> plain = new LinkedHashMap<>();
            plain.put("descriptor", of(described.getDescriptor()));
            plain.put("value", of(described.getDescribed()));
            return plain;
        }
        return text(value.toString());
    }

    private static Object number(Number number) {
        if (number instanceof UnsignedLong big) {
            return big.bigIntegerValue();
        }
        if (number instanceof UnsignedInteger || number instanceof UnsignedShort || number instanceof UnsignedByte) {
            return number.longValue();
        }
        boolean isPlain = number instanceof Long
                || number instanceof Integer
                || number instanceof Short
                || number instanceof Byte
                || number instanceof Double real && Double.isFinite(real)
                || number instanceof Float single && Float.isFinite(single);
        return isPlain ? number : text(number.toString()); // JSON has no infinity, and no decimals of IEEE 754
    }

    static String text(String text) {
        if (text.length() <= TEXT_MAX) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(TEXT_MAX - 1)) ? TEXT_MAX - 1 : TEXT_MAX;
        return text.substring(0, end) + MORE;
    }

    private static String hex(byte[] bytes) {
        String shown = "0x" + HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, TEXT_MAX));
        return bytes.length <= TEXT_MAX ? shown : shown + MORE;
    }

    private List<Object> list(List<?> values) {
        List<Object> plain = new ArrayList<>();
        for (Object each : values) {
            if (left <= 0) {
                plain.add("… and more: " + values.size() + " in all");
                break;
            }
            plain.add(of(each));
        }
        return plain;
    }

    private List<Object> array(Object values) {
        int length = Array.getLength(values);
        List<Object> plain = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            if (left <= 0) {
                plain.add("… and more: " + length + " in all");
                break;
            }
            plain.add(of(Array.get(values, i)));
        }
        return plain;
    }
}
