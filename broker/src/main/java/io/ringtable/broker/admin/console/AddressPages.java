package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.console.view.Cell;
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
import java.util.stream.Collectors;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.View;
import tools.jackson.databind.JsonNode;

/** Lists addresses, shows one, creates, purges and deletes. Thread: HTTP's. */
@Controller
final class AddressPages {
    private static final String LIST = ConsoleConfiguration.BASE + "/addresses";
    private static final String ONE = ConsoleConfiguration.BASE + "/address";
    private static final String DELETE = "DELETE /addresses/{address}";
    private static final String PURGE = "POST /addresses/{address}/purge";

    private static final List<Column> COLUMNS = List.of(
            Column.of("Name", "name")
                    .leadingTo(item -> Advisor.address(item.path("name").asString())),
            Column.of("Kind", "kind"),
            Column.of("Messages", "messages"),
            new Column(
                    "Of quota",
                    "messagesMax",
                    false,
                    item -> Cell.share(Math.max(share(item, "messages"), share(item, "bytes")))),
            Column.of("Bytes", "bytes"),
            Column.of("Subscriptions", "subscriptions"),
            Column.of("Links", "links"),
            Column.of("Publishers", "publishers"),
            Column.of("Consumers", "consumers"),
            new Column("Shard", "shards", false, item -> Cell.text(homes(item))),
            Column.rare("Stuck", "stuck"));

    private final ConsolePages pages;

    AddressPages(ConsolePages pages) {
        this.pages = pages;
    }

    private static double share(JsonNode address, String what) {
        return address.path(what).asDouble()
                / Math.max(1, address.path(what + "Max").asDouble());
    }

    /** Names the shards of an address, and where it moves to. A move that has not begun says what it waits for. */
    private static String homes(JsonNode address) {
        JsonNode move = address.path("moving");
        if (!move.isObject()) {
            return numbers(address.path("shards"));
        }
        String way = move.path("from").asString() + " → " + move.path("to").asString();
        return move.hasNonNull("waitsFor")
                ? way + ", waits for " + move.path("waitsFor").asString()
                : way;
    }

    private static String numbers(JsonNode shards) {
        return shards.valueStream().map(JsonNode::asString).collect(Collectors.joining(", "));
    }

    @GetMapping(LIST)
    View list(
            HttpServletRequest request,
            @RequestParam(required = false) String filter,
            @RequestParam(required = false) String kind,
            @RequestParam(required = false) String after) {
        Asker asker = pages.asker(request);
        Map<String, String> query = Queries.of("filter", filter, "kind", kind, "after", after);
        JsonNode listing = asker.get("/addresses", query);
        List<Form> actions = new ArrayList<>();
        if (asker.offers("PUT /addresses/{address}")) {
            actions.add(Form.button(
                    LIST,
                    "Create an address",
                    "Create",
                    Map.of(),
                    Form.required(Form.text("name", "Name", "", "orders.eu")),
                    Form.choice("kind", "Kind", "QUEUE", kinds("Queue", "Topic"))));
        }
        return pages.page(request, "list", "Addresses")
                .with(
                        "search",
                        Form.search(
                                LIST,
                                Form.text("filter", "Name contains", filter, null),
                                Form.choice(
                                        "kind",
                                        "Kind",
                                        kind,
                                        Queries.choices("", "all", "queue", "queues", "topic", "topics"))))
                .with("table", Table.of(listing.path("items"), COLUMNS))
                .with("empty", "There is no such address.")
                .with("next", Queries.next(LIST, query, listing))
                .with("silent", Queries.silent(listing))
                .with("actions", actions);
    }

    private static Map<String, String> kinds(String queue, String topic) {
        return Queries.choices("QUEUE", queue, "TOPIC", topic);
    }

    @PostMapping(LIST)
    View create(HttpServletRequest request, @RequestParam String name, @RequestParam String kind) {
        pages.asker(request).ask(Method.PUT, Asker.path("addresses", name), Map.of(), Map.of("kind", kind));
        return EntryPages.redirect(Advisor.address(name) + "&note=created");
    }

    @GetMapping(ONE)
    View show(HttpServletRequest request, @RequestParam String name) {
        Asker asker = pages.asker(request);
        JsonNode address = asker.get(Asker.path("addresses", name));
        List<Table> tables = new ArrayList<>();
        if (asker.offers("GET /subscriptions")) {
            JsonNode subscriptions = asker.get("/subscriptions", Map.of("address", name));
            tables.add(Table.of(subscriptions.path("items"), SubscriptionPages.OF_ADDRESS));
        }
        return pages.page(request, "detail", name)
                .with("facts", Facts.of("", address))
                .with("tables", tables)
                .with("tableTitle", "Subscriptions")
                .with(
                        "links",
                        links(asker, name, address.path("kind").asString("").equals("QUEUE")))
                .with("actions", actions(asker, name));
    }

    private static Map<String, String> links(Asker asker, String name, boolean isQueue) {
        Map<String, String> links = new LinkedHashMap<>();
        if (isQueue && asker.offers("GET /addresses/{address}/messages", name)) { // a topic's are its subscriptions'
            links.put("Look at its messages", MessagePages.LIST + "?address=" + Asker.encoded(name));
        }
        if (asker.offers("GET /links")) {
            links.put(
                    "Who publishes and consumes", ConsoleConfiguration.BASE + "/links?address=" + Asker.encoded(name));
        }
        return links;
    }

    private static List<Form> actions(Asker asker, String name) {
        List<Form> actions = new ArrayList<>();
        if (asker.offers(PURGE, name)) {
            actions.add(Form.danger(ONE + "/purge", "Purge", "Drop all that waits in " + name, Map.of("name", name)));
        }
        if (asker.offers(DELETE, name)) {
            actions.add(Form.danger(
                    ONE + "/delete",
                    "Delete",
                    "Delete " + name,
                    Map.of("name", name),
                    Form.check("force", "with its messages and durable subscriptions, if it has any")));
        }
        return actions;
    }

    @PostMapping(ONE + "/purge")
    View purge(HttpServletRequest request, @RequestParam String name) {
        pages.asker(request).ask(Method.POST, Asker.path("addresses", name, "purge"), Map.of(), null);
        return EntryPages.redirect(Advisor.address(name) + "&note=purged");
    }

    @PostMapping(ONE + "/delete")
    View delete(
            HttpServletRequest request, @RequestParam String name, @RequestParam(defaultValue = "false") String force) {
        pages.asker(request).ask(Method.DELETE, Asker.path("addresses", name), Map.of("force", force), null);
        return EntryPages.redirect(LIST + "?note=deleted");
    }
}
