package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.console.view.Column;
import io.ringtable.broker.admin.console.view.Facts;
import io.ringtable.broker.admin.console.view.Form;
import io.ringtable.broker.admin.console.view.Shown;
import io.ringtable.broker.admin.console.view.Table;
import io.ringtable.broker.management.Method;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.View;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Finds messages, shows one decoded and explains it, sends a corrected copy, deletes. Thread: HTTP's. */
@Controller
final class MessagePages {
    static final String LIST = ConsoleConfiguration.BASE + "/messages";

    private static final String ONE = ConsoleConfiguration.BASE + "/message";
    private static final String BROWSE = "GET /addresses/{address}/messages";
    private static final String SHOW = "GET /messages/{sequence}";
    private static final String EXPLAIN = "GET /messages/{sequence}/explain";
    private static final String COPY = "POST /messages/{sequence}/copy";
    private static final String DELETE = "DELETE /messages/{sequence}";
    private static final String SUBSCRIPTION = "subscription";

    private static final List<Column> COLUMNS = List.of(
            Column.of("Number", "sequence")
                    .leadingTo(item -> page(
                            item.path("sequence").asString(),
                            item.path("shard").asString(null),
                            item.path("subscription").asString(null))),
            Column.rare("Shard", "shard"),
            Column.of("Published", "publishedAt"),
            Column.of("Published by", "publishedBy"),
            Column.rare("Reason", "reason"),
            Column.rare("Came from", "origin"),
            Column.rare("Failures", "failures"),
            Column.rare("Due", "deliverAt"),
            Column.rare("Expires", "expiresAt"),
            Column.rare("Subject", "subject"),
            Column.rare("Message id", "messageId"),
            Column.rare("Begins with", "preview"));

    /** Says where more about a message is that the page of one shows apart. */
    private static final Set<String> APART = Set.of("owing", "owedBy", "settledBy");

    private final ConsolePages pages;

    MessagePages(ConsolePages pages) {
        this.pages = pages;
    }

    /**
     * Is a subscription that still owes a message.
     *
     * @param text why it is not given the message now
     * @param heldBy who has the message now; null if nobody has
     * @param link to the subscription; null if the user may not see it
     */
    record Debt(String text, String cure, String until, String failures, String heldBy, String link) {}

    /**
     * @param shard of the message; null where there is one
     * @param subscription id of the subscription in memory that numbers the message; null if it is stored
     */
    private static String page(String sequence, String shard, String subscription) {
        return ONE + "?sequence=" + sequence
                + (shard == null ? "" : "&shard=" + shard)
                + (subscription == null ? "" : "&subscription=" + subscription);
    }

    /** Tells whether the user can find messages or have one explained. */
    static boolean isOffered(Asker asker) {
        return asker.offers(BROWSE) || asker.offers(SHOW) || asker.offers(EXPLAIN);
    }

    @GetMapping(LIST)
    View list(HttpServletRequest request, @RequestParam Map<String, String> given) {
        Asker asker = pages.asker(request);
        String address = given.getOrDefault("address", "").strip();
        ConsolePage page = pages.page(request, "messages", "Messages");
        if (asker.offers(SHOW) || asker.offers(EXPLAIN)) {
            page.with(
                    "byNumber",
                    Form.search(ONE, "Show", Form.required(Form.number("sequence", "Number of a message", "", null))));
        }
        if (asker.offers(BROWSE) || !address.isEmpty() && asker.offers(BROWSE, address)) {
            page.with(
                    "search",
                    Form.search(
                            LIST,
                            Form.required(Form.text("address", "Address", address, "orders.eu")),
                            Form.text("id", "Message id", given.get("id"), null),
                            Form.text("selector", "Selector", given.get("selector"), "colour = 'red'"),
                            Form.text("since", "Published since", given.get("since"), "2026-01-31T12:00:00Z"),
                            Form.text("until", "until", given.get("until"), "2026-01-31T13:00:00Z"),
                            Form.text(
                                    "subscription", "Subscription's id, of a topic", given.get("subscription"), null)));
        }
        if (!address.isEmpty()) {
            Map<String, String> query = Queries.of(
                    "id", given.get("id"),
                    "selector", given.get("selector"),
                    "since", given.get("since"),
                    "until", given.get("until"),
                    "subscription", given.get("subscription"),
                    "after", given.get("after"));
            JsonNode listing = asker.get(Asker.path("addresses", address, "messages"), query);
            Map<String, String> here = new LinkedHashMap<>(query);
            here.put("address", address);
            page.with("table", Table.of(listing.path("items"), COLUMNS))
                    .with("address", address)
                    .with("next", Queries.next(LIST, here, listing));
        }
        return page;
    }

    @GetMapping(ONE)
    View show(
            HttpServletRequest request,
            @RequestParam String sequence,
            @RequestParam(required = false) String shard,
            @RequestParam(required = false) String subscription) {
        Asker asker = pages.asker(request);
        String number = sequence.strip();
        String path = Asker.path("messages", number);
        Map<String, String> where = Queries.of("shard", shard, SUBSCRIPTION, subscription);
        ConsolePage page =
                pages.page(request, "message", "Message " + number + (isInMemory(where) ? " in memory" : ""));
        String address = null;
        if (asker.offers(EXPLAIN)) {
            JsonNode explained = asker.get(path + "/explain", where);
            address = explained.path("address").asString(null);
            explain(page, asker, explained);
        }
        if (asker.offers(SHOW, address)) {
            JsonNode message = asker.get(path, where);
            decode(page, message);
            page.with("actions", actions(asker, message, number, where));
        }
        return page;
    }

    private static void explain(ConsolePage page, Asker asker, JsonNode explained) {
        List<Debt> debts = new ArrayList<>();
        for (JsonNode debt : explained.path("owing")) {
            String failures = debt.path("failures").asString("0");
            debts.add(new Debt(
                    debt.path("text").asString(""),
                    debt.path("cure").asString(""),
                    debt.hasNonNull("until")
                            ? Facts.cell("until", debt.path("until")).text()
                            : null,
                    failures.equals("0") ? null : failures,
                    debt.path("heldBy").asString(null),
                    asker.offers("GET /subscriptions/{id}")
                            ? SubscriptionPages.page(debt.path("subscription").asString(""))
                            : null));
        }
        ObjectNode where = (ObjectNode) explained.deepCopy();
        where.remove(APART);
        where.remove("login"); // publishedBy has the name too
        page.with("debts", debts)
                .with("owedBy", names(explained.path("owedBy")))
                .with("settledBy", names(explained.path("settledBy")))
                .with("where", Facts.of("", where));
    }

    private static String names(JsonNode readers) {
        List<String> names = new ArrayList<>();
        readers.forEach(reader -> names.add(
                reader.path("name").asString(reader.path("subscription").asString(""))));
        return names.isEmpty() ? Shown.NOTHING : String.join(", ", names);
    }

    private static void decode(ConsolePage page, JsonNode message) {
        JsonNode body = message.path("body");
        page.with("body", textOf(body))
                .with("isTruncated", body.path("truncated").asBoolean(false))
                .with("bodyType", body.path("type").asString(""))
                .with(
                        "parts",
                        List.of(
                                Facts.of("Properties", message.path("properties")),
                                Facts.asWritten("Application properties", message.path("applicationProperties")),
                                Facts.asWritten("Annotations", message.path("annotations")),
                                Facts.of("Header", message.path("header"))));
    }

    /** Returns the body as text, JSON or hexadecimal, whichever it is shown as. */
    private static String textOf(JsonNode body) {
        if (body.hasNonNull("json")) {
            JsonNode json = body.path("json");
            return json.isString() ? json.asString() : json.toPrettyString();
        }
        return body.path("text").asString(body.path("hex").asString(""));
    }

    private static boolean isInMemory(Map<String, String> where) {
        return where.containsKey(SUBSCRIPTION);
    }

    /** @param where names the shard of the message, or the subscription in memory that numbers it */
    private static List<Form> actions(Asker asker, JsonNode message, String number, Map<String, String> where) {
        List<Form> actions = new ArrayList<>();
        Map<String, String> which = new LinkedHashMap<>(where);
        which.put("sequence", number);
        String address = message.path("address").asString("");
        JsonNode body = message.path("body");
        boolean isEditable = !body.hasNonNull("hex") && !body.path("truncated").asBoolean(false);
        if (asker.offers(COPY, address)) {
            actions.add(Form.button(
                    ONE + "/copy",
                    "Send a corrected copy",
                    "Send the copy",
                    which,
                    Form.required(Form.text("to", "To", isInMemory(where) ? "" : originOf(message), null)),
                    Form.area(
                            "body", "Body; left empty, the copy has the original's", isEditable ? textOf(body) : "")));
        }
        if (asker.offers(DELETE, address)) {
            actions.add(Form.danger(ONE + "/delete", "Delete", "Delete message " + number, which));
        }
        return actions;
    }

    /** Returns the address that a dead letter came from; that of the message if it is none. */
    private static String originOf(JsonNode message) {
        return message.path("annotations")
                .path("x-opt-ringtable-dead-letter-address")
                .asString(message.path("address").asString(""));
    }

    @PostMapping(ONE + "/copy")
    View copy(
            HttpServletRequest request,
            @RequestParam String sequence,
            @RequestParam(required = false) String subscription,
            @RequestParam(required = false) String shard,
            @RequestParam String to,
            @RequestParam(defaultValue = "") String body) {
        Map<String, Object> copy = new LinkedHashMap<>();
        copy.put("to", to.strip());
        if (!body.isBlank()) {
            copy.put("body", body);
        }
        pages.asker(request)
                .ask(
                        Method.POST,
                        Asker.path("messages", sequence, "copy"),
                        Queries.of("shard", shard, SUBSCRIPTION, subscription),
                        copy);
        return EntryPages.redirect(
                page(Asker.encoded(sequence), encoded(shard), encoded(subscription)) + "&note=copied");
    }

    private static String encoded(String value) {
        return value == null ? null : Asker.encoded(value);
    }

    @PostMapping(ONE + "/delete")
    View delete(
            HttpServletRequest request,
            @RequestParam String sequence,
            @RequestParam(required = false) String shard,
            @RequestParam(required = false) String subscription) {
        pages.asker(request)
                .ask(
                        Method.DELETE,
                        Asker.path("messages", sequence),
                        Queries.of("shard", shard, SUBSCRIPTION, subscription),
                        null);
        return EntryPages.redirect(LIST + "?note=deleted");
    }
}
