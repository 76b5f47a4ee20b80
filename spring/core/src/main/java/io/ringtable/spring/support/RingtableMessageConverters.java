package io.ringtable.spring.support;

import java.util.List;
import org.springframework.messaging.converter.CompositeMessageConverter;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.messaging.converter.MessageConverter;
import tools.jackson.databind.json.JsonMapper;

/** Makes the converter that templates and listeners have unless they are given another one. */
public final class RingtableMessageConverters {

    private RingtableMessageConverters() {}

    /** Takes text and bytes as they are, everything else as JSON by a mapper with Jackson's defaults. */
    public static MessageConverter standard() {
        return standard(JsonMapper.shared());
    }

    /**
     * Takes text and bytes as they are, everything else as JSON with content type {@code application/json}. A message
     * without a content type is read as JSON if the target asks for another type than text or bytes.
     */
    public static MessageConverter standard(JsonMapper mapper) {
        return new CompositeMessageConverter(
                List.of(new RawMessageConverter(), new JacksonJsonMessageConverter(mapper)));
    }
}
