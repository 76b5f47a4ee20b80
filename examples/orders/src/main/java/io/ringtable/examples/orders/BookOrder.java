package io.ringtable.examples.orders;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

/** Is an order of one book. */
@Entity
public class BookOrder {
    @Id
    @GeneratedValue
    private Long id;

    private String title;
    private boolean shipped;

    protected BookOrder() {}

    public BookOrder(String title) {
        this.title = title;
    }

    public Long getId() {
        return id;
    }

    public String getTitle() {
        return title;
    }

    public boolean isShipped() {
        return shipped;
    }

    /** Marks the order as shipped. @throws IllegalStateException if it was before */
    public void ship() {
        if (shipped) {
            throw new IllegalStateException("order " + id + " was shipped before");
        }
        shipped = true;
    }
}
