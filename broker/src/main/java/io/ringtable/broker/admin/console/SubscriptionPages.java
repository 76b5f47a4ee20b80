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
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.View;
import tools.jackson.databind.JsonNode;

/** Lists subscriptions, says why one gets nothing, purges and deletes. Thread: HTTP's. */
@Controller
final class SubscriptionPages {
    private static final String LIST = ConsoleConfiguration.BASE + "/subscriptions";
    private static final String ONE = ConsoleConfiguration.BASE + "/subscription";
    private static final String IN_MEMORY = "volatile";
    private static final String WHY = "GET /subscriptions/{id}/why";

    private static final List<Column> COLUMNS = List.of(
            Column.of("Subscription", "name")
                    .orElse("(queue)")
                    .leadingTo(item -> page(item.path("id").asString())),
            Column.of("Address", "address").leadingTo(SubscriptionPages::pageOfAddress),
            Column.rare("Client id", "clientId"),
            Column.of("Owed", "owed"),
            Column.of("In the ring", "owedInRing"),
            Column.of("In the backlog", "owedInBacklog"),
            Column.of("Attended", "attended"),
            Column.of("Consumers", "consumers"),
            Column.of("Gets nothing, as", "why"),
            Column.rare("Selector", "selector"),
            Column.rare("Owner", "owner"));

    /** Lists what a page about one address shows of its subscriptions. */
    static final List<Column> OF_ADDRESS =
            COLUMNS.stream().filter(column -> !column.field().equals("address")).toList();

    private final ConsolePages pages;

    SubscriptionPages(ConsolePages pages) {
        this.pages = pages;
    }

    static String page(String id) {
        return ONE + "?id=" + id;
    }

    /** Returns the page of its address; null for a temporary queue, which has none. */
    private static String pageOfAddress(JsonNode subscription) {
        boolean isOfTemporaryQueue = isInMemory(subscription)
                && subscription.path("name").asString("").isEmpty();
        return isOfTemporaryQueue
                ? null
                : Advisor.address(subscription.path("address").asString());
    }

    @GetMapping(LIST)
    View list(
            HttpServletRequest request,
            @RequestParam(required = false) String filter,
            @RequestParam(required = false) String address,
            @RequestParam(name = IN_MEMORY, defaultValue = "") String inMemory,
            @RequestParam(required = false) String after) {
        Map<String, String> query =
                Queries.of("filter", filter, "address", address, IN_MEMORY, inMemory, "after", after);
        JsonNode listing = pages.asker(request).get("/subscriptions", query);
        return pages.page(request, "list", "Subscriptions")
                .with(
                        "search",
                        Form.search(
                                LIST,
                                Form.text("filter", "Name contains", filter, null),
                                Form.text("address", "Address", address, "all"),
                                Form.choice(
                                        IN_MEMORY,
                                        "Those",
                                        inMemory,
                                        Queries.choices("", "that are stored", "true", "in memory alone"))))
                .with("table", Table.of(listing.path("items"), COLUMNS))
                .with("empty", "There is no such subscription.")
                .with("next", Queries.next(LIST, query, listing))
                .with("silent", Queries.silent(listing))
                .with("actions", List.of());
    }

    @GetMapping(ONE)
    View show(HttpServletRequest request, @RequestParam String id) {
        Asker asker = pages.asker(request);
        JsonNode subscription = asker.get(Asker.path("subscriptions", id));
        String address = subscription.path("address").asString();
        String name = subscription.path("name").asString();
        ConsolePage page =
                pages.page(request, "detail", name.isEmpty() ? "Subscription of " + address : name + " on " + address);
        if (asker.offers(WHY, address)) {
            page.with("why", asker.get(Asker.path("subscriptions", id, "why")));
        }
        return page.with("facts", Facts.of("", subscription))
                .with("tables", List.of())
                .with("links", links(asker, subscription, id, address))
                .with("actions", actions(asker, subscription, id, address));
    }

    private static Map<String, String> links(Asker asker, JsonNode subscription, String id, String address) {
        Map<String, String> links = new LinkedHashMap<>();
        String itsAddress = pageOfAddress(subscription);
        if (itsAddress != null) {
            links.put("Its address", itsAddress);
        }
        if (asker.offers("GET /addresses/{address}/messages", address)) {
            links.put(
                    "Look at what it owes",
                    Queries.url(MessagePages.LIST, Queries.of("address", address, "subscription", id)));
        }
        return links;
    }

    private static boolean isInMemory(JsonNode subscription) {
        return subscription.path("id").asLong() < 0;
    }

    private static List<Form> actions(Asker asker, JsonNode subscription, String id, String address) {
        List<Form> actions = new ArrayList<>();
        if (isInMemory(subscription)) {
            return actions; // it ends with its consumers
        }
        boolean isOfQueue = subscription.path("name").asString().isEmpty(); // it goes with its queue
        if (asker.offers("POST /subscriptions/{id}/purge", address)) {
            actions.add(Form.danger(ONE + "/purge", "Purge", "Drop all that it owes", Map.of("id", id)));
        }
        if (!isOfQueue && asker.offers("DELETE /subscriptions/{id}", address)) {
            actions.add(Form.danger(
                    ONE + "/delete", "Delete", "Delete the subscription with what it owes", Map.of("id", id)));
        }
        return actions;
    }

    @PostMapping(ONE + "/purge")
    View purge(HttpServletRequest request, @RequestParam String id) {
        pages.asker(request).ask(Method.POST, Asker.path("subscriptions", id, "purge"), Map.of(), null);
        return EntryPages.redirect(page(Asker.encoded(id)) + "&note=purged");
    }

    @PostMapping(ONE + "/delete")
    View delete(HttpServletRequest request, @RequestParam String id) {
        pages.asker(request).ask(Method.DELETE, Asker.path("subscriptions", id), Map.of(), null);
        return EntryPages.redirect(LIST + "?note=deleted");
    }
}
