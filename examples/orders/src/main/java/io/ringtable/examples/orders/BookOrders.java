package io.ringtable.examples.orders;

import org.springframework.data.jpa.repository.JpaRepository;

/** Keeps the orders. */
public interface BookOrders extends JpaRepository<BookOrder, Long> {}
