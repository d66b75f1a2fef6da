-- Directories that one session alone decides about until somebody else asks for them.
CREATE TABLE delegation (ino int8 PRIMARY KEY, session int8 NOT NULL);
