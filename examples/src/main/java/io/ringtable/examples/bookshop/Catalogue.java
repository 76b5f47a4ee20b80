package io.ringtable.examples.bookshop;

import org.springframework.jms.annotation.JmsListener;
import org.springframework.stereotype.Component;

/** Answers requests: the returned value goes to the request's {@code JMSReplyTo}. */
@Component
class Catalogue {
    @JmsListener(destination = "catalogue")
    String priceOf(String title) {
        return title.length() + ".90";
    }
}
