package io.ringtable.broker.admin.console;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.thymeleaf.TemplateEngine;
import org.thymeleaf.context.WebContext;
import org.thymeleaf.spring6.dialect.SpringStandardDialect;
import org.thymeleaf.templatemode.TemplateMode;
import org.thymeleaf.templateresolver.ClassLoaderTemplateResolver;
import org.thymeleaf.web.servlet.JakartaServletWebApplication;

/**
 * Makes pages with Thymeleaf. The engine begins with the first page, so that a broker whose console nobody opens starts
 * as fast as one without.
 * <p>
 * Thread: any.
 */
final class Templates {
    private static final String DIRECTORY = "io/ringtable/broker/console/";

    /** Begins the engine when a page first needs it. */
    private static final class Engine {
        static final TemplateEngine ENGINE = begin();

        private static TemplateEngine begin() {
            ClassLoaderTemplateResolver files = new ClassLoaderTemplateResolver(Templates.class.getClassLoader());
            files.setPrefix(DIRECTORY);
            files.setSuffix(".html");
            files.setTemplateMode(TemplateMode.HTML);
            files.setCharacterEncoding("UTF-8");
            files.setCacheable(true);
            TemplateEngine engine = new TemplateEngine();
            engine.setDialect(new SpringStandardDialect());
            engine.setTemplateResolver(files);
            return engine;
        }
    }

    /** @param template name of a file, behind which {@code :: part} may name a part of it */
    String render(
            String template, Map<String, Object> given, HttpServletRequest request, HttpServletResponse response) {
        String[] fileAndPart = template.split(" :: ");
        JakartaServletWebApplication application =
                JakartaServletWebApplication.buildApplication(request.getServletContext());
        WebContext context = new WebContext(application.buildExchange(request, response), Locale.ENGLISH, given);
        return fileAndPart.length == 1
                ? Engine.ENGINE.process(fileAndPart[0], context)
                : Engine.ENGINE.process(fileAndPart[0], Set.of(fileAndPart[1]), context);
    }
}
