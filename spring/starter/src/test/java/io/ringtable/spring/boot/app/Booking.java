package io.ringtable.spring.boot.app;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

/** A row that the application of the tests stores, by JPA. */
@Entity
class Booking {
    @Id
    @GeneratedValue
    private Long id;

    private String name;

    protected Booking() {}

    Booking(String name) {
        this.name = name;
    }

    Long id() {
        return id;
    }

    String name() {
        return name;
    }
}
