package io.ringtable.cli.address;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Administers policies: what holds for the addresses that match a pattern. */
@Command(
        name = "policy",
        description = "Lists, sets and deletes policies, which say what holds for the addresses that match a pattern.")
public final class PolicyCommand extends ManagementCommand {
    private static final String PATTERN = "Pattern of addresses: * stands for a word, # for any.";

    @Command(
            name = "list",
            description = "Lists policies that were set at run time; they come before those of the configuration.",
            mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--filter", paramLabel = "TEXT", description = FILTER) String filter) {
        list(
                Resource.of("policies").with("filter", filter),
                options,
                "pattern",
                "autoCreate",
                "defaultKind",
                "deliveriesMax",
                "deadLetterQueue",
                "expiryQueue",
                "redeliveryDelayMs",
                "redeliveryDelayMultiplier",
                "redeliveryDelayMaxMs",
                "exclusive",
                "onceByMessageId",
                "retentionAgeMs",
                "retentionBytes",
                "messagesMax",
                "bytesMax",
                "affinity",
                "parts",
                "changedBy",
                "changedAt");
    }

    @Command(
            name = "put",
            description =
                    "Sets the policy of a pattern, such as 'policy put orders.# deliveriesMax=5'. What is left out"
                            + " stays as the configuration has it.",
            mixinStandardHelpOptions = true)
    void put(
            @Parameters(index = "0", paramLabel = "PATTERN", description = PATTERN) String pattern,
            @Parameters(
                            index = "1..*",
                            arity = "1..*",
                            paramLabel = "FIELD=VALUE",
                            description = "autoCreate, defaultKind, deliveriesMax, deadLetterQueue, expiryQueue,"
                                    + " redeliveryDelayMs, redeliveryDelayMultiplier, redeliveryDelayMaxMs, exclusive,"
                                    + " onceByMessageId, retentionAgeMs, retentionBytes, messagesMax, bytesMax,"
                                    + " affinity or parts.")
                    Map<String, String> fields) {
        Map<String, Object> policy = new LinkedHashMap<>();
        fields.forEach((name, value) -> policy.put(name, typed(value)));
        say(broker().put(Resource.of("policies", pattern), policy), "set policy " + pattern);
    }

    /** Makes numbers and booleans of what looks like them; all else is text. */
    private static Object typed(String value) {
        try {
            JsonNode json = JsonMapper.shared().readTree(value);
            return json.isNumber() || json.isBoolean() ? json : value;
        } catch (JacksonException text) {
            return value;
        }
    }

    @Command(
            name = "delete",
            description = "Deletes the policy of a pattern: the configuration's counts again.",
            mixinStandardHelpOptions = true)
    void delete(@Parameters(paramLabel = "PATTERN", description = PATTERN) String pattern) {
        delete(Resource.of("policies", pattern), "deleted policy " + pattern);
    }
}
