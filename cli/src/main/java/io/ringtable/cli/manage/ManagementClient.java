package io.ringtable.cli.manage;

import io.ringtable.cli.manage.ManagementFailure.Reason;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * Asks a broker for operations of administration, in JSON. Answers stay as the broker writes them.
 * <p>
 * Thread: the command's. Failure: {@link ManagementFailure} with the broker's code and text.
 */
public final class ManagementClient {
    private static final String BASE = "/api/v1";
    private static final int PAGE_MAX = 1_000;
    private static final int CREATED = 201;

    private final BrokerHttp http;

    public ManagementClient(BrokerHttp http) {
        this.http = http;
    }

    /**
     * Holds what a list has, as far as it was wanted.
     *
     * @param more whether there may be more than that
     * @param silent parts of the broker that did not answer in time, so that the list has nothing of them
     */
    public record Items(List<JsonNode> items, boolean more, Set<String> silent) {}

    /** Holds a thing that there is now. @param isNew false if it was there before */
    public record Made(JsonNode thing, boolean isNew) {}

    /** Gathers a list page by page. @param most items that are wanted, 1 or more */
    public Items list(Resource list, int most) {
        return list(list, most, Math.min(PAGE_MAX, most), any -> true);
    }

    /** Gathers those items of a list that fit. */
    public Items list(Resource list, int most, Predicate<JsonNode> fits) {
        return list(list, most, PAGE_MAX, fits);
    }

    private Items list(Resource list, int most, int page, Predicate<JsonNode> fits) {
        List<JsonNode> items = new ArrayList<>();
        Set<String> silent = new LinkedHashSet<>();
        String after = null;
        do {
            JsonNode answer = get(list.with("limit", page).with("after", after));
            answer.path("items").valueStream().filter(fits).forEach(items::add);
            answer.path("silent").forEach(part -> silent.add(Values.text(part)));
            after = answer.path("next").isString() ? answer.path("next").stringValue() : null;
        } while (after != null && items.size() < most);
        boolean more = after != null || items.size() > most;
        return new Items(items.subList(0, Math.min(most, items.size())), more, silent);
    }

    /** Refuses a body with a secret that the network would see. @throws ManagementFailure RT-6040 */
    public void checkUnseen(String secret) {
        http.checkUnseen(secret);
    }

    public JsonNode get(Resource resource) {
        return ask("GET", resource, null);
    }

    /** Makes something, unless it is there already. @param body anything that Jackson can write */
    public Made make(Resource resource, Object body) {
        BrokerHttp.Answer answer = answer("PUT", resource, body);
        return new Made(read("PUT", resource, answer), answer.status() == CREATED);
    }

    /** @param body anything that Jackson can write */
    public JsonNode put(Resource resource, Object body) {
        return ask("PUT", resource, body);
    }

    /** @param body null for none */
    public JsonNode post(Resource resource, Object body) {
        return ask("POST", resource, body);
    }

    public JsonNode delete(Resource resource) {
        return ask("DELETE", resource, null);
    }

    private JsonNode ask(String method, Resource resource, Object body) {
        return read(method, resource, answer(method, resource, body));
    }

    private BrokerHttp.Answer answer(String method, Resource resource, Object body) {
        return http.ask(
                method,
                BASE + resource,
                body == null ? null : JsonMapper.shared().writeValueAsString(body));
    }

    private static JsonNode read(String method, Resource resource, BrokerHttp.Answer answer) {
        try {
            return answer.body().isEmpty()
                    ? MissingNode.getInstance()
                    : JsonMapper.shared().readTree(answer.body());
        } catch (JacksonException e) {
            throw new ManagementFailure(
                    Reason.REFUSED,
                    "RT-6013",
                    method + " " + BASE + resource + " is not answered as a Ringtable broker does: check --http");
        }
    }
}
