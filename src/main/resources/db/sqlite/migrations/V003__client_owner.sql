-- Whose a client id is: the user's who first made a durable subscription with it.

CREATE TABLE client_owner (
    client_id TEXT NOT NULL PRIMARY KEY, -- as subscription.client_id; one without a row belongs to whoever uses it first
    owner     TEXT NOT NULL,             -- name of the user, as it logs in
    CONSTRAINT client_owner_is_of_a_client CHECK (client_id <> ''),
    CONSTRAINT client_owner_is_somebody CHECK (owner <> '')
) STRICT, WITHOUT ROWID;
