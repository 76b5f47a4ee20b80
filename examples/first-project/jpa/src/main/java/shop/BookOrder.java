package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

/** Stores an order of one book, and how often it was shipped. */
@Entity
public class BookOrder {
    @Id
    @GeneratedValue
    Long id;

    String title;
    int shipped;

    protected BookOrder() {}

    BookOrder(String title) {
        this.title = title;
    }
}
