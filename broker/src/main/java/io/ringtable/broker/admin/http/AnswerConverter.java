package io.ringtable.broker.admin.http;

import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import java.io.IOException;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.http.converter.HttpMessageNotReadableException;

/**
 * Writes the body of an answer as JSON. An operation may have answered on a thread of the shard, which has other things
 * to do than to write a list.
 * <p>
 * Thread: HTTP's.
 */
final class AnswerConverter extends AbstractHttpMessageConverter<ManagementAnswer> {
    AnswerConverter() {
        super(MediaType.APPLICATION_JSON);
    }

    @Override
    protected boolean supports(Class<?> type) {
        return type == ManagementAnswer.class;
    }

    @Override
    protected ManagementAnswer readInternal(Class<? extends ManagementAnswer> type, HttpInputMessage message) {
        throw new HttpMessageNotReadableException("answers are written alone", message);
    }

    @Override
    protected void writeInternal(ManagementAnswer answer, HttpOutputMessage message) throws IOException {
        message.getBody().write(ManagementJson.MAPPER.writeValueAsBytes(answer.body()));
    }
}
