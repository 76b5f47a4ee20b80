package io.ringtable.broker.admin.console;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.servlet.View;

/** Is a page, or a part of one, that a template makes of what it is given. Thread: that of the request. */
final class ConsolePage implements View {
    private final Templates templates;
    private final String template;
    private final Map<String, Object> given = new HashMap<>();
    private HttpStatus status = HttpStatus.OK;

    /** @param template name of the file, behind which {@code :: part} may name a part of it */
    ConsolePage(Templates templates, String template) {
        this.templates = templates;
        this.template = template;
    }

    ConsolePage with(String name, Object value) {
        given.put(name, value);
        return this;
    }

    ConsolePage status(int code) {
        status = HttpStatus.valueOf(code);
        return this;
    }

    @Override
    public String getContentType() {
        return "text/html;charset=UTF-8";
    }

    /** Renders everything before the first byte leaves: a template that fails leaves an error, and no half page. */
    @Override
    public void render(Map<String, ?> none, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        CsrfToken token = (CsrfToken) request.getAttribute(CsrfToken.class.getName());
        if (token != null) {
            given.put("csrfName", token.getParameterName());
            given.put("csrfToken", token.getToken());
        }
        byte[] page = templates.render(template, given, request, response).getBytes(StandardCharsets.UTF_8);
        response.setStatus(status.value());
        response.setContentType(getContentType());
        response.setContentLength(page.length);
        response.getOutputStream().write(page);
    }
}
