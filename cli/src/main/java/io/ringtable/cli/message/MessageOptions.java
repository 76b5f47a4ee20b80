package io.ringtable.cli.message;

import io.ringtable.cli.administration.Fields;
import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Says what is in a message: its headers, properties and body. */
final class MessageOptions {
    /** Names what the API has among the headers; all others of {@code --header} are properties in the sense of AMQP. */
    private static final Set<String> DELIVERY_HEADERS = Set.of("durable", "priority", "ttlMs");

    private static final Set<String> TYPED_HEADERS = Set.of("durable", "priority", "ttlMs", "groupSequence");

    private static final Path STANDARD_INPUT = Path.of("-");

    /** Names a type of body as one types it. */
    enum BodyType {
        text,
        json,
        base64
    }

    @Option(names = "--body", paramLabel = "TEXT", description = "The body.")
    private String body;

    @Option(
            names = "--body-file",
            paramLabel = "FILE",
            description = "File with the body, - for standard input; with --body-type base64 any bytes, else UTF-8.")
    private Path bodyFile;

    @Option(
            names = "--body-type",
            paramLabel = "TYPE",
            defaultValue = "text",
            description = "text, json, or base64 for bytes (default: ${DEFAULT-VALUE}).")
    private BodyType bodyType;

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            description = "A header: durable, priority, ttlMs, messageId, correlationId, subject, replyTo, contentType,"
                    + " contentEncoding, groupId or groupSequence. Can be given many times.")
    private Map<String, String> headers = Map.of();

    @Option(
            names = "--property",
            paramLabel = "NAME=VALUE",
            description = "An application property with a text, or NAME:=VALUE with a number, true or false. Can be"
                    + " given many times.")
    private Map<String, String> properties = Map.of();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Returns the fields of the message that the options say. */
    Fields fields() {
        Map<String, Object> delivery = new LinkedHashMap<>();
        Map<String, Object> own = new LinkedHashMap<>();
        headers.forEach((name, value) -> (DELIVERY_HEADERS.contains(name) ? delivery : own)
                .put(name, TYPED_HEADERS.contains(name) ? typed("--header " + name, value) : text(value)));
        Map<String, Object> application = new LinkedHashMap<>();
        properties.forEach((name, value) -> {
            String plain = name.replaceFirst(":$", "");
            application.put(plain, name.equals(plain) ? text(value) : typed("--property " + plain, value));
        });
        Object content = body();
        return new Fields()
                .with("headers", delivery.isEmpty() ? null : delivery)
                .with("properties", own.isEmpty() ? null : own)
                .with("applicationProperties", application.isEmpty() ? null : application)
                .with("body", content)
                .with("bodyType", content == null ? null : bodyType.name());
    }

    /** Makes nothing of an empty value: a copy then has no such header. */
    private static String text(String value) {
        return value.isEmpty() ? null : value;
    }

    private Object typed(String what, String value) {
        return value.isEmpty() ? null : json(what, value);
    }

    private Object body() {
        if (body != null && bodyFile != null) {
            throw usage("--body and --body-file exclude each other");
        }
        if (bodyFile == null) {
            return body == null || bodyType != BodyType.json ? body : json("--body", body);
        }
        byte[] content = content();
        if (bodyType == BodyType.base64) {
            return Base64.getEncoder().encodeToString(content);
        }
        try {
            String decoded = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
            return bodyType == BodyType.json ? json("--body-file", decoded) : decoded;
        } catch (CharacterCodingException e) {
            throw usage("--body-file " + bodyFile + " is not UTF-8: send it with --body-type base64");
        }
    }

    private byte[] content() {
        try {
            return bodyFile.equals(STANDARD_INPUT) ? System.in.readAllBytes() : Files.readAllBytes(bodyFile);
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6003",
                    "cannot open " + bodyFile + " (" + e.getClass().getSimpleName()
                            + "): name a file that exists and is readable, or - for standard input");
        }
    }

    private Object json(String what, String value) {
        try {
            return JsonMapper.shared().readTree(value);
        } catch (JacksonException e) {
            throw usage(what + " is no JSON");
        }
    }

    private ParameterException usage(String text) {
        return new ParameterException(spec.commandLine(), text);
    }
}
