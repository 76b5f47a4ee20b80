package io.ringtable.broker.setting;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ringtable.broker.message.Printable;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the documents of settings, and reads them. A document with a field that this version does not know is not
 * read: what it was to say would be halved.
 * <p>
 * Thread: any.
 */
public final class SettingDocument {
    private static final Logger LOG = LoggerFactory.getLogger(SettingDocument.class);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultPropertyInclusion(include -> include.withValueInclusion(JsonInclude.Include.NON_NULL))
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
            .build();

    private SettingDocument() {}

    public static String write(Object document) {
        return MAPPER.writeValueAsString(document);
    }

    /** Reads the document of a setting. Empty if it cannot be read, which the log then says. */
    public static <T> Optional<T> read(Setting setting, Class<T> type) {
        try {
            return Optional.of(MAPPER.readValue(setting.document(), type));
        } catch (JacksonException | IllegalArgumentException e) {
            LOG.error(
                    "RT-7606 {} does not count: this version cannot read what table setting has of it ({}); set it"
                            + " anew, or delete it",
                    setting,
                    Printable.text(String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }
}
