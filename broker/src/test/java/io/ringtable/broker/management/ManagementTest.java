package io.ringtable.broker.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ringtable.broker.access.AccessControl;
import io.ringtable.broker.access.AccessRule;
import io.ringtable.broker.access.AccessRules;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.access.Permission;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.access.Roles;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.message.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** How a request finds its operation, who may ask, and what the audit log says of it. */
class ManagementTest {
    record Secret(String name, String password) {}

    record Thing(String name, long size) {}

    private final List<String> done = new ArrayList<>();
    private final ListAppender<ILoggingEvent> audit = new ListAppender<>();
    private AccessControl access = new AccessControl(AccessRules.NONE);

    private final List<Operation> operations = List.of(
            Operation.get("/things", "Lists things.")
                    .needs(Role.VIEWER)
                    .query("big", Type.FLAG, "Only big ones.")
                    .query("since", Type.TIME, "Only new ones.")
                    .lists(Thing.class)
                    .does(call -> call.page()
                            .of(
                                    Stream.of("a", "b", "c")
                                            .filter(any -> !call.flag("big") && call.time("since") == null),
                                    name -> name,
                                    name -> new Thing(name, 1))),
            Operation.get("/things/all", "Shows all.")
                    .needs(Role.VIEWER)
                    .answers(Thing.class)
                    .does(call -> new Thing("all", 3)),
            Operation.get("/things/{thing}", "Shows one.")
                    .needs(Role.OPERATOR, Permission.BROWSE, "thing")
                    .answers(Thing.class)
                    .does(call -> new Thing(call.path("thing"), 1)),
            Operation.put("/things/{thing}", "Makes one.")
                    .needs(Role.ADMINISTRATOR)
                    .takes(Secret.class)
                    .hides("password")
                    .does(call -> {
                        done.add(call.path("thing") + call.body(Secret.class).password());
                        return null;
                    }),
            Operation.delete("/things/{thing}", "Deletes one.")
                    .needs(Role.OPERATOR, Permission.MANAGE)
                    .query("force", Type.FLAG, "Even if somebody uses it.")
                    .query("part", Type.NUMBER, "Only that part of it.")
                    .asks(call -> {
                        call.requires(Permission.MANAGE, "orders");
                        return CompletableFuture.failedFuture(new Refusal.Refused(new Refusal(
                                Refusal.Reason.IN_USE, "RT-2018", call.path("thing") + " is in use: close it")));
                    }));

    private final Logger auditLog = (Logger) LoggerFactory.getLogger("ringtable.audit");

    @BeforeEach
    void listen() {
        audit.start();
        auditLog.setLevel(Level.INFO);
        auditLog.addAppender(audit);
    }

    @AfterEach
    void stopListening() {
        auditLog.detachAppender(audit);
        auditLog.setLevel(null);
    }

    private ManagementAnswer ask(String user, String method, String path, Map<String, String> query, String body) {
        JsonNode json = body == null ? null : ManagementJson.MAPPER.readTree(body);
        Caller caller = new Caller(user.isEmpty() ? Identity.ANONYMOUS : Identity.of(user), "http", "192.0.2.7");
        return new Management(operations, access)
                .handle(new ManagementRequest(method, path, query, json, caller))
                .toCompletableFuture()
                .join();
    }

    private ManagementAnswer get(String path) {
        return ask("", "GET", path, Map.of(), null);
    }

    private static String codeOf(ManagementAnswer answer) {
        return answer.body() instanceof Problem problem ? problem.code() : "(no problem)";
    }

    @Test
    void decodesNamesOfAnyCharacters() {
        assertThat(get("/things/a%2Fb%20c+d%3B%25%C3%A4").body()).isEqualTo(new Thing("a/b c+d;%ä", 1));
    }

    @Test
    void prefersWordsToVariables() {
        assertThat(get("/things/all").body()).isEqualTo(new Thing("all", 3));
    }

    @ParameterizedTest
    @CsvSource({"GET, /nothing, 404, RT-7707", "POST, /things/a, 405, RT-7708", "GET, /things/%zz, 400, RT-7701"})
    void saysWhatIsNoOperation(String method, String path, int status, String code) {
        ManagementAnswer answer = ask("", method, path, Map.of(), null);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(codeOf(answer)).isEqualTo(code);
    }

    @Test
    void tellsOfAPathWithAnotherMethodWhichOnesItHas() {
        assertThat(ask("", "POST", "/things/a", Map.of(), null).body())
                .asString()
                .contains("DELETE, GET, PUT");
    }

    @ParameterizedTest
    @CsvSource({
        "colour, red, RT-7703",
        "big, perhaps, RT-7702",
        "since, yesterday, RT-7702",
        "limit, 0, RT-7702",
        "limit, 1001, RT-7702",
        "limit, x, RT-7702"
    })
    void refusesParametersThatItDoesNotKnowOrCannotRead(String name, String value, String code) {
        ManagementAnswer answer = ask("", "GET", "/things", Map.of(name, value), null);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(codeOf(answer)).isEqualTo(code);
        assertThat(answer.body()).asString().contains(name);
    }

    @Test
    void cutsListsIntoPages() {
        Listing<?> first = (Listing<?>)
                ask("", "GET", "/things", Map.of("limit", "2"), null).body();
        Listing<?> second = (Listing<?>) ask("", "GET", "/things", Map.of("limit", "2", "after", first.next()), null)
                .body();

        assertThat(first.items()).hasSize(2);
        assertThat(second).isEqualTo(new Listing<>(List.of(new Thing("c", 1)), null));
    }

    @Test
    void cutsListsOfNumberedThingsInTheOrderOfTheirNumbers() {
        Listing<Long> first = new Page(2, null).ofNumbered(Stream.of(0L, 9L, 10L, 100L), number -> number, n -> n);
        Listing<Long> rest =
                new Page(2, first.next()).ofNumbered(Stream.of(0L, 9L, 10L, 100L), number -> number, n -> n);

        assertThat(first.items()).containsExactly(0L, 9L);
        assertThat(rest).isEqualTo(new Listing<>(List.of(10L, 100L), null));
    }

    @Test
    void refusesBodiesThatDoNotFit() {
        assertThat(codeOf(ask("", "PUT", "/things/a", Map.of(), null))).isEqualTo("RT-7704");
        assertThat(ask("", "PUT", "/things/a", Map.of(), "{\"nmae\":\"x\"}")
                        .body()
                        .toString())
                .isEqualTo("RT-7705 the body of PUT /things/{thing} cannot be read: field 'nmae': there is no such"
                        + " field; there are name, password");
        assertThat(codeOf(ask("", "PUT", "/things/a", Map.of(), "[1]"))).isEqualTo("RT-7705");
        assertThat(done).isEmpty();
    }

    @Test
    void writesOneLineForEachChangeWithoutSecrets() {
        ask("", "PUT", "/things/a", Map.of(), "{\"name\":\"x\",\"password\":\"open sesame\"}");
        ask("", "DELETE", "/things/a", Map.of("part", "-17", "force", ""), null);
        ask("", "GET", "/things/a", Map.of(), null);
        ask("", "PUT", "/nothing", Map.of(), "{\"password\":\"open sesame\"}");

        assertThat(done).containsExactly("aopen sesame");
        assertThat(audit.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "user '(no login)' (administrator) over http from 192.0.2.7: PUT /things/a"
                                + " {\"name\":\"x\",\"password\":\"***\"} -> 204",
                        "user '(no login)' (administrator) over http from 192.0.2.7: DELETE /things/a?force&part=-17"
                                + " -> 409 RT-2018 a is in use: close it",
                        "user '(no login)' (administrator) over http from 192.0.2.7: PUT /nothing (a body) -> 404"
                                + " RT-7707 PUT /nothing is no operation: GET /openapi.json describes"
                                + " those that there are");
    }

    @Test
    void whoeverCompletesAHandlersStageDoesNotWriteTheLog() throws Exception {
        List<CompletableFuture<Object>> stages = new ArrayList<>();
        Operation later = Operation.delete("/later", "Is done later.")
                .needs(Role.NONE)
                .asks(call -> {
                    stages.add(new CompletableFuture<>());
                    return stages.get(stages.size() - 1);
                });
        Management management = new Management(List.of(later), access);
        ManagementRequest request = new ManagementRequest(
                "DELETE", "/later", Map.of(), null, new Caller(Identity.ANONYMOUS, "amqp", "here"));
        CompletableFuture<ManagementAnswer> done = management.handle(request).toCompletableFuture();
        CompletableFuture<ManagementAnswer> failed = management.handle(request).toCompletableFuture();

        Thread dispatcher = new Thread(
                () -> {
                    stages.get(0).complete(null);
                    stages.get(1).completeExceptionally(new IllegalStateException("no luck"));
                },
                "dispatcher");
        dispatcher.start();
        dispatcher.join();

        assertThat(done.join().status()).isEqualTo(204);
        assertThat(codeOf(failed.join())).isEqualTo("RT-7700");
        assertThat(audit.list)
                .hasSize(2)
                .extracting(ILoggingEvent::getThreadName)
                .containsOnly("audit");
    }

    @ParameterizedTest
    @CsvSource({
        "viewer, 200, 403, 403, 403",
        "operator, 200, 200, 403, 409",
        "administrator, 200, 200, 204, 409",
        "browser, 403, 200, 403, 403",
        "manager, 403, 403, 403, 409",
        "stranger, 403, 403, 403, 403"
    })
    void asksForARoleOrForAPermissionOnTheAddress(String user, int list, int show, int make, int delete) {
        access = new AccessControl(
                new AccessRules(List.of(rule("browser", Permission.BROWSE), rule("manager", Permission.MANAGE))),
                new Roles(Map.of(
                        Role.VIEWER, member("viewer"),
                        Role.OPERATOR, member("operator"),
                        Role.ADMINISTRATOR, member("administrator"))));

        assertThat(ask(user, "GET", "/things", Map.of(), null).status()).isEqualTo(list);
        assertThat(ask(user, "GET", "/things/orders", Map.of(), null).status()).isEqualTo(show);
        assertThat(ask(user, "PUT", "/things/orders", Map.of(), "{\"password\":\"p\"}")
                        .status())
                .isEqualTo(make);
        assertThat(ask(user, "DELETE", "/things/orders", Map.of(), null).status())
                .isEqualTo(delete);
    }

    private static AccessRule rule(String user, Permission permission) {
        return new AccessRule(new AddressPattern("orders"), Set.of(user), Set.of(), Set.of(permission));
    }

    private static Roles.Members member(String user) {
        return new Roles.Members(Set.of(user), Set.of());
    }

    @Test
    void namesUserRoleAndPermissionWhereItRefuses() {
        access = new AccessControl(new AccessRules(List.of(rule("browser", Permission.BROWSE))), Roles.NOBODY);

        assertThat(ask("guest", "GET", "/things/orders", Map.of(), null).body())
                .asString()
                .contains("RT-7706", "guest", "operator", "has none", "browse", "orders");
    }

    @Test
    void withRolesAloneNobodyHasPermissionsOnAddresses() {
        access = new AccessControl(AccessRules.NONE, new Roles(Map.of(Role.VIEWER, member("viewer"))));

        assertThat(ask("guest", "GET", "/things/orders", Map.of(), null).status())
                .isEqualTo(403);
        assertThat(ask("viewer", "GET", "/things", Map.of(), null).status()).isEqualTo(200);
    }

    @Test
    void answersAFailureOfItsOwnWithoutItsStackTrace() {
        Operation failing = Operation.get("/fails", "Fails.").needs(Role.NONE).does(call -> {
            throw new IllegalStateException("no luck");
        });

        ManagementAnswer answer = new Management(List.of(failing), access)
                .handle(new ManagementRequest(
                        "GET", "/fails", Map.of(), null, new Caller(Identity.ANONYMOUS, "http", "here")))
                .toCompletableFuture()
                .join();

        assertThat(answer.status()).isEqualTo(500);
        assertThat(codeOf(answer)).isEqualTo("RT-7700");
    }

    @Test
    void refusesTwoOperationsOnOnePath() {
        Operation one = Operation.get("/a/{b}", "One.").does(call -> null);
        Operation other = Operation.get("/a/{c}", "Other.").does(call -> null);

        assertThatIllegalArgumentException().isThrownBy(() -> new Management(List.of(one, other), access));
    }
}
