package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.console.view.Column;
import io.ringtable.broker.admin.console.view.Facts;
import io.ringtable.broker.admin.console.view.Form;
import io.ringtable.broker.admin.console.view.Table;
import io.ringtable.broker.management.Method;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.View;
import tools.jackson.databind.JsonNode;

/** Lists connections, links, transactions and producers with what holds them up, and ends them. Thread: HTTP's. */
@Controller
final class ConnectionPages {
    private static final String CONNECTIONS = ConsoleConfiguration.BASE + "/connections";
    private static final String LINKS = ConsoleConfiguration.BASE + "/links";
    private static final String TRANSACTIONS = ConsoleConfiguration.BASE + "/transactions";
    private static final String PRODUCERS = ConsoleConfiguration.BASE + "/producers";
    private static final String ONE = ConsoleConfiguration.BASE + "/connection";

    /** Lists the pages that the menu's entry stands for. */
    static final List<String> PATHS = List.of(CONNECTIONS, LINKS, TRANSACTIONS, PRODUCERS, ONE);

    private static final List<Column> CONNECTION_COLUMNS = List.of(
            Column.of("Container", "container").orElse("(none)").leadingTo(ConnectionPages::connection),
            Column.of("User", "user").orElse("(no login)"),
            Column.of("From", "remote"),
            Column.of("Since", "since"),
            Column.of("Links", "links"),
            Column.of("Sessions", "sessions"),
            Column.rare("Unsettled", "unsettled"),
            Column.rare("Held", "heldBytes"),
            Column.rare("Transactions", "transactions"),
            Column.rare("TLS", "tls"),
            Column.rare("Login by", "mechanism"));

    private static final List<Column> LINK_COLUMNS = List.of(
            Column.of("Role", "role"),
            Column.of("Address", "address"),
            Column.rare("Waits for", "waitsFor"),
            Column.of("Credit", "credit"),
            Column.rare("Unsettled", "unsettled"),
            Column.of("Messages", "messages"),
            Column.of("Since", "since"),
            Column.of("Name", "name"),
            Column.of("Connection", "connection")
                    .leadingTo(item ->
                            ONE + "?id=" + Asker.encoded(item.path("connection").asString())));

    private final ConsolePages pages;

    ConnectionPages(ConsolePages pages) {
        this.pages = pages;
    }

    private static String connection(JsonNode item) {
        return ONE + "?id=" + Asker.encoded(item.path("id").asString());
    }

    @GetMapping(CONNECTIONS)
    View connections(
            HttpServletRequest request,
            @RequestParam(required = false) String filter,
            @RequestParam(required = false) String after) {
        Asker asker = pages.asker(request);
        Map<String, String> query = Queries.of("filter", filter, "after", after);
        JsonNode listing = asker.get("/connections", query);
        return pages.page(request, "list", "Connections")
                .with("search", Form.search(CONNECTIONS, Form.text("filter", "Contains", filter, "container or user")))
                .with("table", Table.of(listing.path("items"), CONNECTION_COLUMNS))
                .with("empty", "Nobody is connected.")
                .with("next", Queries.next(CONNECTIONS, query, listing))
                .with("silent", Queries.silent(listing))
                .with("links", others(asker))
                .with("actions", List.of());
    }

    private static Map<String, String> others(Asker asker) {
        Map<String, String> links = new LinkedHashMap<>();
        addIfOffered(links, asker, "GET /links", "All links", LINKS);
        addIfOffered(links, asker, "GET /transactions", "Open transactions", TRANSACTIONS);
        addIfOffered(links, asker, "GET /producers", "Producers of numbered messages", PRODUCERS);
        return links;
    }

    private static void addIfOffered(
            Map<String, String> links, Asker asker, String operation, String text, String url) {
        if (asker.offers(operation)) {
            links.put(text, url);
        }
    }

    @GetMapping(ONE)
    View show(HttpServletRequest request, @RequestParam String id) {
        Asker asker = pages.asker(request);
        JsonNode connection = asker.get(Asker.path("connections", id));
        List<Table> tables = new ArrayList<>();
        if (asker.offers("GET /links")) {
            tables.add(
                    Table.of(asker.get("/links", Map.of("connection", id)).path("items"), LINK_COLUMNS.subList(0, 8)));
        }
        List<Form> actions = new ArrayList<>();
        if (asker.offers("DELETE /connections/{id}")) {
            actions.add(Form.danger(
                    ONE + "/close", "Close", "Close the connection; its client may connect again", Map.of("id", id)));
        }
        String container = connection.path("container").asString("");
        return pages.page(request, "detail", "Connection of " + (container.isEmpty() ? id : container))
                .with("facts", Facts.of("", connection))
                .with("tables", tables)
                .with("tableTitle", "Links")
                .with("links", Map.of())
                .with("actions", actions);
    }

    @PostMapping(ONE + "/close")
    View close(HttpServletRequest request, @RequestParam String id) {
        pages.asker(request).ask(Method.DELETE, Asker.path("connections", id), Map.of(), null);
        return EntryPages.redirect(CONNECTIONS + "?note=closed");
    }

    @GetMapping(LINKS)
    View links(
            HttpServletRequest request,
            @RequestParam(required = false) String address,
            @RequestParam(required = false) String after) {
        return listed(
                request,
                "/links",
                Queries.of("address", address, "after", after),
                LINKS,
                "Links",
                Form.search(LINKS, Form.text("address", "Address", address, "all")),
                LINK_COLUMNS,
                new Ending(
                        "DELETE /links/{id}",
                        "Detach",
                        item -> Queries.of("id", item.path("id").asString())));
    }

    @PostMapping(LINKS)
    View detach(HttpServletRequest request, @RequestParam String id) {
        pages.asker(request).ask(Method.DELETE, Asker.path("links", id), Map.of(), null);
        return EntryPages.redirect(LINKS + "?note=closed");
    }

    @GetMapping(TRANSACTIONS)
    View transactions(HttpServletRequest request, @RequestParam(required = false) String after) {
        return listed(
                request,
                "/transactions",
                Queries.of("after", after),
                TRANSACTIONS,
                "Open transactions",
                null,
                null,
                new Ending(
                        "DELETE /transactions/{id}",
                        "Roll back",
                        item -> Queries.of("id", item.path("id").asString())));
    }

    @PostMapping(TRANSACTIONS)
    View rollBack(HttpServletRequest request, @RequestParam String id) {
        pages.asker(request).ask(Method.DELETE, Asker.path("transactions", id), Map.of(), null);
        return EntryPages.redirect(TRANSACTIONS + "?note=closed");
    }

    @GetMapping(PRODUCERS)
    View producers(HttpServletRequest request, @RequestParam(required = false) String after) {
        return listed(
                request,
                "/producers",
                Queries.of("after", after),
                PRODUCERS,
                "Producers of numbered messages",
                null,
                null,
                new Ending(
                        "DELETE /producers/{address}/{name}",
                        "Forget",
                        item -> Queries.of(
                                "address",
                                item.path("address").asString(),
                                "name",
                                item.path("name").asString())));
    }

    @PostMapping(PRODUCERS)
    View forget(HttpServletRequest request, @RequestParam String address, @RequestParam String name) {
        pages.asker(request).ask(Method.DELETE, Asker.path("producers", address, name), Map.of(), null);
        return EntryPages.redirect(PRODUCERS + "?note=deleted");
    }

    /** Says how a thing of a list is ended. @param named gives what names it */
    private record Ending(String operation, String verb, Function<JsonNode, Map<String, String>> named) {}

    /** @param columns null for a column of each field */
    private View listed(
            HttpServletRequest request,
            String operation,
            Map<String, String> query,
            String url,
            String title,
            Form search,
            List<Column> columns,
            Ending ending) {
        Asker asker = pages.asker(request);
        JsonNode listing = asker.get(operation, query);
        JsonNode items = listing.path("items");
        List<Form> endings = new ArrayList<>();
        if (asker.offers(ending.operation())) {
            items.forEach(item -> endings.add(Form.button(
                    url, ending.verb() + "…", ending.verb(), ending.named().apply(item))));
        }
        return pages.page(request, "list", title)
                .with("search", search)
                .with("table", columns == null ? Facts.tableOf(items) : Table.of(items, columns))
                .with("endings", endings)
                .with("empty", "There is none.")
                .with("next", Queries.next(url, query, listing))
                .with("silent", Queries.silent(listing))
                .with("links", Map.of("All connections", CONNECTIONS))
                .with("actions", List.of());
    }
}
