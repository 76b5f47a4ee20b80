package io.ringtable.broker.management.operations;

import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.ManagementRefused;
import io.ringtable.broker.message.Printable;

/**
 * Says where a list of messages goes on. A queue with parts is listed one part after the other, and each part has
 * sequences of its own. Their cursors are {@code shard.sequence}; that of any other list is a sequence alone.
 *
 * @param shard of the part; -1 = the first part
 * @param after the sequence to go on after; -1 = from the beginning
 */
record MessageCursor(int shard, long after) {
    static final MessageCursor BEGIN = new MessageCursor(-1, -1);

    /** Returns the cursor of the call; {@link #BEGIN} if it has none. */
    static MessageCursor of(Call call) {
        String text = call.page().after();
        if (text == null) {
            return BEGIN;
        }
        int dot = text.indexOf('.');
        try {
            MessageCursor cursor = dot < 0
                    ? new MessageCursor(-1, Long.parseLong(text))
                    : new MessageCursor(
                            Integer.parseInt(text.substring(0, dot)), Long.parseLong(text.substring(dot + 1)));
            if (cursor.shard >= -1 && cursor.after >= -1) {
                return cursor;
            }
        } catch (NumberFormatException e) {
            throw bad(text);
        }
        throw bad(text);
    }

    private static ManagementRefused bad(String text) {
        return ManagementRefused.badRequest(
                "RT-4490",
                "after='" + Printable.value(text) + "' is no cursor: write what the page before has as next");
    }

    /** Returns after which sequence the list goes on in a part that it has reached. */
    long in(int home) {
        return shard == -1 || shard == home ? after : -1;
    }

    /** Returns the cursor as text. @param withShard whether the list has several parts */
    String text(boolean withShard) {
        return withShard ? shard + "." + after : Long.toString(after);
    }
}
