package io.ringtable.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.client.Address;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.example.Shop;
import io.ringtable.spring.support.RingtableHeaders;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** The guide's program is the one that runs here, and the guide lists every attribute and every header. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class SpringSdkDocTest {
    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", "../.."));
    private static final Path GUIDE = ROOT.resolve("docs/spring-sdk.md");
    private static final Path PROGRAM = ROOT.resolve("spring/core/src/test/java/io/ringtable/spring/example/Shop.java");

    @Test
    void theProgramOfTheGuideIsTheOneThatRuns() throws IOException {
        String program = Files.readString(PROGRAM);
        assertThat(Files.readString(GUIDE))
                .contains("```java\n" + program.substring(program.indexOf("import ")) + "```");

        try (var context = new AnnotationConfigApplicationContext()) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("test", Map.of("broker", SharedBroker.uri())));
            context.register(Shop.class);
            context.refresh();
            RingtableTemplate template = context.getBean(RingtableTemplate.class);
            template.convertAndSend("queue://orders", new Shop.Order("book", 2));
            assertThat(template.receiveAndConvert("queue://invoices", Shop.Invoice.class, SharedBroker.SOON))
                    .contains(new Shop.Invoice("book", 1998));
        }
        SharedBroker.client().deleteEvenIfUsed(Address.queue("orders"));
        SharedBroker.client().deleteEvenIfUsed(Address.queue("invoices"));
    }

    @Test
    void theGuideListsEveryAttributeAndEveryHeader() throws Exception {
        String guide = Files.readString(GUIDE);
        for (Method attribute : RingtableListener.class.getDeclaredMethods()) {
            if (!attribute.getName().equals("value")) {
                assertThat(guide).contains("| `" + attribute.getName() + "` |");
            }
        }
        for (Field header : RingtableHeaders.class.getFields()) {
            if (!header.getName().equals("PREFIX")) {
                assertThat(guide).contains("`" + header.getName() + "`").contains("`" + header.get(null) + "`");
            }
        }
    }
}
