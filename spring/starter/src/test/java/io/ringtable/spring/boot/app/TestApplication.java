package io.ringtable.spring.boot.app;

import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.util.List;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** As an application with the starter; a bean says where the broker is, as one from a container would. */
@SpringBootApplication(proxyBeanMethods = false)
public class TestApplication {

    @Bean
    RingtableConnectionDetails broker() {
        return () -> List.of(OneBroker.uri());
    }
}
