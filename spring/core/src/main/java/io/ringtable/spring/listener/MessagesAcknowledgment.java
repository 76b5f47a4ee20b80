package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import java.util.List;
import java.util.function.Predicate;

/** Settles all messages of one call alike. */
record MessagesAcknowledgment(List<ReceivedMessage> messages) implements Acknowledgment {

    @Override
    public boolean acknowledge() {
        return all(ReceivedMessage::acknowledge);
    }

    @Override
    public boolean fail() {
        return all(ReceivedMessage::fail);
    }

    @Override
    public boolean release() {
        return all(ReceivedMessage::release);
    }

    @Override
    public boolean reject(String reason) {
        return all(message -> message.reject(reason));
    }

    private boolean all(Predicate<ReceivedMessage> settle) {
        boolean settled = true;
        for (ReceivedMessage message : messages) {
            settled &= settle.test(message);
        }
        return settled;
    }
}
