package io.ringtable.broker.message;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * Messages of one group go to one consumer, in order (JMSXGroupID and JMSXGroupSeq, Jakarta Messaging 3.1 section 3.5.9).
 *
 * @param id of the group within its address; a digest of it if it is long, since it is kept as long as a consumer has the group
 * @param last whether the group is closed behind this message, and free for another consumer
 */
public record MessageGroup(String id, boolean last) {
    /** Longest id that is kept as it is, in characters. */
    static final int KEPT_MAX = 64;

    /** @param id as its publisher gave it, of any length */
    public static MessageGroup of(String id, boolean last) {
        return new MessageGroup(id.length() > KEPT_MAX ? digest(id) : id, last);
    }

    private static String digest(String id) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + Base64.getEncoder().encodeToString(sum);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
