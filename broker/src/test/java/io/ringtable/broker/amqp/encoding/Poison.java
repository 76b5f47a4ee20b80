package io.ringtable.broker.amqp.encoding;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Writes what no library writes: values whose counts lie, nested without end, of the wrong type. */
public final class Poison {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    public static byte[] body() {
        return new Poison().put(0, 0x53, 0x77, 0xa1, 1, 'x').bytes();
    }

    public byte[] bytes() {
        return bytes.toByteArray();
    }

    public Poison put(int... values) {
        for (int value : values) {
            bytes.write(value);
        }
        return this;
    }

    public Poison put(byte[] values) {
        bytes.writeBytes(values);
        return this;
    }

    public Poison int32(int value) {
        return put(value >>> 24, value >>> 16, value >>> 8, value);
    }

    public Poison int64(long value) {
        return int32((int) (value >>> 32)).int32((int) value);
    }

    public Poison text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return put(0xb1).int32(utf8.length).put(utf8);
    }

    public Poison symbol(String text) {
        byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
        return put(0xb3).int32(ascii.length).put(ascii);
    }

    /** A list (0xd0), map (0xd1) or array (0xf0). */
    public Poison compound(int constructor, int count, byte[] content) {
        return put(constructor).int32(4 + content.length).int32(count).put(content);
    }

    public Poison section(int code, int constructor, int count, byte[] content) {
        return put(0, 0x53, code).compound(constructor, count, content);
    }

    /** Application properties with one of that value, and a body. */
    public static byte[] property(byte[] value) {
        byte[] entry = new Poison().text("color").put(value).bytes();
        return new Poison().section(0x74, 0xd1, 2, entry).put(body()).bytes();
    }

    /**
     * Lists in each other.
     *
     * @param lie what each says of its elements, of which it has one; 0 = the truth
     */
    public static byte[] nested(int levels, int lie) {
        byte[] whole = new byte[9 * levels + 1];
        ByteBuffer buffer = ByteBuffer.wrap(whole);
        for (int i = 0; i < levels; i++) {
            int left = whole.length - buffer.position();
            buffer.put((byte) 0xd0).putInt(left - 5).putInt(lie == 0 ? 1 : Math.min(lie, left - 9));
        }
        buffer.put((byte) 0x40);
        return whole;
    }

    // ---- at random

    public static byte[] header(Random random) {
        int fields = random.nextInt(7);
        Poison list = new Poison();
        for (int i = 0; i < fields; i++) {
            list.put(value(random, 2));
        }
        return new Poison()
                .section(0x70, 0xd0, count(fields, random), list.bytes())
                .bytes();
    }

    public static byte[] properties(Random random) {
        int fields = random.nextInt(15);
        Poison list = new Poison();
        for (int i = 0; i < fields; i++) {
            list.put(random.nextBoolean() ? new byte[] {0x40} : value(random, 2));
        }
        return new Poison()
                .section(0x73, 0xd0, count(fields, random), list.bytes())
                .bytes();
    }

    public static byte[] map(int section, Random random) {
        String[] names = {"color", "x-opt-delivery-time", "x-opt-jms-dest", "_AMQ_DUPL_ID", "size"};
        int entries = random.nextInt(6);
        Poison map = new Poison();
        for (int i = 0; i < entries; i++) {
            String name = names[random.nextInt(names.length)];
            if (random.nextInt(10) == 0) {
                map.put(value(random, 3));
            } else if (section == 0x74) {
                map.text(name);
            } else {
                map.symbol(name);
            }
            map.put(value(random, 5));
        }
        return new Poison()
                .section(section, 0xd1, count(2 * entries, random), map.bytes())
                .bytes();
    }

    private static int count(int true_, Random random) {
        return random.nextInt(8) == 0 ? random.nextInt() >> random.nextInt(32) : true_;
    }

    /** Of any type, with odd numbers, nested and lying at times. */
    public static byte[] value(Random random, int depth) {
        Poison value = new Poison();
        long number = random.nextLong() >> random.nextInt(64);
        switch (random.nextInt(depth > 0 ? 22 : 17)) {
            case 0 -> value.put(0x40);
            case 1 -> value.put(0x41 + random.nextInt(5));
            case 2 -> value.put(0x50 + random.nextInt(7), (int) number);
            case 3 -> value.put(0x60 + random.nextInt(2), (int) number, (int) number >> 8);
            case 4 -> value.put(0x70 + random.nextInt(5)).int32((int) number);
            case 5 -> value.put(0x80 + random.nextInt(5)).int64(number);
            case 6 -> value.put(0x83).int64(random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE);
            case 7 -> value.put(0x98).int64(number).int64(number);
            case 8 -> value.put(0xa0, 2, 0, 0xff);
            case 9, 10 -> value.text("x".repeat(random.nextInt(4) == 0 ? 40_000 : random.nextInt(50)));
            case 11 -> value.text("\u0000\ud83d\ude00");
            case 12 -> value.put(0xa1, 3, 0xed, 0xa0, 0x80); // half a character
            case 13 -> value.symbol("green");
            case 14 -> value.put(0x50, random.nextInt(256)); // a priority
            case 15 -> value.put(0x51, 0xff);
            case 16 -> value.put(0xa3, 200, 1); // shorter than it says
            case 17 -> value.put(nested(1 + random.nextInt(300), random.nextBoolean() ? 0 : Integer.MAX_VALUE));
            case 18 -> value.put(0xf0).int32(5).int32(random.nextInt()).put(0x43 + random.nextInt(3));
            case 19 -> value.put(0).put(value(random, depth - 1)).put(value(random, depth - 1));
            case 20 ->
                value.compound(
                        0xd1,
                        count(2, random),
                        new Poison()
                                .put(value(random, depth - 1))
                                .put(value(random, depth - 1))
                                .bytes());
            default -> value.compound(0xd0, count(1, random), value(random, depth - 1));
        }
        return value.bytes();
    }

    /** A message, or what was one before a few of its bytes were changed. */
    public static byte[] message(Random random) {
        Poison message = new Poison();
        if (random.nextInt(3) == 0) {
            message.put(header(random));
        }
        if (random.nextInt(4) == 0) {
            message.put(map(0x71, random));
        }
        if (random.nextInt(3) == 0) {
            message.put(map(0x72, random));
        }
        if (random.nextInt(3) == 0) {
            message.put(properties(random));
        }
        if (random.nextInt(2) == 0) {
            message.put(map(0x74, random));
        }
        byte[] bytes = message.put(body()).bytes();
        if (random.nextInt(4) == 0) {
            for (int i = 0; i < 3; i++) {
                bytes[random.nextInt(Math.min(bytes.length, 200))] = (byte) random.nextInt();
            }
        }
        return bytes;
    }
}
