CREATE TABLE ${flyway:defaultSchema}.book_order (
    id bigint PRIMARY KEY,
    title varchar(100) NOT NULL
);
