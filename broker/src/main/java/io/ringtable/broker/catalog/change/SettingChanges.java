package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.StoredSettings;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.store.CatalogChange;
import java.util.List;

/**
 * Adds, replaces and removes what administrators set at run time.
 * <p>
 * Thread: committer, between flushes.
 */
public final class SettingChanges {
    /** Limits the length of all documents together: 32 MiB of memory at two bytes a character. */
    public static final long CHARACTERS_MAX = 16L << 20;

    private final StoredSettings settings;
    private final CatalogWriter writer;

    public SettingChanges(StoredSettings settings, CatalogWriter writer) {
        this.settings = settings;
        this.writer = writer;
    }

    /** Adds or replaces a setting, durably when the call returns. Refused where it has no room. */
    Void put(Setting setting) {
        Setting before = settings.find(setting.kind(), setting.name());
        int most = setting.kind().most();
        if (before == null && settings.count(setting.kind()) >= most) {
            throw noRoom(setting, "RT-7603", "there are " + most + " of that kind, which is the most");
        }
        long characters = settings.characters()
                + setting.document().length()
                - (before == null ? 0 : before.document().length());
        if (characters > CHARACTERS_MAX) {
            throw noRoom(
                    setting,
                    "RT-7604",
                    "all settings together would have " + characters + " characters, of at most " + CHARACTERS_MAX);
        }
        // A repetition says the same, so the writer need not find out whether the first try happened.
        writer.write(
                List.of(new CatalogChange.PutSetting(setting)),
                0,
                tables -> tables.settings().contains(setting));
        settings.put(setting);
        return null;
    }

    /** Removes a setting, durably when the call returns. Refused if there is none. */
    Void delete(SettingKind kind, String name) {
        Setting setting = settings.find(kind, name);
        if (setting == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-7605",
                    "there is no " + kind.stored() + " '" + Printable.value(name) + "' that was set at run time"));
        }
        writer.write(
                List.of(new CatalogChange.DeleteSetting(kind, name)),
                0,
                tables -> tables.settings().stream()
                        .noneMatch(row -> row.kind() == kind && row.name().equals(name)));
        settings.remove(kind, name);
        return null;
    }

    private static Refusal.Refused noRoom(Setting setting, String code, String why) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.LIMIT, code, setting + " is not stored: " + why + ": delete what nobody needs"));
    }
}
