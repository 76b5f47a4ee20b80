-- An example: an application that publishes to one address and to no other. Rules by address do not hold for SQL, so
-- the database has to bound it: a function with a fixed address, which runs with its owner's rights. Change the names.
-- Run by an administrator after roles.sql.

CREATE ROLE shop_owner NOLOGIN;
CREATE ROLE shop_application NOLOGIN;
GRANT ringtable_publisher TO shop_owner;

CREATE SCHEMA shop AUTHORIZATION shop_owner;

CREATE FUNCTION shop.publish_order(p_body text, p_properties jsonb DEFAULT '{}') RETURNS void
LANGUAGE sql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ringtable.publish('queue://orders', p_body, p_properties)
$$;

ALTER FUNCTION shop.publish_order(text, jsonb) OWNER TO shop_owner;
REVOKE ALL ON FUNCTION shop.publish_order(text, jsonb) FROM PUBLIC;

-- No membership in ringtable_publisher: this function is all that the application may call.
GRANT USAGE ON SCHEMA shop TO shop_application;
GRANT EXECUTE ON FUNCTION shop.publish_order(text, jsonb) TO shop_application;
