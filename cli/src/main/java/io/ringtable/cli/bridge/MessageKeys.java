package io.ringtable.cli.bridge;

import io.ringtable.wire.MalformedMessage;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/**
 * Makes the key of a message: the same each time that the source sends it, and no other message's (ADR 29).
 * <p>
 * Thread: the event loop.
 */
final class MessageKeys {
    /** Bytes of a key: 192 bits of SHA-256, which no two messages share by chance. */
    private static final int KEY_BYTES = 24;

    private static final int SUBSCRIPTION_PART = 1; // of epoch.subscription.sequence.code
    private static final int SEQUENCE_PART = 2;
    private static final int SHARDS = 1024; // factor of the shard in epoch:subscription.sequence.code
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private final byte[] name;
    private final Product source;
    private final BridgeTask.Recognition recognition;
    private final MessageDigest digest;

    /** @param name of the bridge */
    MessageKeys(String name, Product source, BridgeTask.Recognition recognition) {
        this.name = name.getBytes(StandardCharsets.UTF_8);
        this.source = source;
        this.recognition = recognition;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }

    /**
     * Returns the key of a message; null if it needs none, as its publisher's duplicate id counts at the target.
     *
     * @param tag the delivery tag
     * @throws BridgeFailure RT-6026 if the message cannot be recognised
     */
    String of(byte[] tag, CarriedMessage message) throws MalformedMessage {
        if (recognition == BridgeTask.Recognition.NONE || message.hasOwnId()) {
            return null;
        }
        begin();
        if (source == Product.RINGTABLE) {
            digest.update((byte) 's');
            digest.update(number(tag).getBytes(StandardCharsets.US_ASCII));
        } else if (message.hasMessageId()) {
            digest.update((byte) 'm');
            message.addId(digest);
        } else if (recognition == BridgeTask.Recognition.BY_CONTENT) {
            digest.update((byte) 'c');
            message.addContent(digest);
        } else {
            throw new BridgeFailure(
                    BridgeFailure.Reason.FINAL,
                    "RT-6026",
                    "a message of the source has no message-id, so it could be moved twice after an interruption, and"
                            + " stays there. Add --by-content if no two messages have the same bytes, or"
                            + " --allow-duplicates");
        }
        byte[] hash = digest.digest();
        return Base64.getUrlEncoder().encodeToString(Arrays.copyOf(hash, KEY_BYTES));
    }

    private void begin() {
        digest.reset();
        digest.update(name);
        digest.update((byte) 0);
    }

    /**
     * Reads the number of the message from a tag of Ringtable ({@code DeliveryTags} of module {@code wire}). The tag
     * has it in base64url between dots, or in decimal, alone or with a shard behind a dot. A shard other than 0
     * follows, as each shard counts its messages from 0: {@code 4711@3}.
     */
    static String number(byte[] tag) {
        String text = new String(tag, StandardCharsets.US_ASCII);
        String[] parts = text.split("[.:]");
        try {
            if (parts.length == 1) {
                return Long.toString(Long.parseLong(text));
            }
            if (parts.length == 2) {
                return Long.parseLong(parts[0]) + "@" + Integer.parseInt(parts[1]);
            }
            String sequence = Long.toString(read(parts[SEQUENCE_PART]));
            return text.indexOf(':') < 0 ? sequence : sequence + "@" + read(parts[SUBSCRIPTION_PART]) % SHARDS;
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException unreadable) {
            throw new BridgeFailure(
                    BridgeFailure.Reason.FINAL,
                    "RT-6027",
                    "the source calls itself Ringtable, and its delivery tag '" + text + "' has no number: use a bridge"
                            + " of the version of the source");
        }
    }

    private static long read(String digits) {
        long number = 0;
        for (char digit : digits.toCharArray()) {
            int value = DIGITS.indexOf(digit);
            if (value < 0) {
                throw new NumberFormatException();
            }
            number = number << 6 | value;
        }
        return number;
    }
}
