package io.ringtable.acceptance.jms;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Writes and reads a body of one of JMS's types (Jakarta Messaging 3.1 section 3.11), and holds the expected content.
 *
 * @param content compared with equals, so that arrays are buffers here
 */
record Body(String name, Class<? extends Message> type, Writer writer, Reader reader, Object content) {
    /** One of each kind that UTF-8 and UTF-16 tell apart, and the characters that other formats cannot hold. */
    static final String TEXT = "text: \u0000 \t\r\n \" \\ \u00df \u20ac \u4e2d \ud83d\ude00";

    interface Writer {
        Message write(Session session) throws JMSException;
    }

    interface Reader {
        Object read(Message message) throws JMSException;
    }

    @Override
    public String toString() {
        return name;
    }

    /** Every type, with its smallest and largest values. */
    static List<Body> ofEveryType() {
        return List.of(
                new Body("no body", Message.class, Session::createMessage, message -> "none", "none"),
                text("text", TEXT),
                text("empty text", ""),
                text("text that is null", null),
                bytes("every byte", everyByte()),
                new Body("typed bytes", BytesMessage.class, Body::writeTyped, Body::readTyped, TYPED),
                new Body("map", MapMessage.class, Body::writeMap, Body::readMap, map()),
                new Body("empty map", MapMessage.class, Session::createMapMessage, Body::readMap, Map.of()),
                new Body("stream", StreamMessage.class, Body::writeStream, Body::readStream, STREAM),
                new Body(
                        "empty stream", StreamMessage.class, Session::createStreamMessage, Body::readStream, List.of()),
                object("object", new ArrayList<>(List.of(TEXT, new BigDecimal("1.10"), LocalDate.of(2026, 2, 28)))),
                object("object that is null", null));
    }

    /** Of bytes and of text, from none to the largest. */
    static List<Body> ofEverySize(int largest) {
        List<Body> bodies = new ArrayList<>();
        for (int size : new int[] {
            0, 1, 255, 256, 3_900, 4_096, 7_900, 8_192, 65_536, 1_048_575, 1_048_576, 1_048_577, 3_000_001, largest
        }) {
            byte[] random = new byte[size];
            new Random(size).nextBytes(random);
            bodies.add(bytes(size + " bytes", random));
        }
        for (int size : new int[] {1, 8_192, 1_048_577}) {
            bodies.add(text(size + " characters", "x".repeat(size - 1) + "\u00df"));
        }
        return bodies;
    }

    static Body bytes(String name, byte[] bytes) {
        return new Body(
                name,
                BytesMessage.class,
                session -> {
                    BytesMessage message = session.createBytesMessage();
                    message.writeBytes(bytes);
                    return message;
                },
                message -> {
                    BytesMessage received = (BytesMessage) message;
                    byte[] read = new byte[(int) received.getBodyLength()];
                    received.readBytes(read);
                    return ByteBuffer.wrap(read);
                },
                ByteBuffer.wrap(bytes));
    }

    private static byte[] everyByte() {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static Body text(String name, String text) {
        return new Body(
                name,
                TextMessage.class,
                session -> session.createTextMessage(text),
                message -> ((TextMessage) message).getText(),
                text);
    }

    private static Body object(String name, Serializable object) {
        return new Body(
                name,
                ObjectMessage.class,
                session -> session.createObjectMessage(object),
                message -> ((ObjectMessage) message).getObject(),
                object);
    }

    // ---- bytes, value by value

    private static final List<Object> TYPED = List.of(
            true,
            Byte.MIN_VALUE,
            255,
            Short.MIN_VALUE,
            65_535,
            '\uffff',
            Integer.MIN_VALUE,
            Long.MIN_VALUE,
            Float.NaN,
            -0.0,
            TEXT,
            ByteBuffer.wrap(everyByte()));

    private static Message writeTyped(Session session) throws JMSException {
        BytesMessage message = session.createBytesMessage();
        message.writeBoolean(true);
        message.writeByte(Byte.MIN_VALUE);
        message.writeByte((byte) 255);
        message.writeShort(Short.MIN_VALUE);
        message.writeShort((short) 65_535);
        message.writeChar('\uffff');
        message.writeInt(Integer.MIN_VALUE);
        message.writeLong(Long.MIN_VALUE);
        message.writeFloat(Float.NaN);
        message.writeDouble(-0.0);
        message.writeUTF(TEXT);
        message.writeBytes(everyByte());
        return message;
    }

    private static Object readTyped(Message received) throws JMSException {
        BytesMessage message = (BytesMessage) received;
        List<Object> read = new ArrayList<>();
        read.add(message.readBoolean());
        read.add(message.readByte());
        read.add(message.readUnsignedByte());
        read.add(message.readShort());
        read.add(message.readUnsignedShort());
        read.add(message.readChar());
        read.add(message.readInt());
        read.add(message.readLong());
        read.add(message.readFloat());
        read.add(message.readDouble());
        read.add(message.readUTF());
        byte[] rest = new byte[everyByte().length];
        message.readBytes(rest);
        read.add(ByteBuffer.wrap(rest));
        return message.readBytes(rest) == -1 ? read : "more than was written";
    }

    // ---- maps

    private static Map<String, Object> map() {
        Map<String, Object> map = new TreeMap<>();
        map.put("boolean", true);
        map.put("byte", Byte.MAX_VALUE);
        map.put("short", Short.MAX_VALUE);
        map.put("char", '\u00df');
        map.put("int", Integer.MAX_VALUE);
        map.put("long", Long.MAX_VALUE);
        map.put("float", Float.MIN_VALUE);
        map.put("double", Double.NEGATIVE_INFINITY);
        map.put("string " + TEXT, TEXT);
        map.put("null", null);
        map.put("bytes", ByteBuffer.wrap(everyByte()));
        map.put("object", 7L);
        return map;
    }

    private static Message writeMap(Session session) throws JMSException {
        MapMessage message = session.createMapMessage();
        message.setBoolean("boolean", true);
        message.setByte("byte", Byte.MAX_VALUE);
        message.setShort("short", Short.MAX_VALUE);
        message.setChar("char", '\u00df');
        message.setInt("int", Integer.MAX_VALUE);
        message.setLong("long", Long.MAX_VALUE);
        message.setFloat("float", Float.MIN_VALUE);
        message.setDouble("double", Double.NEGATIVE_INFINITY);
        message.setString("string " + TEXT, TEXT);
        message.setString("null", null);
        message.setBytes("bytes", everyByte());
        message.setObject("object", 7L);
        return message;
    }

    private static Object readMap(Message received) throws JMSException {
        MapMessage message = (MapMessage) received;
        Map<String, Object> read = new TreeMap<>();
        Enumeration<?> names = message.getMapNames();
        for (Object name : Collections.list(names)) {
            read.put((String) name, comparable(message.getObject((String) name)));
        }
        return read;
    }

    // ---- streams

    private static final List<Object> STREAM = new ArrayList<>(List.of(
            false,
            Byte.MIN_VALUE,
            Short.MIN_VALUE,
            '\uffff',
            Integer.MIN_VALUE,
            Long.MIN_VALUE,
            Float.NEGATIVE_INFINITY,
            Double.NaN,
            TEXT,
            ByteBuffer.wrap(everyByte()),
            3.5));

    private static Message writeStream(Session session) throws JMSException {
        StreamMessage message = session.createStreamMessage();
        message.writeBoolean(false);
        message.writeByte(Byte.MIN_VALUE);
        message.writeShort(Short.MIN_VALUE);
        message.writeChar('\uffff');
        message.writeInt(Integer.MIN_VALUE);
        message.writeLong(Long.MIN_VALUE);
        message.writeFloat(Float.NEGATIVE_INFINITY);
        message.writeDouble(Double.NaN);
        message.writeString(TEXT);
        message.writeBytes(everyByte());
        message.writeObject(3.5);
        return message;
    }

    private static Object readStream(Message received) throws JMSException {
        StreamMessage message = (StreamMessage) received;
        List<Object> read = new ArrayList<>();
        try {
            while (true) {
                read.add(comparable(message.readObject()));
            }
        } catch (MessageEOFException end) {
            return read;
        }
    }

    private static Object comparable(Object value) {
        return value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value;
    }
}
