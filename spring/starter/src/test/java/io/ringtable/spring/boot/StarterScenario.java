package io.ringtable.spring.boot;

import io.ringtable.broker.config.StoreProperties;
import io.ringtable.spring.boot.app.TestApplication;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** An application with the starter, JPA and actuator against the broker: one for all classes of this kind. */
@ExtendWith(OneBroker.class)
@SpringBootTest(classes = TestApplication.class)
@Timeout(120)
public abstract class StarterScenario {
    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        StoreProperties store = OneBroker.database();
        registry.add("spring.datasource.url", store::url);
        registry.add("spring.datasource.username", store::username);
        registry.add("spring.datasource.password", store::password);
        registry.add("spring.jpa.hibernate.ddl-auto", () -> "update");
    }
}
