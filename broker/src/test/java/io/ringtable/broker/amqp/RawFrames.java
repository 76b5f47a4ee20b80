package io.ringtable.broker.amqp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Frames of AMQP as bytes, for clients that write them whatever the broker answers. */
final class RawFrames {
    static final byte[] AMQP = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    private static final byte[] NULL = {0x40};

    private RawFrames() {}

    static byte[] open(String container) {
        byte[] id = container.getBytes(StandardCharsets.US_ASCII);
        return frame(0, 0x10, list(1, bytes(0xa1, id.length), id), new byte[0]);
    }

    static byte[] begin(int channel) {
        return frame(channel, 0x11, list(4, bytes(0x40, 0x43), uint(1 << 20), uint(1 << 20)), new byte[0]);
    }

    /** @param role 0x42 = it sends, 0x41 = it receives */
    static byte[] attach(int channel, int handle, String address, int role) {
        byte[] node = address.getBytes(StandardCharsets.US_ASCII);
        byte[] terminus = list(1, bytes(0xa1, node.length), node);
        return role == 0x41
                ? attach(channel, handle, role, described(0x28, terminus), described(0x29, bytes(0x45)))
                : attachTo(channel, handle, described(0x29, terminus));
    }

    static byte[] attachTo(int channel, int handle, byte[] target) {
        return attach(channel, handle, 0x42, described(0x28, bytes(0x45)), target);
    }

    private static byte[] attach(int channel, int handle, int role, byte[] source, byte[] target) {
        byte[] name = ("l" + channel + "." + handle).getBytes(StandardCharsets.US_ASCII);
        return frame(
                channel,
                0x12,
                list(
                        10,
                        bytes(0xa1, name.length),
                        name,
                        uint(handle),
                        bytes(role, 0x40, 0x40),
                        source,
                        target,
                        bytes(0x40, 0x40, 0x43)),
                new byte[0]);
    }

    /** A frame of a transfer, with more to come. */
    static byte[] transfer(int channel, int handle, int delivery, byte[] payload) {
        return transfer(channel, handle, delivery, 0x41, NULL, payload);
    }

    /** The last frame of a transfer. */
    static byte[] lastTransfer(int channel, int handle, int delivery, byte[] payload) {
        return transfer(channel, handle, delivery, 0x42, NULL, payload);
    }

    /** A frame of a transfer. @param more 0x41 if there is more to come, or 0x42 @param state of the delivery */
    static byte[] transfer(int channel, int handle, int delivery, int more, byte[] state, byte[] payload) {
        return frame(
                channel,
                0x14,
                list(8, uint(handle), uint(delivery), bytes(0xa0, 1, delivery), bytes(0x43, 0x42, more, 0x40), state),
                payload);
    }

    /** The state of a transfer that belongs to a transaction. */
    static byte[] inTransaction(byte[] id) {
        return described(0x34, list(1, bytes(0xa0, id.length), id));
    }

    /** Accepts a range of deliveries and settles it. */
    static byte[] settled(long first, long last) {
        byte[] accepted = described(0x24, bytes(0x45));
        return frame(
                0, 0x15, list(5, bytes(0x41), uint((int) first), uint((int) last), bytes(0x41), accepted), new byte[0]);
    }

    private static byte[] frame(int channel, int performative, byte[] list, byte[] payload) {
        byte[] body = described(performative, list);
        return ByteBuffer.allocate(8 + body.length + payload.length)
                .putInt(8 + body.length + payload.length)
                .put((byte) 2)
                .put((byte) 0)
                .putShort((short) channel)
                .put(body)
                .put(payload)
                .array();
    }

    static byte[] described(int code, byte[] value) {
        return join(bytes(0, 0x53, code), value);
    }

    private static byte[] list(int count, byte[]... fields) {
        byte[] all = join(fields);
        return join(bytes(0xc0, all.length + 1, count), all);
    }

    private static byte[] uint(int value) {
        return ByteBuffer.allocate(5).put((byte) 0x70).putInt(value).array();
    }

    static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    static byte[] flow(int credit) {
        return frame(
                0,
                0x13,
                list(7, uint(0), uint(1 << 20), uint(0), uint(1 << 20), uint(0), uint(0), uint(credit)),
                new byte[0]);
    }
}
