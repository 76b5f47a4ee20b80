package io.ringtable.broker.admin.console;

import io.ringtable.broker.management.Management;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Makes what all pages share: the menu of what the user may see, who that is, what was done last. Thread: any. */
final class ConsolePages {
    /** Says what was done, by the word that the address of the page has. Nothing else gets from there into a page. */
    private static final Map<String, String> NOTES = Map.ofEntries(
            Map.entry("created", "Created."),
            Map.entry("deleted", "Deleted."),
            Map.entry("purged", "Purged: what waited is gone."),
            Map.entry("closed", "Closed."),
            Map.entry("copied", "Sent. The original is still where it was."),
            Map.entry("cancelled", "Cancelled. What was done before stays done."));

    private final Templates templates = new Templates();
    private final Management management;
    private final BooleanSupplier isLoginNeeded;
    private final String version;

    ConsolePages(Management management, BooleanSupplier isLoginNeeded, String version) {
        this.management = management;
        this.isLoginNeeded = isLoginNeeded;
        this.version = version;
    }

    /** Is an entry of the menu. */
    record Entry(String url, String text, boolean current) {}

    /** Tells whether users have to log in. The answer may change. */
    boolean isLoginNeeded() {
        return isLoginNeeded.getAsBoolean();
    }

    Asker asker(HttpServletRequest request) {
        return Asker.of(management, request);
    }

    /** Makes a whole page. */
    ConsolePage page(HttpServletRequest request, String template, String title) {
        Asker asker = asker(request);
        return new ConsolePage(templates, template)
                .with("title", title)
                .with("version", version)
                .with(
                        "menu",
                        menu(
                                asker,
                                request.getRequestURI()
                                        .substring(request.getContextPath().length())))
                .with("user", asker.user())
                .with("role", asker.role().toString())
                .with("isLoginNeeded", isLoginNeeded())
                .with("note", NOTES.get(String.valueOf(request.getParameter("note"))));
    }

    /** Makes a part of a page, which replaces the one that is shown. */
    ConsolePage part(String template) {
        return new ConsolePage(templates, template);
    }

    private static List<Entry> menu(Asker asker, String here) {
        List<Entry> menu = new ArrayList<>();
        menu.add(entry("/console", "Overview", here.equals("/console") || here.equals("/console/")));
        add(
                menu,
                asker,
                "GET /addresses",
                entry("/console/addresses", "Addresses", here.startsWith("/console/address")));
        add(
                menu,
                asker,
                "GET /subscriptions",
                entry("/console/subscriptions", "Subscriptions", here.startsWith("/console/subscription")));
        add(
                menu,
                asker,
                "GET /connections",
                entry("/console/connections", "Connections", isAnyOf(here, ConnectionPages.PATHS)));
        add(
                menu,
                asker,
                "GET /deadletters",
                entry("/console/deadletters", "Dead letters", here.endsWith("deadletters")));
        add(menu, asker, "GET /jobs", entry("/console/jobs", "Jobs", here.startsWith("/console/job")));
        if (MessagePages.isOffered(asker)) {
            menu.add(entry("/console/messages", "Messages", here.startsWith("/console/message")));
        }
        return menu;
    }

    private static boolean isAnyOf(String here, List<String> paths) {
        return paths.stream().anyMatch(here::equals);
    }

    private static void add(List<Entry> menu, Asker asker, String operation, Entry entry) {
        if (asker.offers(operation)) {
            menu.add(entry);
        }
    }

    private static Entry entry(String url, String text, boolean current) {
        return new Entry(url, text, current);
    }
}
