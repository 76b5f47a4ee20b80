package io.ringtable.wire;

/**
 * Walks over an encoded value with everything inside it (AMQP 1.0 section 1.6). Refuses a value that would cost its
 * reader more than its bytes. Such a value nests too deeply, holds too many values, or has a count that its size does
 * not bear out. Decoders go down one call per level and make room by the count, so each of them gets only values that
 * have passed this walk.
 * <p>
 * Thread: one at a time; holds nothing between two calls.
 */
public final class Structure {
    /** The most levels of lists, maps, arrays and described values; a filter in an attach frame is on level 7. */
    public static final int DEPTH_MAX = 32;
    /** The most values in one value, at all levels together. */
    public static final int VALUES_MAX = 16_384;

    /** The most values in a section with as many bytes, since the lists and arrays of applications may be long. */
    public static final int SECTION_VALUES_MAX = 1 << 20;

    /** The level of a section's own list or map, whose elements are on level 0. */
    private static final int SECTION_DEPTH = -1;

    private static final String CODE = "RT-4300";
    private static final int COMPOUND = 0xc0; // constructors from here on are of lists, maps and arrays

    private final CodecMemory codec; // null = the values are not for protonj2's codec
    private byte[] bytes;
    private int valuesMax;
    private int values;

    /** Makes a walker over values that protonj2's codec does not read. */
    public Structure() {
        this(null);
    }

    /** @param codec counts what the codec will remember of the values */
    public Structure(CodecMemory codec) {
        this.codec = codec;
    }

    /** Returns whether a value holds other values; only such values need a check. */
    public static boolean isNested(int code) {
        return code >= COMPOUND || code == Encoding.DESCRIBED;
    }

    /**
     * Checks the value that begins at {@code position}.
     *
     * @return where the value ends
     * @throws MalformedMessage RT-4300 if the value is beyond a bound, or contradicts itself
     */
    public int check(byte[] encoded, int position, int end) throws MalformedMessage {
        return check(encoded, position, end, 0, VALUES_MAX);
    }

    /**
     * Checks the value of the section that was found last. Its content may nest as deeply as {@link #check} allows, and
     * may have as many values as bytes, up to {@link #SECTION_VALUES_MAX}.
     *
     * @throws MalformedMessage RT-4300 if the value is beyond a bound, or contradicts itself
     */
    public void checkSection(Sections sections) throws MalformedMessage {
        int position = sections.value();
        int end = sections.next();
        int most = Math.max(VALUES_MAX, Math.min(SECTION_VALUES_MAX, end - position));
        check(sections.bytes(), position, end, sections.code() == Sections.VALUE ? 0 : SECTION_DEPTH, most);
    }

    private int check(byte[] encoded, int position, int end, int depth, int most) throws MalformedMessage {
        bytes = encoded;
        valuesMax = most;
        values = 0;
        try {
            return value(position, end, depth);
        } finally {
            bytes = null;
        }
    }

    private int value(int position, int end, int depth) throws MalformedMessage {
        count(1);
        int code = Encoding.code(bytes, position, end);
        if (code == Encoding.DESCRIBED) {
            int value = value(position + 1, end, deeper(depth));
            if (codec != null) {
                codec.descriptor(bytes, position + 1, value);
            }
            return value(value, end, depth + 1);
        }
        symbols(code, 1);
        return code < COMPOUND ? Encoding.skip(bytes, position, end) : compound(code, position + 1, end, depth);
    }

    /** Walks over a list, map or array; {@code position} is behind its constructor. */
    private int compound(int code, int position, int end, int depth) throws MalformedMessage {
        int width = (code >> 4 & 1) == 0 ? 1 : 4; // of size and count
        int first = Encoding.bounded(position, width, end);
        int after = Encoding.bounded(first, unsigned(position, width), end);
        int count = unsigned(first, width, after);
        int content = first + width;
        int ended = isArray(code)
                ? array(content, after, count, deeper(depth))
                : elements(code, content, after, count, deeper(depth));
        if (ended != after) {
            throw lie(count, content, after);
        }
        return after;
    }

    private static boolean isArray(int code) {
        return code >> 4 >= 0xe;
    }

    private int elements(int code, int content, int after, int count, int depth) throws MalformedMessage {
        boolean isMap = (code & 0xf) == 1;
        if (count < 0 || count > after - content || isMap && (count & 1) == 1) {
            throw lie(count, content, after);
        }
        int position = content;
        for (int i = 0; i < count; i++) {
            position = value(position, after, depth);
        }
        return position;
    }

    /** Walks over an array, whose elements share one constructor; the elements may have no bytes at all. */
    private int array(int content, int after, int count, int depth) throws MalformedMessage {
        if (count < 0) {
            throw lie(count, content, after);
        }
        count(count);
        int position = content;
        int levels = depth;
        while (Encoding.code(bytes, position, after) == Encoding.DESCRIBED) {
            levels = deeper(levels);
            int value = value(position + 1, after, levels);
            if (codec != null) {
                codec.descriptor(bytes, position + 1, value);
            }
            position = value;
        }
        int code = Encoding.code(bytes, position, after);
        symbols(code, count);
        position++;
        for (int i = 0; i < count; i++) {
            position = code < COMPOUND
                    ? Encoding.skipValue(bytes, code, position, after)
                    : compound(code, position, after, levels);
        }
        return position;
    }

    private int unsigned(int position, int width) {
        return width == 1 ? bytes[position] & 0xff : Encoding.int32(bytes, position);
    }

    private int unsigned(int position, int width, int end) throws MalformedMessage {
        Encoding.bounded(position, width, end);
        return unsigned(position, width);
    }

    private void symbols(int code, int count) {
        if (codec != null && (code == Encoding.SYMBOL_8 || code == Encoding.SYMBOL_32)) {
            codec.symbols(count);
        }
    }

    private void count(int more) throws MalformedMessage {
        if (more > valuesMax - values) {
            throw new MalformedMessage(CODE, "a value holds more than " + valuesMax + " values: send fewer");
        }
        values += more;
    }

    private static int deeper(int depth) throws MalformedMessage {
        if (depth == DEPTH_MAX) {
            throw new MalformedMessage(CODE, "values are nested deeper than " + DEPTH_MAX + " levels: flatten them");
        }
        return depth + 1;
    }

    private static MalformedMessage lie(int count, int from, int to) {
        return new MalformedMessage(
                CODE,
                "a list, map or array of " + (to - from) + " bytes at byte " + from + " does not match its count of "
                        + Integer.toUnsignedString(count) + " elements");
    }
}
