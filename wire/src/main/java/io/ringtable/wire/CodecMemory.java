package io.ringtable.wire;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Bounds what protonj2's codec remembers of the values that it decodes. The process keeps every symbol of up to 64
 * bytes for good, and each decoder keeps every descriptor that it does not know. This class makes the process forget
 * its symbols when they have become many; symbols are equal by their bytes, so nothing else changes. This class refuses
 * values with further descriptors when a codec has met many.
 * <p>
 * The library gives no access to its symbols, so this class opens two fields by name. The tests fail if the version
 * that the build uses keeps them elsewhere.
 * <p>
 * Thread: one at a time; all threads of the process share the symbols.
 */
public final class CodecMemory {
    /** The most descriptors that one codec may meet, not counting numbers below 256. */
    public static final int DESCRIPTORS_MAX = 256;
    /** The number of symbols above which the process forgets them all. */
    public static final int SYMBOLS_MAX = 16_384;
    /** The most symbols that a codec decodes between two looks at their number. */
    private static final int LOOK_AFTER = 1_024;

    private static final Map<?, ?> NOT_FOUND = Map.of();
    private static final Map<?, ?> BY_BYTES = field("bufferToSymbols");
    private static final Map<?, ?> BY_TEXT = field("stringToSymbols");

    private final Set<Integer> descriptors = new HashSet<>(); // their hashes; two that share one are counted once
    private int symbols; // since the last look

    /** Counts the descriptor that stands from one position to another. */
    public void descriptor(byte[] bytes, int from, int to) throws MalformedMessage {
        if ((bytes[from] & 0xff) == Encoding.ULONG_SMALL || (bytes[from] & 0xff) == Encoding.ULONG_0) {
            return; // there are 256 of them
        }
        if (descriptors.size() < DESCRIPTORS_MAX) {
            descriptors.add(Arrays.hashCode(Arrays.copyOfRange(bytes, from, to)));
        } else if (!descriptors.contains(Arrays.hashCode(Arrays.copyOfRange(bytes, from, to)))) {
            throw new MalformedMessage(
                    "RT-4300",
                    "more than " + DESCRIPTORS_MAX + " descriptors have been used besides AMQP's own: use fewer");
        }
    }

    /** Returns whether the codec has met so many descriptors that a new codec should replace it. */
    public boolean isHalfFull() {
        return descriptors.size() >= DESCRIPTORS_MAX / 2;
    }

    /** Counts symbols that the codec is about to decode. */
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

    /** Returns whether the process can forget symbols; not with a version of protonj2 that keeps them elsewhere. */
    public static boolean isBounded() {
        return BY_BYTES != NOT_FOUND && BY_TEXT != NOT_FOUND;
    }

    /** Returns how many symbols the process remembers. */
    public static int symbolsKnown() {
        return Math.max(BY_BYTES.size(), BY_TEXT.size());
    }

    private static Map<?, ?> field(String name) {
        try {
            Field field = Symbol.class.getDeclaredField(name);
            field.setAccessible(true);
            return (Map<?, ?>) field.get(null);
        } catch (ReflectiveOperationException | RuntimeException unknownVersion) {
            return NOT_FOUND; // a client's application may have chosen another version, whose symbols stay
        }
    }
}
