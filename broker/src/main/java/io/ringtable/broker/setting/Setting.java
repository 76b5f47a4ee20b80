package io.ringtable.broker.setting;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.message.Utf16;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Holds one thing that an administrator set at run time.
 * <p>
 * Thread: any; immutable. Failure: {@link Refusal.Refused} if a part of it does not fit into the table.
 *
 * @param name unique in its kind; 1 to {@value #NAME_MAX} characters, none of them a control character
 * @param document JSON, at most {@value #DOCUMENT_MAX} characters
 * @param changedBy name of the user who set it last, at most {@value #NAME_MAX} characters; empty = there are no users
 * @param changedAt when; to the millisecond
 */
public record Setting(SettingKind kind, String name, String document, String changedBy, Instant changedAt) {
    public static final int NAME_MAX = 400;
    public static final int DOCUMENT_MAX = 32_768;

    public Setting {
        Objects.requireNonNull(kind, "kind");
        changedAt = changedAt.truncatedTo(ChronoUnit.MILLIS);
        if (!Address.isName(name)) {
            throw invalid(
                    kind,
                    name,
                    "a name has 1 to " + NAME_MAX
                            + " characters, no control characters and no half of a surrogate pair; this one has "
                            + name.length());
        }
        if (document.length() > DOCUMENT_MAX) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-7602",
                    what(kind, name) + " has " + document.length() + " characters, and a setting has at most "
                            + DOCUMENT_MAX + ": make it shorter, or divide it"));
        }
        if (document.indexOf('\0') >= 0 || !Utf16.isWellFormed(document)) {
            throw invalid(kind, name, "its document has a character 0 or half of a surrogate pair");
        }
        if (!changedBy.isEmpty() && !Address.isName(changedBy)) {
            throw invalid(
                    kind,
                    name,
                    "the user who sets it has a name of " + changedBy.length() + " characters, of " + NAME_MAX
                            + " at most, or one with control characters");
        }
    }

    private static Refusal.Refused invalid(SettingKind kind, String name, String why) {
        return new Refusal.Refused(
                new Refusal(Refusal.Reason.INVALID, "RT-7601", what(kind, name) + " cannot be stored: " + why));
    }

    private static String what(SettingKind kind, String name) {
        return kind.stored() + " '" + Printable.value(name) + "'";
    }

    /** Returns how it is called in what people read, as in {@code rule 'orders'}. */
    @Override
    public String toString() {
        return what(kind, name); // without the document: it may have the hash of a password
    }
}
