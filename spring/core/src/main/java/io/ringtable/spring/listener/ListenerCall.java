package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.support.MessageMapper;
import io.ringtable.spring.support.RingtableHeaders;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Turns received messages into a call of the listener's method: one message, or a batch as one list.
 * <p>
 * Thread: any, as the consumers of a listener share it.
 */
final class ListenerCall {
    private final String listener;
    private final ListenerMethod method;
    private final BatchPayload batch; // null = one message a call
    private final boolean manual;

    /** Holds a message with its element of the list; the element is null where a call takes one message. */
    record Item(ReceivedMessage message, Object element) {}

    ListenerCall(String listener, ListenerMethod method, BatchPayload batch, boolean manual) {
        this.listener = listener;
        this.method = method;
        this.batch = batch;
        this.manual = manual;
    }

    /**
     * Reads the messages of a batch, so that one which cannot be read does not hold up the others.
     *
     * @param unreadable gets each of those
     */
    List<Item> read(List<ReceivedMessage> messages, BiConsumer<ReceivedMessage, ListenerFailedException> unreadable) {
        List<Item> items = new ArrayList<>(messages.size());
        for (ReceivedMessage message : messages) {
            try {
                items.add(new Item(message, batch == null ? null : batch.read(message)));
            } catch (RuntimeException cause) {
                unreadable.accept(message, ListenerFailedException.unreadable(listener, cause));
            }
        }
        return items;
    }

    /**
     * Calls the method.
     *
     * @return what it returned, or null
     * @throws ListenerFailedException if the message cannot be read, or the method threw
     */
    Object invoke(List<Item> items) {
        Message<?> message;
        try {
            message = batch == null ? single(items.get(0).message()) : list(items);
        } catch (RuntimeException damaged) {
            throw ListenerFailedException.unreadable(listener, damaged);
        }
        return method.call(message);
    }

    private Message<?> single(ReceivedMessage message) {
        return MessageMapper.fromMessage(message, acknowledgment(List.of(message)));
    }

    private Message<?> list(List<Item> items) {
        List<ReceivedMessage> messages = items.stream().map(Item::message).toList();
        Map<String, Object> headers = new HashMap<>(acknowledgment(messages));
        headers.put(RingtableHeaders.ADDRESS, messages.get(0).address().toString());
        return MessageBuilder.withPayload(items.stream().map(Item::element).toList())
                .copyHeaders(headers)
                .build();
    }

    private Map<String, Object> acknowledgment(List<ReceivedMessage> messages) {
        return manual ? Map.of(RingtableHeaders.ACKNOWLEDGMENT, new MessagesAcknowledgment(messages)) : Map.of();
    }
}
