package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.http.HttpLogin;
import io.ringtable.broker.login.WaitingLogins;
import io.ringtable.broker.management.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.view.RedirectView;

/** Shows the login, and why a page is not shown. Thread: HTTP's. */
@Controller
@ControllerAdvice(basePackageClasses = EntryPages.class)
final class EntryPages {
    static final String DENIED = ConsoleConfiguration.BASE + "/denied";

    /** Tells at a request whether its form is refused, and not its user. */
    static final String FORGED = EntryPages.class.getName() + ".forged";

    private static final Map<String, String> REFUSALS = Map.of(
            "wrong",
            "The name or the password is wrong.",
            ConsoleEntry.LoginForm.TOKEN,
            "The token is not valid here: it has expired, or is not meant for this broker. Get a new one.",
            ConsoleEntry.LoginForm.CERTIFICATE,
            "Your browser shows no certificate, or one that names no user. Log in another way.",
            "later",
            "Too many logins failed before this one. Wait some seconds, then try again.",
            "plain",
            "A login from another machine needs TLS, as the network would see the password. Set server.ssl.");

    private final ConsolePages pages;
    private final WaitingLogins logins;

    EntryPages(ConsolePages pages, WaitingLogins logins) {
        this.pages = pages;
        this.logins = logins;
    }

    @GetMapping("/")
    View begin() {
        return redirect(ConsoleConfiguration.BASE);
    }

    static View redirect(String url) {
        RedirectView view = new RedirectView(url, true);
        view.setExpandUriTemplateVariables(false); // names of addresses may have braces
        return view;
    }

    @GetMapping(ConsoleEntry.LOGIN)
    View login(HttpServletRequest request) {
        if (!pages.isLoginNeeded()) {
            return redirect(ConsoleConfiguration.BASE);
        }
        String reason = REFUSALS.get(String.valueOf(request.getParameter("refused")));
        if (reason == null && request.getParameter("ended") != null) {
            reason = "Your login has ended. Log in again to go on where you were.";
        }
        return pages.part("login")
                .with("title", "Log in")
                .with("reason", reason)
                .with("isBye", request.getParameter("bye") != null)
                .with("takesTokens", logins.takesTokens())
                .with(
                        "certificateUser",
                        HttpLogin.certificate(request).flatMap(logins::userOf).orElse(null))
                .with("target", ConsoleEntry.targetOf(request));
    }

    @RequestMapping(DENIED)
    View denied(HttpServletRequest request) {
        boolean isForged = Boolean.TRUE.equals(request.getAttribute(FORGED));
        return problem(
                request,
                403,
                isForged
                        ? new Problem(
                                "RT-7403",
                                "the form is refused, as it was not made for this browser or is old: go back, load the"
                                        + " page anew, and send it again")
                        : new Problem(
                                "RT-7404",
                                "this user has no role here: an administrator gives the role viewer, operator or"
                                        + " administrator (ringtable.security.roles)"));
    }

    @GetMapping(ConsoleConfiguration.BASE + "/**")
    View unknown(HttpServletRequest request) {
        return problem(request, 404, new Problem("RT-7405", "there is no such page: choose one from the menu"));
    }

    /** Shows why an operation is refused. */
    @ExceptionHandler
    View refused(AskRefused refused, HttpServletRequest request) {
        return problem(request, refused.status(), refused.problem());
    }

    private View problem(HttpServletRequest request, int status, Problem problem) {
        return pages.page(request, "problem", "This did not work")
                .with("code", problem.code())
                .with("message", problem.message())
                .status(status);
    }
}
