-- after_miss: a popper waits at its slot until its message is there: the same number comes next.
-- Parameter: number.
SELECT ?1;
