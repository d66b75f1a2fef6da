-- Whose session it is that outcomes and writers are under: the name of the certificate. Nobody else goes on with it.
CREATE TABLE session (session int8 PRIMARY KEY, dn text NOT NULL);
