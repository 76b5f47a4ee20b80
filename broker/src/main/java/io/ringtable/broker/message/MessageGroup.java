package io.ringtable.broker.message;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Names a group: its messages go to one consumer, in order (JMSXGroupID and JMSXGroupSeq, Jakarta Messaging 3.1 section
 * 3.5.9).
 *
 * @param id of the group within its address. A long id is kept as its digest, since the broker holds it as long as a
 *     consumer has the group
 * @param last whether the group is closed behind this message, and free for another consumer
 */
public record MessageGroup(String id, boolean last) {
    /** Limits the length of ids that are kept as they are, in characters. */
    static final int KEPT_MAX = 64;

    /** Makes a group. @param id as the publisher gave it, of any length */
    public static MessageGroup of(String id, boolean last) {
        return new MessageGroup(id.length() > KEPT_MAX ? digest(id) : id, last);
    }

    private static String digest(String id) {
        byte[] sum = Hash.sha256(id.getBytes(StandardCharsets.UTF_8));
        return "sha256:" + Base64.getEncoder().encodeToString(sum);
    }
}
