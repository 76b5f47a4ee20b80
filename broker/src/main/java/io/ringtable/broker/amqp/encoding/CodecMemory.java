package io.ringtable.broker.amqp.encoding;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Bounds what protonj2's codec remembers of the values that it decodes: every symbol of up to 64 bytes, in the process for good,
 * and every descriptor that it does not know, with its decoder for good. Symbols are forgotten when they have become many; they are
 * equal by their bytes, so that nothing else changes. A connection has few descriptors of its own, or it is refused.
 * <p>
 * The library has no door to its symbols, so two fields are opened by name; its version is fixed, and the tests know of them.
 * <p>
 * Thread: one at a time; the symbols are everybody's.
 */
public final class CodecMemory {
    /** Descriptors of one connection that are no numbers below 256. */
    public static final int DESCRIPTORS_MAX = 256;
    /** Symbols that the process remembers. */
    public static final int SYMBOLS_MAX = 16_384;
    /** Symbols that a connection may send between two looks. */
    private static final int LOOK_AFTER = 1_024;

    private static final Map<?, ?> BY_BYTES = field("bufferToSymbols");
    private static final Map<?, ?> BY_TEXT = field("stringToSymbols");

    private final Set<Integer> descriptors = new HashSet<>(); // their hashes; two that share one are counted once
    private int symbols; // since the last look

    /** A value is described by what stands from one position to another. */
    public void descriptor(byte[] bytes, int from, int to) throws MalformedMessage {
        if ((bytes[from] & 0xff) == Encoding.ULONG_SMALL || (bytes[from] & 0xff) == Encoding.ULONG_0) {
            return; // there are 256 of them
        }
        if (descriptors.size() < DESCRIPTORS_MAX) {
            descriptors.add(Arrays.hashCode(Arrays.copyOfRange(bytes, from, to)));
        } else if (!descriptors.contains(Arrays.hashCode(Arrays.copyOfRange(bytes, from, to)))) {
            throw new MalformedMessage(
                    "RT-4300",
                    "a connection has used more than " + DESCRIPTORS_MAX
                            + " descriptors that are not AMQP's: use fewer");
        }
    }

    /** Symbols are about to be decoded. */
    public void symbols(int count) {
        symbols += Math.min(count, LOOK_AFTER);
        if (symbols >= LOOK_AFTER) {
            symbols = 0;
            forgetSymbols();
        }
    }

    private static void forgetSymbols() {
        if (BY_BYTES.size() > SYMBOLS_MAX || BY_TEXT.size() > SYMBOLS_MAX) {
            BY_BYTES.clear();
            BY_TEXT.clear();
        }
    }

    /** That the process remembers. */
    public static int symbolsKnown() {
        return Math.max(BY_BYTES.size(), BY_TEXT.size());
    }

    private static Map<?, ?> field(String name) {
        try {
            Field field = Symbol.class.getDeclaredField(name);
            field.setAccessible(true);
            return (Map<?, ?>) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("protonj2 keeps its symbols elsewhere than in Symbol." + name, e);
        }
    }
}
