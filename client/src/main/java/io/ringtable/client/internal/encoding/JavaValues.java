package io.ringtable.client.internal.encoding;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedByte;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.UnsignedShort;

/** Turns AMQP values that have no type in Java into the next best: bytes, text, or a number that is large enough. */
final class JavaValues {

    private JavaValues() {}

    static Object of(Object value) {
        if (value instanceof Binary binary) {
            return binary.asByteArray();
        }
        if (value instanceof Symbol symbol) {
            return symbol.toString();
        }
        if (value instanceof Number number) {
            return number(number);
        }
        if (value instanceof List<?> list) {
            List<Object> plain = new ArrayList<>(list.size());
            list.forEach(each -> plain.add(of(each)));
            return plain;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> plain = new LinkedHashMap<>();
            map.forEach((key, each) -> plain.put(of(key), of(each)));
            return plain;
        }
        return value;
    }

    private static Number number(Number number) {
        if (number instanceof UnsignedByte || number instanceof UnsignedShort) {
            return number.intValue();
        }
        if (number instanceof UnsignedInteger) {
            return number.longValue();
        }
        if (number instanceof UnsignedLong large) {
            BigInteger exact = large.bigIntegerValue();
            return exact.bitLength() < Long.SIZE ? (Number) exact.longValue() : exact;
        }
        return number;
    }
}
