package io.ringtable.broker.admin.http;

import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.management.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Serves the operations of administrators below {@value #BASE}. Bodies are JSON, both ways.
 * <p>
 * Thread: HTTP's, which goes on with others until an operation has answered.
 */
@RestController
public final class ManagementController {
    static final String BASE = "/api/v1";

    /** Is as long as clients of ours wait. The server's own bound is shorter than a move of an address may take. */
    private static final long ANSWER_MS_MAX = 60_000;

    private final Management management;
    private final long bodyMax;

    /** @param bodyMax bytes of the largest request */
    public ManagementController(Management management, long bodyMax) {
        this.management = management;
        this.bodyMax = bodyMax;
    }

    @RequestMapping(BASE + "/**")
    DeferredResult<ResponseEntity<ManagementAnswer>> handle(HttpServletRequest request) throws IOException {
        DeferredResult<ResponseEntity<ManagementAnswer>> later = new DeferredResult<>(ANSWER_MS_MAX);
        answer(request).thenAccept(later::setResult); // never fails
        return later;
    }

    private CompletionStage<ResponseEntity<ManagementAnswer>> answer(HttpServletRequest request) throws IOException {
        byte[] body = request.getInputStream().readNBytes((int) Math.min(Integer.MAX_VALUE - 8, bodyMax + 1));
        if (body.length > bodyMax) {
            return refused(413, "RT-7510", "the body is larger than " + bodyMax + " bytes");
        }
        if (body.length > 0 && !isJson(request.getContentType())) {
            return refused(
                    415,
                    "RT-7511",
                    "the body has Content-Type " + request.getContentType() + ": send application/json");
        }
        JsonNode json;
        try {
            json = body.length == 0 ? null : ManagementJson.MAPPER.readTree(body);
        } catch (JacksonException e) {
            return refused(400, "RT-7512", "the body is no JSON: " + e.getOriginalMessage());
        }
        Map<String, String> query = new HashMap<>();
        for (Map.Entry<String, String[]> parameter : request.getParameterMap().entrySet()) {
            if (parameter.getValue().length > 1) {
                return refused(400, "RT-7513", "parameter '" + parameter.getKey() + "' occurs twice: give it once");
            }
            query.put(parameter.getKey(), parameter.getValue()[0]);
        }
        Authentication login = SecurityContextHolder.getContext().getAuthentication();
        return management
                .handle(new ManagementRequest(
                        request.getMethod(),
                        request.getRequestURI()
                                .substring(request.getContextPath().length() + BASE.length()),
                        query,
                        json,
                        new Caller(HttpUser.identityOf(login), "http", request.getRemoteAddr())))
                .thenApply(ManagementController::response);
    }

    private static boolean isJson(String contentType) {
        try {
            return contentType != null
                    && MediaType.APPLICATION_JSON.isCompatibleWith(MediaType.parseMediaType(contentType));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static CompletionStage<ResponseEntity<ManagementAnswer>> refused(int status, String code, String text) {
        return CompletableFuture.completedFuture(response(new ManagementAnswer(status, new Problem(code, text))));
    }

    private static ResponseEntity<ManagementAnswer> response(ManagementAnswer answer) {
        ResponseEntity.BodyBuilder builder =
                ResponseEntity.status(answer.status()).header("Cache-Control", "no-store");
        return answer.body() == null
                ? builder.build()
                : builder.contentType(MediaType.APPLICATION_JSON).body(answer);
    }
}
