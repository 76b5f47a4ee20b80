package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.consumer.LetterOrigin;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.MessageGroup;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/** Messages are texts; "[g]…" is of group g, "[g!]…" closes it. */
final class Texts implements MessageFormat {
    private final BooleanSupplier deadLettersFail;

    Texts(BooleanSupplier deadLettersFail) {
        this.deadLettersFail = deadLettersFail;
    }

    /** Wants the texts that begin with its own. */
    record Prefix(String text) implements Selector {
        @Override
        public boolean matches(Message message) {
            return new String(message.encoded(), StandardCharsets.UTF_8).startsWith(text);
        }
    }

    @Override
    public Facts facts(byte[] encoded) {
        String text = new String(encoded, StandardCharsets.UTF_8);
        int end = text.startsWith("[") ? text.indexOf(']') : 0;
        boolean last = end > 0 && text.charAt(end - 1) == '!';
        return end == 0 ? Facts.NONE : Facts.of(new MessageGroup(text.substring(1, last ? end - 1 : end), last), 0);
    }

    @Override
    public String orderKey(byte[] encoded) {
        MessageGroup group = facts(encoded).group();
        return group == null ? null : group.id();
    }

    @Override
    public byte[] deadLetter(
            byte[] encoded,
            String address,
            String clientId,
            String subscription,
            String reason,
            int failures,
            long at) {
        if (deadLettersFail.getAsBoolean()) {
            throw new IllegalStateException("this message cannot be written");
        }
        byte[] whence = ("|" + address + "/" + subscription).getBytes(StandardCharsets.UTF_8);
        byte[] letter = Arrays.copyOf(encoded, encoded.length + whence.length);
        System.arraycopy(whence, 0, letter, encoded.length, whence.length);
        return letter;
    }

    @Override
    public LetterOrigin origin(byte[] encoded) {
        String text = new String(encoded, StandardCharsets.UTF_8);
        int bar = text.lastIndexOf('|');
        if (bar < 0) {
            return null;
        }
        int slash = text.indexOf('/', bar);
        String subscription = text.substring(slash + 1);
        return new LetterOrigin(
                text.substring(bar + 1, slash), subscription.isEmpty() ? "" : "client", subscription, "", 0, 0);
    }

    @Override
    public byte[] revived(byte[] letter) {
        String text = new String(letter, StandardCharsets.UTF_8);
        int bar = text.lastIndexOf('|');
        return bar < 0 ? letter : text.substring(0, bar).getBytes(StandardCharsets.UTF_8);
    }
}
