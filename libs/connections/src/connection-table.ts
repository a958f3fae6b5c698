/** Table of a service's own copy of the connections. */
export const connectionTable = `
  CREATE TABLE connection (
    connection_id text PRIMARY KEY,
    application_id text NOT NULL,
    property_id text NOT NULL,
    external_property_id text NOT NULL,
    environment text NOT NULL,
    state text NOT NULL,
    version bigint NOT NULL
  );
  CREATE INDEX connection_property ON connection (property_id)`
