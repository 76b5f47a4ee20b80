package io.ringtable.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test with a Spring Boot context a broker in its process, beside {@code @SpringBootTest} or a slice of it. The
 * application's clients connect to that broker, whatever {@code ringtable.client.uris} says, and a broker that the
 * application embeds does not run.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureRingtable
 * class ShopTest {
 *     @Test
 *     void sendsABook(@Autowired OrderDesk desk, TestBroker broker) {
 *         desk.order("one book");
 *
 *         broker.awaitConsumed("queue://orders", 1);
 *     }
 * }
 * }</pre>
 *
 * The broker belongs to the context: tests that share a context share it, and it ends with the context. Methods ask for
 * the same parameters as with {@link RingtableTest}; the {@link TestBroker} is a bean, too. After each test, addresses
 * without links go; those that a listener of the context has are emptied.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RingtableExtension.class)
public @interface AutoConfigureRingtable {

    /**
     * Sets properties of the broker, as {@code "ringtable.dispatch.deliveries-max=2"}. Values may have placeholders of
     * the context's environment and expressions over its beans, as {@code "ringtable.store.url=#{dataSource.jdbcUrl}"}.
     */
    String[] properties() default {};
}
